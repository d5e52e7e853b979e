// Gameplay scripts with an instruction budget: a call that does not end is interrupted, others are
// not.
#include "bindings/scripts/script_budget.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "bindings/scripts/script_server.h"

using namespace laurel;
using namespace std::string_view_literals;
using laurel::test::Server;

namespace {

constexpr std::uint64_t kBudget = 100'000;

// Bodies of functions that do not end. `spin` never ends, and code that gets past it emits
// "escaped".
constexpr const char* kEndless[] = {
    "while true do end",
    "repeat local t = {} until false",
    "for i = 1, math.huge do end",
    "::again:: goto again",
    "spin()",
    "return spin()",
    "pcall(spin) laurel.emit('escaped')",
    "while true do pcall(spin) end",
    "while true do pcall(error) end",
    "while true do pcall(pcall, spin) end",
    "while true do pcall(pcall, pcall, error) end",
    "xpcall(spin, spin) laurel.emit('escaped')",
    "xpcall(spin, function() pcall(spin) while true do end end) laurel.emit('escaped')",
    "xpcall(error, spin) laurel.emit('escaped')",
    "while true do xpcall(spin, spin) end",
    "while true do xpcall(error, function() pcall(spin) end) end",
    "xpcall(spin, pcall) laurel.emit('escaped')",
    "xpcall(xpcall, spin, spin, spin) laurel.emit('escaped')",
    "local function f() pcall(f) f() end f()",
    "local function f() pcall(f) pcall(f) end f()",
    "local function f() return pcall(f) end while true do f() end",
    "local function f() while true do pcall(f) end end f()",
    "local function f() xpcall(f, f) f() end f()",
    "local function f() while true do xpcall(f, f) end end f()",
    "local function f() while true do xpcall(f, function() pcall(f) end) end end f()",
    "coroutine.wrap(spin)() laurel.emit('escaped')",
    "coroutine.resume(coroutine.create(spin)) laurel.emit('escaped')",
    "while true do coroutine.resume(coroutine.create(spin)) end",
    "while true do pcall(coroutine.wrap(spin)) end",
    "while true do pcall(coroutine.wrap(function() pcall(spin) end)) end",
    "local co = coroutine.wrap(function() while true do coroutine.yield() end end) "
    "while true do co() end",
    "local co = coroutine.wrap(function() while true do pcall(spin) coroutine.yield() end end) "
    "while true do pcall(co) end",
    "local function f() coroutine.wrap(f)() end while true do pcall(f) end",
    "local function f() while true do pcall(coroutine.wrap(f)) end end f()",
    "for _ in coroutine.wrap(function() while true do coroutine.yield(1) end end) do end",
    "for _ in function() pcall(spin) return 1 end do end",
    "error(setmetatable({}, { __tostring = spin }))",
    "while true do pcall(tostring, setmetatable({}, { __tostring = spin })) end",
    "return setmetatable({}, { __index = spin }).x",
    "return setmetatable({}, { __index = function() while true do pcall(spin) end end }).x",
    "local t = {} for i = 1, 1000 do t[i] = i end "
    "while true do table.sort(t, function(a, b) pcall(spin) return a < b end) end",
    "while true do ('xxx'):gsub('.', function() pcall(spin) end) end",
    "while true do load(function() pcall(spin) return ' ' end) end",
    "while true do loadstring('while true do end')() end",
    "while true do pcall(loadstring('while true do end')) end",
    "while true do pcall(print, setmetatable({}, { __tostring = spin })) end",
    "while true do pcall(laurel.emit, 'again') end",
    "while true do pcall(laurel.emit) end",
    "while true do pcall(laurel.on) end",
    "while true do boards:board('b', {}):submit('p', 1) end",
    "local n = 0 boards:board('b', {}):watch(1, spin) "
    "while true do n = n + 1 boards:board('b'):submit('p', n) boards:tick() end",
    "while true do pcall(boards.tick, boards) end",
    "while true do collectgarbage('step') end",
    "(function() setfenv(1, setmetatable({}, { __index = spin })) return x end)()",
    "local ok, why = pcall(spin) error(why)",
    "local ok, why = pcall(spin) error({ why })",
};

}  // namespace

TEST_CASE("a handler that does not end is interrupted, and all others continue") {
  for (const char* const body : kEndless) {
    CAPTURE(body);
    const std::string script = fmt::format(
        "local calls = 0\nlocal function spin() while true do end end\n"
        "laurel.on('e', function()\n  calls = calls + 1\n"
        "  if calls == 2 then return laurel.emit('again') end\n  {}\nend)\n"
        "laurel.on('e', function() laurel.emit('other') end)",
        body);
    Server server(script.c_str(), kBudget);
    server.registry->tick();
    CHECK(server.emit("e") == 2);
    CAPTURE(server.journal.all());
    std::string heard = server.heard();
    CHECK(heard.find("escaped") == std::string::npos);
    CHECK(heard.ends_with("other;"));
    CHECK(server.host->stats().failed >= 1);
    CHECK(server.host->stats().interrupted == 1);
    CHECK(server.journal.count("interrupted after 100000 instructions of one call") >= 1);
    CHECK(server.emit("e") == 2);  // with a new budget
    CHECK(server.heard() == "again;other;");
    CHECK(server.host->stats().interrupted == 1);
  }
}

TEST_CASE("the log says at which line a call was interrupted, with a traceback") {
  Server server(
      "local function count()\n  local n = 0\n  while true do n = n + 1 end\nend\n"
      "laurel.on('e', function()\n  count()\n end)",
      kBudget);
  server.emit("e");
  CAPTURE(server.journal.all());
  CHECK(server.journal.count("error: scripts/game.lua:3: interrupted after 100000 instructions of "
                             "one call (handler of \"e\")") == 1);
  CHECK(server.journal.count("error:     scripts/game.lua:3: in function") == 1);
  CHECK(server.journal.count("error:     scripts/game.lua:6: in function") == 1);
}

TEST_CASE("a script that does not end while loading leaves the previous version in force") {
  Server server("laurel.on('e', function() laurel.emit('old') end)", kBudget);
  server.edit("laurel.on('e', function() laurel.emit('new') end) while true do end");
  CHECK(server.journal.count("scripts/game.lua:1: interrupted after 100000 instructions of one "
                             "call (while loading)") == 1);
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "old;");
  CHECK(server.host->stats().load_failed == 1);
  CHECK(server.host->stats().interrupted == 1);
}

TEST_CASE("timers and watches that do not end are interrupted too") {
  Server server(R"(
    local board = boards:board('b', {})
    board:watch(1, function() while true do end end)
    board:watch(1, function(change) laurel.emit('top', change.top[1].player) end)
    laurel.every(1, function() while true do end end)
    laurel.every(1, function() board:submit('ada', 1) laurel.emit('timer') end))",
                kBudget);
  server.tick(1);
  CHECK(server.heard() == "timer;top ada;");
  CHECK(server.journal.count("(timer)") == 1);
  CHECK(server.journal.count("scripts/game.lua:3: interrupted after 100000 instructions of one "
                             "call (watch of board \"b\")") == 1);
  CHECK(server.host->stats().interrupted == 2);
  CHECK(server.host->stats().failed == 2);
}

TEST_CASE("a call may use its whole budget, and each call has its own") {
  // An empty loop takes one instruction per round.
  Server server("laurel.on('e', function(n) for i = 1, n do end laurel.emit('done') end)", kBudget);
  for (int i = 0; i < 10; ++i) server.emit("e", {99'000.0});
  CHECK(server.host->stats().interrupted == 0);
  server.emit("e", {101'000.0});
  CHECK(server.host->stats().interrupted == 1);
  server.emit("e", {99'000.0});
  CHECK(server.host->stats().interrupted == 1);
}

TEST_CASE("nested calls share the budget of the outer call") {
  Server server(R"(
    laurel.on('inner', function() for i = 1, 60000 do end laurel.emit('inner done') end)
    laurel.on('outer', function() laurel.emit('go') laurel.emit('outer goes on') end))",
                kBudget);
  server.also = [&server](std::string_view event, std::span<const EventValue>) {
    if (event != "go") return;
    server.emit("inner");
    server.emit("inner");
  };
  CHECK(server.emit("inner") == 1);
  CHECK(server.heard() == "inner done;");
  CHECK(server.emit("outer") == 1);
  CHECK(server.heard() == "go;inner done;");
  CHECK(server.host->stats().interrupted == 1);
  CHECK(server.host->stats().failed == 2);  // the second inner call, and the outer one with it
}

TEST_CASE("a budget is shared by all coroutines of a call") {
  Server server(R"(
    laurel.on('e', function(n)
      for i = 1, 10 do coroutine.wrap(function() for i = 1, n do end end)() end
      laurel.emit('done')
    end))",
                kBudget);
  server.emit("e", {9'000.0});
  CHECK(server.heard() == "done;");
  server.emit("e", {11'000.0});
  CHECK(server.heard().empty());
  CHECK(server.host->stats().interrupted == 1);
}

TEST_CASE("under a budget a script cannot turn on the JIT compiler or remove the budget") {
  Server server(R"(
    print('jit', jit.on, jit.off, jit.opt, jit.flush, jit.util, jit.version == require('jit').version)
    print('os', type(jit.os), type(jit.arch))
    print('opt', pcall(require, 'jit.opt'))
    print('util', pcall(require, 'jit.util'))
    print('profile', pcall(require, 'jit.profile'))
    print('loaded', package.loaded.jit == jit, package.loaded['jit.opt'])
    print('sethook', debug.sethook, type(debug.traceback)))",
                kBudget);
  const auto& log = server.journal;
  CAPTURE(log.all());
  CHECK(log.count("jit nil nil nil nil nil true") == 1);
  CHECK(log.count("os string string") == 1);
  CHECK(log.count("opt false module 'jit.opt' not found") == 1);
  CHECK(log.count("util false module 'jit.util' not found") == 1);
  CHECK(log.count("profile false module 'jit.profile' not found") == 1);
  CHECK(log.count("loaded true nil") == 1);
  CHECK(log.count("sethook nil function") == 1);
}

TEST_CASE("without a budget scripts are compiled, and have all of Lua") {
  Server server(
      "print(jit.status()) print(type(debug.sethook), type(jit.on), type(require 'jit.opt'))");
  CHECK(server.journal.count("scripts/game.lua: true") == 1);
  CHECK(server.journal.count("function function table") == 1);
}

TEST_CASE("under a budget xpcall works as usual, except for interruptions") {
  Server server(R"(
    print('a', xpcall(function(...) return select('#', ...), ... end, print, 1, nil, 3))
    print('b', xpcall(function() error('why', 0) end, function(e) return 'handled ' .. e end))
    print('c', xpcall(function() error({ code = 7 }) end, function(e) return e.code end))
    print('d', select('#', xpcall(error, function() end)))
    print('e', (select(2, pcall(xpcall))))
    print('f', (select(2, pcall(xpcall, print))))
    print('g', coroutine.wrap(function() return xpcall(coroutine.yield, print, 5) end)()))",
                kBudget);
  const auto& log = server.journal;
  CAPTURE(log.all());
  CHECK(log.count(": a true 3 1 nil 3") == 1);
  CHECK(log.count(": b false handled why") == 1);
  CHECK(log.count(": c false 7") == 1);
  CHECK(log.count(": d 2") == 1);
  CHECK(log.count(": e bad argument #2 to 'xpcall' (function expected, got nil)") == 1);
  CHECK(log.count(": f bad argument #2 to 'xpcall' (function expected, got nil)") == 1);
  CHECK(log.count(": g 5") == 1);
}

TEST_CASE("under a budget coroutines work as usual, up to a hundred levels deep") {
  Server server(R"(
    local co = coroutine.create(function(...)
      local a, b = coroutine.yield(select('#', ...), ...)
      pcall(coroutine.yield, a + b)
      error({ code = 7 })
    end)
    print('a', coroutine.resume(co, 1, nil))
    print('b', coroutine.resume(co, 2, 3))
    print('c', select(2, coroutine.resume(co)).code, coroutine.status(co))
    print('d', coroutine.resume(co))
    local next_of = coroutine.wrap(function() for i = 1, 2 do coroutine.yield(i, nil) end error('why', 0) end)
    print('e', next_of()) print('f', next_of()) print('g', pcall(next_of)) print('h', pcall(next_of))
    print('i', pcall(coroutine.resume, 5))
    local function deep(n) if n > 0 then coroutine.wrap(deep)(n - 1) end end
    print('j', pcall(deep, 100)) print('k', pcall(deep, 101)) print('l', pcall(deep, 100)))",
                kBudget);
  const auto& log = server.journal;
  CAPTURE(log.all());
  CHECK(log.count(": a true 2 1 nil") == 1);
  CHECK(log.count(": b true 5") == 1);
  CHECK(log.count(": c 7 dead") == 1);
  CHECK(log.count(": d false cannot resume dead coroutine") == 1);
  CHECK(log.count(": e 1 nil") == 1);
  CHECK(log.count(": f 2 nil") == 1);
  CHECK(log.count(": g false why") == 1);
  CHECK(log.count(": h false cannot resume dead coroutine") == 1);
  CHECK(log.count(": i false bad argument #1 to ") == 1);
  CHECK(log.count(": j true") == 1);
  CHECK(log.count("more than 100 coroutines within each other") == 1);
  CHECK(log.count(": l true") == 1);
}

TEST_CASE(
    "under a budget errors are not caught at the depth at which a recursion exhausted its stack") {
  Server server(R"(
    local depth, why, room = 0, nil, nil
    local function f()
      depth = depth + 1
      local ok, e = pcall(f)
      if ok or why then return end
      why = e
      room = select('#', unpack({}, 1, 500)) -- raises if there is less
    end
    f()
    print('deep', depth > 1000, room, why))",
                10'000'000);
  CAPTURE(server.journal.all());
  CHECK(server.journal.count("deep true 500 stack overflow") == 1);
}

TEST_CASE("under a budget load works as usual") {
  Server server(R"(
    local pieces = { 'return ', '1 + ', '2' }
    print('a', load(function() return table.remove(pieces, 1) end)())
    print('b', load(function() error('why', 0) end))
    print('c', load(function() return 5 end))
    print('d', load('return 4')())
    print('e', load('return x', 'named', 't', { x = 6 })())
    print('f', load(function() end)()) print('g', (select(2, load('x x', '=named')))))",
                kBudget);
  const auto& log = server.journal;
  CAPTURE(log.all());
  CHECK(log.count(": a 3") == 1);
  CHECK(log.count(": b nil why") == 1);
  CHECK(log.count(": c nil reader function must return a string") == 1);
  CHECK(log.count(": d 4") == 1);
  CHECK(log.count(": e 6") == 1);
  CHECK(log.count("info: scripts/game.lua: f") == 1);
  CHECK(log.count(": g named:1: ") == 1);
}

TEST_CASE("a budget out of its limits is refused") {
  for (const std::uint64_t wrong :
       {std::uint64_t{1}, kScriptInstructionsMin - 1, kScriptInstructionsMax + 1, UINT64_MAX}) {
    CAPTURE(wrong);
    Server server;
    ScriptHostOptions options;
    options.directory = server.folder.path();
    options.instructions = wrong;
    const auto refused = ScriptHost::open(*server.registry, std::move(options));
    REQUIRE_FALSE(refused);
    CHECK(refused.refusal().code() == Code::invalid);
    CHECK(refused.refusal().text().find("it takes 10000 to 1000000000, or 0 for no budget") !=
          std::string_view::npos);
  }
  for (const std::uint64_t right : {kScriptInstructionsMin, kScriptInstructionsMax}) {
    Server server("laurel.emit('runs')", right);
    CHECK(server.heard() == "runs;");
  }
}
