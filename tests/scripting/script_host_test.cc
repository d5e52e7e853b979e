// Gameplay scripts in a host without Lua, as the host sees them.
#include "bindings/script_host.h"

#include <limits>
#include <map>
#include <stdexcept>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "scripting/folder.h"

using namespace laurel;
using laurel::test::Folder;
using laurel::test::Journal;

namespace {

class TestClock final : public Clock {
 public:
  Time now() override { return at; }
  Time at = 1'000 * kSecond;
};

std::string show(const EventValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  return std::string(*std::get_if<std::string_view>(&value));
}

// A game server's side: a registry, a directory of scripts, and what they told it.
struct Server {
  Folder folder{"scripts"};
  Journal journal;
  TestClock clock;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<ScriptHost> host;
  std::string said;  // by scripts: "event value value;"
  OnEmit also;       // what the server does then

  Server() {
    RegistryOptions options;
    options.log = journal.log();
    registry = std::make_unique<Registry>(std::move(options));
  }
  explicit Server(const char* text) : Server() {
    folder.write("game.lua", text);
    start();
  }
  ~Server() { host.reset(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start() {
    ScriptHostOptions options;
    options.directory = folder.path();
    options.log = journal.log();
    options.clock = &clock;
    options.on_emit = [this](std::string_view event, std::span<const EventValue> values) {
      said += event;
      for (const EventValue& value : values) said += " " + show(value);
      said += ";";
      if (also) also(event, values);
    };
    auto opened = ScriptHost::open(*registry, std::move(options));
    REQUIRE(opened);
    host = std::move(*opened);
  }
  void tick(double seconds = 0.05) {
    clock.at += std::llround(seconds * 1e6);
    host->tick(clock.at);
    registry->tick();
  }
  void edit(std::string_view text, std::string_view name = "game.lua") {
    folder.write(name, text);
    tick(0);
  }
  std::size_t emit(std::string_view event, std::vector<EventValue> values = {}) {
    return host->emit(event, values);
  }
  // What scripts said since the last time.
  std::string heard() { return std::exchange(said, {}); }
};

using namespace std::string_view_literals;

}  // namespace

TEST_CASE("a handler hears the host's events with their values, and answers") {
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

TEST_CASE("handlers run by script and then in the order of on") {
  Server server;
  server.folder.write("b.lua", "laurel.on('e', function() laurel.emit('b') end)");
  server.folder.write("a.lua",
                      "for i = 1, 3 do laurel.on('e', function() laurel.emit('a', i) end) end");
  server.start();
  CHECK(server.emit("e") == 4);
  CHECK(server.heard() == "a 1;a 2;a 3;b;");
}

TEST_CASE("laurel.emit takes numbers, strings and booleans, and raises at anything else") {
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

TEST_CASE("laurel.on and laurel.every raise at wrong arguments") {
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

TEST_CASE("a timer fires first after its seconds, then in step, once a tick at most") {
  Server server("laurel.every(1, function() laurel.emit('t') end)");
  server.tick(0.9);
  CHECK(server.heard().empty());
  server.tick(0.1);
  CHECK(server.heard() == "t;");
  server.tick(0.5);
  CHECK(server.heard().empty());
  server.tick(3);  // three were missed: they are not made up for
  CHECK(server.heard() == "t;");
  server.tick(0.4);  // 4.9
  CHECK(server.heard().empty());
  server.tick(0.1);  // 5.0: still on the second
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

TEST_CASE("stop functions end a handler or a timer, also while they run, and twice is harmless") {
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

TEST_CASE("an error in a handler is logged with its traceback, and the others go on") {
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

TEST_CASE("errors of every kind leave the host standing") {
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
    server.folder.write("game.lua", "laurel.on('e', function() " + kind +
                                        " end) laurel.on('e', function() laurel.emit('on') end)");
    server.start();
    CHECK(server.emit("e") == 2);
    CHECK(server.heard() == "on;");
    CHECK(server.host->stats().failed == 1);
    CHECK(server.journal.count("(handler of \"e\")") == 1);
    // The same while loading, and in a timer.
    server.edit(kind, "other.lua");
    CHECK(server.journal.count("(while loading)") == 1);
    server.edit("laurel.every(1, function() " + kind + " end)", "third.lua");
    server.tick(1);
    CHECK(server.journal.count("(timer)") == 1);
  }
}

TEST_CASE("an error at every call does not flood the log") {
  Server server("laurel.on('e', function(n) error('no ' .. n) end)");
  for (int i = 0; i < 100; ++i) server.emit("e", {double(i)});
  CHECK(server.journal.count("(handler of \"e\")") == kSameErrorLinesPerSecond);
  server.tick(1);
  CHECK(server.journal.count("error: scripts/game.lua:1: 97 more errors there") == 1);
  server.emit("e", {1.0});
  CHECK(server.journal.count("(handler of \"e\")") == kSameErrorLinesPerSecond + 1);
}

TEST_CASE("each script has globals of its own over the shared ones") {
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

TEST_CASE("a script that changes is loaded anew: handlers and timers are replaced as one") {
  Server server(R"(laurel.on('e', function() laurel.emit('old') end)
                   laurel.every(1, function() laurel.emit('old timer') end))");
  server.edit(R"(laurel.on('e', function() laurel.emit('new') end)
                 laurel.every(1, function() laurel.emit('new timer') end))");
  CHECK(server.emit("e") == 1);
  server.tick(1);
  CHECK(server.heard() == "new;new timer;");
  server.tick(0);
  CHECK(server.host->stats().loaded == 2);
  CHECK(server.host->stats().scripts == 1);
}

TEST_CASE("laurel.state survives, also when the script puts another table there") {
  Server server("laurel.state.n = 1");
  const char* const count = "laurel.state.n = laurel.state.n + 1 laurel.emit('n', laurel.state.n)";
  server.edit(count);
  CHECK(server.heard() == "n 2;");
  server.edit("laurel.state = { n = 10 }");
  server.edit(count);
  CHECK(server.heard() == "n 11;");
  server.edit("error('no')");
  server.edit(std::string(count) + " -- again");
  CHECK(server.heard() == "n 12;");
  server.edit("laurel.state = nil");
  server.edit("laurel.emit('type', type(laurel.state), tostring(laurel.state.n))");
  CHECK(server.heard() == "type table nil;");
}

TEST_CASE("a version that fails leaves the old one running, and nothing of its own") {
  const char* const broken[] = {
      "laurel.on('e', function( end",
      "laurel.on('e', function() laurel.emit('bad') end)\n"
      "laurel.every(1, function() laurel.emit('bad timer') end)\n"
      "boards:board('kills'):watch(3, function() laurel.emit('bad watch') end)\n"
      "error('not now')",
      "\x1bLJ\x02",
  };
  const char* const places[] = {"error: scripts/game.lua:1: ", "error: scripts/game.lua:4: not now",
                                "scripts/game.lua: it is bytecode; a script is text"};
  for (std::size_t i = 0; i < std::size(broken); ++i) {
    CAPTURE(i);
    Server server(R"(
      local kills = boards:board('kills', {})
      laurel.on('e', function() laurel.emit('good') end)
      laurel.every(1, function() laurel.emit('good timer') end)
      kills:watch(3, function() laurel.emit('good watch') end)
      laurel.on('kill', function(who, n) kills:submit(who, n) end))");
    server.tick();
    REQUIRE(server.registry->stats().watches == 1);
    server.edit(broken[i]);
    CAPTURE(server.journal.all());
    CHECK(server.journal.count(places[i]) == 1);
    CHECK(server.journal.count("the version before runs on") == 1);
    CHECK(server.registry->stats().watches == 1);
    server.heard();
    CHECK(server.emit("e") == 1);
    server.emit("kill", {"alice"sv, 3.0});
    server.tick(1);
    CHECK(server.heard() == "good;good timer;good watch;");
    server.tick();
    CHECK(server.journal.count("the version before runs on") == 1);  // told once
    CHECK(server.host->stats().load_failed == 1);
  }
}

TEST_CASE("a watch ends with its version, and its script") {
  const std::string script =
      "local b = boards:board('kills', {}) b:watch(3, function(c) laurel.emit('top', "
      "c.top[1].player) end) ";
  Server server(script.c_str());
  CHECK(server.registry->stats().watches == 1);
  server.edit(script + "laurel.on('kill', function(p) b:submit(p, 1) end)");
  CHECK(server.registry->stats().watches == 1);
  server.emit("kill", {"bob"sv});
  server.tick();
  CHECK(server.heard() == "top bob;");
  server.folder.remove("game.lua");
  server.tick();
  CHECK(server.registry->stats().watches == 0);
  server.host.reset();
  CHECK(server.registry->stats().watches == 0);
}

TEST_CASE("the host's end ends every watch") {
  Server server("boards:board('kills', {}):watch(3, function() end)");
  CHECK(server.registry->stats().watches == 1);
  server.host.reset();
  CHECK(server.registry->stats().watches == 0);
  server.registry->tick();
}

TEST_CASE("new scripts are found, removed ones end, subdirectories and hidden files are none") {
  Server server;
  std::filesystem::create_directory(server.folder / "rules");
  std::filesystem::create_directory(server.folder / "odd.lua");
  server.folder.write("rules/r.lua", "laurel.emit('wrong')");
  server.folder.write(".hidden.lua", "laurel.emit('wrong')");
  server.folder.write("notes.txt", "laurel.emit('wrong')");
  server.start();
  CHECK(server.heard().empty());
  server.edit("laurel.emit('a') laurel.on('e', function() laurel.emit('from a') end)", "a.lua");
  CHECK(server.heard() == "a;");
  server.edit("laurel.on('e', function() laurel.emit('from b') end)", "b.lua");
  CHECK(server.emit("e") == 2);
  server.folder.remove("a.lua");
  server.tick();
  server.heard();
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "from b;");
  CHECK(server.journal.count("scripts/a.lua: ended with its file") == 1);
  server.edit("laurel.emit('a again')", "a.lua");
  CHECK(server.heard() == "a again;");
}

TEST_CASE("functions that outlive their version register nothing and say so") {
  Server server("_G.old_on, _G.old_emit, _G.old_every = laurel.on, laurel.emit, laurel.every");
  server.edit(R"(
    for _, f in ipairs{ function() old_on('e', print) end, function() old_emit('e') end,
                        function() old_every(1, print) end } do
      print((select(2, pcall(f))))
    end)");
  CHECK(server.heard() == "e;");  // while the new one loads, the old is in force
  server.edit("-- empty");
  server.edit(
      R"(print((select(2, pcall(old_on, 'e', print)))) print((select(2, pcall(old_emit, 'e')))))");
  CHECK(server.heard().empty());
  CHECK(server.journal.count("laurel.on: the script that this function belongs to was replaced") ==
        1);
  CHECK(server.journal.count("laurel.emit: the script that this function belongs to was") == 1);
  CHECK(server.emit("e") == 0);
}

TEST_CASE("host and scripts may answer each other, but not without end") {
  Server server("laurel.on('ping', function(n) laurel.emit('pong', n) end)");
  server.also = [&server](std::string_view, std::span<const EventValue> values) {
    const double n = *std::get_if<double>(&values[0]);
    server.host->tick(server.clock.at + 100 * kSecond);  // from within: does nothing
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

TEST_CASE("limits on handlers and timers raise and say so") {
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

TEST_CASE("a directory that is not there is refused; one that goes away ends nothing") {
  Server server;
  ScriptHostOptions options;
  options.directory = server.folder / "missing";
  options.log = server.journal.log();
  const auto refused = ScriptHost::open(*server.registry, std::move(options));
  REQUIRE_FALSE(refused);
  CHECK(refused.refusal().code() == Code::unavailable);
  CHECK(refused.refusal().text().find("cannot be read: No such file") != std::string_view::npos);

  server.folder.write("game.lua", "laurel.on('e', function() end)");
  server.start();
  std::filesystem::rename(server.folder.path(), server.folder.path() + "-away");
  for (int i = 0; i < 3; ++i) server.tick();
  CHECK(server.emit("e") == 1);
  CHECK(server.journal.count("what ran goes on") == 1);
  std::filesystem::rename(server.folder.path() + "-away", server.folder.path());
  server.tick();
  CHECK(server.emit("e") == 1);
  CHECK(server.host->stats().loaded == 1);
}
