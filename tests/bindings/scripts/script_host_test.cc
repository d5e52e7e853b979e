// Gameplay scripts in a host without Lua, as the host sees them.
#include <limits>
#include <map>
#include <stdexcept>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "bindings/scripts/script_server.h"

using namespace laurel;
using namespace std::string_view_literals;
using laurel::test::Server;

TEST_CASE("a handler gets the host's events with their values, and may emit an answer") {
  Server server("laurel.on('goal', function(...) laurel.emit('heard', select('#', ...), ...) end)");
  CHECK(server.emit("goal", {"alice"sv, 2.5, true, false, ""sv}) == 1);
  CHECK(server.heard() == "heard 5 alice 2.5 true false ;");
  CHECK(server.emit("other") == 0);
  CHECK(server.heard().empty());
}

TEST_CASE("an event's string may hold any bytes") {
  Server server("laurel.on('raw', function(s) laurel.emit('raw', #s, s) end)");
  CHECK(server.emit("raw", {std::string_view("a\0b", 3)}) == 1);
  CHECK(server.heard() == std::string("raw 3 a\0b;", 10));
}

TEST_CASE("handlers run ordered by script, then by registration") {
  Server server;
  server.folder.write("b.lua", "laurel.on('e', function() laurel.emit('b') end)");
  server.folder.write("a.lua",
                      "for i = 1, 3 do laurel.on('e', function() laurel.emit('a', i) end) end");
  server.start();
  CHECK(server.emit("e") == 4);
  CHECK(server.heard() == "a 1;a 2;a 3;b;");
}

TEST_CASE("laurel.emit accepts numbers, strings and booleans, and raises for anything else") {
  Server server(R"(
    laurel.on('try', function()
      local function said(...) return (select(2, pcall(laurel.emit, ...))) end
      print(said('e', nil))
      print(said('e', 1, {}))
      print(said(7))
      print(said())
      print(said(''))
      print(said(('x'):rep(256)))
      print(said('e', unpack({}, 1, 17)))
    end))");
  server.emit("try");
  CHECK(server.heard().empty());
  const auto& log = server.journal;
  CHECK(log.count("bad argument #2 to 'emit' (number, string or boolean expected, got nil)") == 1);
  CHECK(log.count("bad argument #3 to 'emit' (number, string or boolean expected, got table)") ==
        1);
  CHECK(log.count("bad argument #1 to 'emit' (string expected, got number)") == 1);
  CHECK(log.count("bad argument #1 to 'emit' (string expected, got no value)") == 1);
  CHECK(log.count("bad argument #1 to 'emit' (an event's name has 1 to 255 bytes, got 0)") == 1);
  CHECK(log.count("(an event's name has 1 to 255 bytes, got 256)") == 1);
  CHECK(log.count("laurel.emit: an event has at most 16 values, got 17") == 1);
}

TEST_CASE("laurel.on and laurel.every raise for wrong arguments") {
  Server server(R"(
    local function said(f, ...) print((select(2, pcall(f, ...)))) end
    said(laurel.on, 'e') said(laurel.on, {}, print)
    said(laurel.every, 0, print) said(laurel.every, -1, print) said(laurel.every, 0/0, print)
    said(laurel.every, math.huge, print) said(laurel.every, '1', print) said(laurel.every, 1))");
  const auto& log = server.journal;
  CHECK(log.count("bad argument #2 to 'on' (function expected, got no value)") == 1);
  CHECK(log.count("bad argument #1 to 'on' (string expected, got table)") == 1);
  CHECK(log.count("bad argument #1 to 'every' (a finite number of seconds above 0 expected)") == 4);
  CHECK(log.count("bad argument #1 to 'every' (number expected, got string)") == 1);
  CHECK(log.count("bad argument #2 to 'every' (function expected, got no value)") == 1);
}

TEST_CASE("a timer fires at multiples of its interval, at most once a tick") {
  Server server("laurel.every(1, function() laurel.emit('t') end)");
  server.tick(0.9);
  CHECK(server.heard().empty());
  server.tick(0.1);
  CHECK(server.heard() == "t;");
  server.tick(0.5);
  CHECK(server.heard().empty());
  server.tick(3);  // the missed ones are skipped
  CHECK(server.heard() == "t;");
  server.tick(0.4);  // 4.9
  CHECK(server.heard().empty());
  server.tick(0.1);  // 5.0: still at a full second
  CHECK(server.heard() == "t;");
  server.tick(0);
  CHECK(server.heard().empty());
}

TEST_CASE("a clock that goes back delays no timer") {
  Server server("laurel.every(1, function() laurel.emit('t') end)");
  server.tick(0.5);
  server.tick(-500);
  CHECK(server.heard().empty());
  server.tick(0.5);
  CHECK(server.heard() == "t;");
}

TEST_CASE("stop functions end a handler or a timer, even while it runs, and may be called twice") {
  Server server(R"(
    local stop_handler, stop_timer
    stop_handler = laurel.on('e', function() laurel.emit('e') stop_handler() stop_handler() end)
    stop_timer = laurel.every(1, function() laurel.emit('t') stop_timer() end))");
  CHECK(server.emit("e") == 1);
  CHECK(server.emit("e") == 0);
  server.tick(1);
  server.tick(1);
  CHECK(server.heard() == "e;t;");
  CHECK(server.host->stats().handlers == 0);
  CHECK(server.host->stats().timers == 0);
}

TEST_CASE("handlers may stop and add others while an event is delivered") {
  Server server(R"(
    local stops = {}
    for i = 1, 3 do
      stops[i] = laurel.on('e', function()
        laurel.emit('h', i)
        if i == 1 then
          stops[2]()
          for j = 1, 50 do laurel.on('e', function() laurel.emit('new') end) end
        end
      end)
    end)");
  CHECK(server.emit("e") == 2);
  CHECK(server.heard() == "h 1;h 3;");
  CHECK(server.emit("e") == 52);
}

TEST_CASE("an error in a handler is logged with its traceback, and the others continue") {
  Server server(
      "local function deep(t)\n  return t.x.y\nend\n"
      "laurel.on('e', function() deep{} end)\n"
      "laurel.on('e', function() laurel.emit('second') end)");
  CHECK(server.emit("e") == 2);
  CHECK(server.heard() == "second;");
  CAPTURE(server.journal.all());
  CHECK(server.journal.count("error: scripts/game.lua:2: attempt to index field 'x' (a nil value) "
                             "(handler of \"e\")") == 1);
  CHECK(server.journal.count("error:     scripts/game.lua:4: in function") == 1);
  CHECK(server.host->stats().failed == 1);
}

TEST_CASE("errors of every kind leave the host running") {
  const char* const kinds[] = {
      "error({})",
      "error(nil)",
      "error()",
      "error(42)",
      "error('two\\nlines')",
      "error(setmetatable({}, {__tostring = function() return 'told' end}))",
      "error(setmetatable({}, {__tostring = function() error('no') end}))",
      "error(setmetatable({}, {__tostring = function() return {} end}))",
      "local function f() return 1 + f() end f()",
      "local s = ('x'):rep(2^20) s = s:rep(2^20)",
      "coroutine.wrap(function() error('inside') end)()",
      "debug.traceback = nil error('untraced')",
      "string.rep(nil)",
      "laurel.emit(nil)",
      "boards:nothing()",
  };
  for (const std::string kind : kinds) {
    CAPTURE(kind);
    Server server;
    server.folder.write("game.lua", fmt::format("laurel.on('e', function() {} end) "
                                                "laurel.on('e', function() laurel.emit('on') end)",
                                                kind));
    server.start();
    CHECK(server.emit("e") == 2);
    CHECK(server.heard() == "on;");
    CHECK(server.host->stats().failed == 1);
    CHECK(server.journal.count("(handler of \"e\")") == 1);
    // The same while loading, and in a timer.
    server.edit(kind, "other.lua");
    CHECK(server.journal.count("(while loading)") == 1);
    server.edit(fmt::format("laurel.every(1, function() {} end)", kind), "third.lua");
    server.tick(1);
    CHECK(server.journal.count("(timer)") == 1);
  }
}

TEST_CASE("an error at every call does not flood the log") {
  Server server("laurel.on('e', function(n) error('no ' .. n) end)");
  for (int i = 0; i < 100; ++i) server.emit("e", {double(i)});
  CHECK(server.journal.count("(handler of \"e\")") == kSameErrorLinesPerSecond);
  server.tick(1);
  CHECK(server.journal.count("error: scripts/game.lua:1: 97 more errors were not logged") == 1);
  server.emit("e", {1.0});
  CHECK(server.journal.count("(handler of \"e\")") == kSameErrorLinesPerSecond + 1);
}

TEST_CASE("each script has its own globals over the shared ones") {
  Server server;
  server.folder.write("a.lua", "x = 1 shared = 1 string.mine = 'seen' laurel.state.a = 1");
  server.folder.write("b.lua",
                      "laurel.emit('b', tostring(x), string.mine, tostring(laurel.state.a), "
                      "type(require), type(_G), tostring(require 'laurel' ~= laurel), "
                      "tostring(require('laurel').version == laurel.version))");
  server.start();
  CHECK(server.heard() == "b nil seen nil function table true true;");
}

TEST_CASE("print goes to the log") {
  Server server("print('hello', 1, nil, {} ~= nil) print('a\\nb\\27[2J') print()");
  CHECK(server.journal.count("info: scripts/game.lua: hello 1 nil true") == 1);
  CHECK(server.journal.count("info: scripts/game.lua: a\\nb\\x1b[2J") == 1);
}

TEST_CASE("host and scripts may answer each other, up to a depth limit") {
  Server server("laurel.on('ping', function(n) laurel.emit('pong', n) end)");
  server.also = [&server](std::string_view, std::span<const EventValue> values) {
    const double n = *std::get_if<double>(&values[0]);
    server.host->tick(server.clock.at + 100 * kSecond);  // nested: does nothing
    server.emit("ping", {n + 1});
  };
  CHECK(server.emit("ping", {1.0}) == 1);
  CHECK(server.heard().ends_with("pong 16;"));
  CHECK(server.journal.count("16 events within each other, and no more are allowed") == 1);
  server.also = nullptr;
  CHECK(server.emit("ping", {1.0}) == 1);
  CHECK(server.heard() == "pong 1;");
}

TEST_CASE("an event emitted from a coroutine may be answered") {
  Server server(R"(
    laurel.on('go', function() coroutine.wrap(function() laurel.emit('out') end)() laurel.emit('end') end)
    laurel.on('in', function() laurel.on('late', print) laurel.emit('in') end))");
  server.also = [&server](std::string_view event, std::span<const EventValue>) {
    if (event == "out") server.emit("in");
  };
  CHECK(server.emit("go") == 1);
  CHECK(server.heard() == "out;in;end;");
}

TEST_CASE("an exception of the host becomes an error in the script") {
  Server server("laurel.on('e', function() laurel.emit('x') end)");
  server.also = [](auto...) { throw std::runtime_error("the host is out of order"); };
  CHECK(server.emit("e") == 1);
  CHECK(server.journal.count("laurel.emit: the host failed: the host is out of order") == 1);
}

TEST_CASE("exceeding the limits of handlers and timers raises an error") {
  Server server(R"(
    for i = 1, 1025 do
      local ok, why = pcall(laurel.on, 'e', print)
      if not ok then print(i, why) end
      ok, why = pcall(laurel.every, 1, print)
      if not ok then print(i, why) end
    end)");
  CHECK(server.journal.count("1025 laurel.on: a script has at most 1024 handlers") == 1);
  CHECK(server.journal.count("1025 laurel.every: a script has at most 1024 timers") == 1);
}

TEST_CASE("a script may begin with a line for the shell, and lines keep their numbers") {
  Server server("#!/usr/bin/env luajit\nerror('here')");
  CHECK(server.journal.count("error: scripts/game.lua:2: here (while loading)") == 1);
}
