// A hostile or faulty rule does no lasting damage to its state.
#include "bindings/sandbox/sandbox.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <lua.hpp>

#include "base/limits.h"
#include "base/process/thread_time.h"
#include "bindings/sandbox/ample_time.h"
#include "bindings/sandbox/sandbox_library.h"

using namespace laurel;
using laurel::test::kAmpleNs;

namespace {

struct Chunk {
  std::string text;
};

int compile(lua_State* L) {
  const auto& chunk = *static_cast<const Chunk*>(lua_touserdata(L, 1));
  if (luaL_loadbuffer(L, chunk.text.data(), chunk.text.size(), "@rules/hostile.lua") != 0) {
    return lua_error(L);
  }
  push_sandbox_library(L);
  lua_setfenv(L, -2);
  return 1;
}

// Runs the chunk, which returns a number. Nothing if it failed.
std::optional<double> run(RuleState& state, const std::string& text) {
  Chunk chunk{text};
  lua_pushcfunction(state.lua(), compile);
  lua_pushlightuserdata(state.lua(), &chunk);
  if (!state.call(1, 1) || !state.call(0, 1)) {
    CHECK(lua_gettop(state.lua()) == 0);
    return std::nullopt;
  }
  const double result = lua_tonumber(state.lua(), -1);
  lua_settop(state.lua(), 0);
  return result;
}

struct Hostile {
  std::string name;
  std::string text;
  std::string failure;  // the expected error
};

constexpr const char* kInstructions = "more than 100000 instructions in one call";
constexpr const char* kBytes = "more than 1048576 bytes allocated in one call";

const Hostile kHostile[] = {
    {"an endless loop", "while true do end", kInstructions},
    {"an endless for", "for i = 1, math.huge do end", kInstructions},
    {"an endless repeat", "repeat until false", kInstructions},
    {"tail calls without end", "local function f() return f() end f()", kInstructions},
    {"two functions calling each other", "local g local function f() return g() end g = f f()",
     kInstructions},
    {"recursion without end", "local function f() return 1 + f() end f()", "stack overflow"},
    {"an iterator that never ends", "for _ in function() return 1 end do end", kInstructions},
    {"next around and around", "local t = {1} while true do next(t) end", kInstructions},
    {"a doubling string", "local s = 'x' while true do s = s .. s end", kBytes},
    {"a growing string",
     "local s = 'xxxxxxxxxxxxxxxx' while true do s = s .. 'xxxxxxxxxxxxxxxx' end", kBytes},
    {"a growing table", "local t = {} for i = 1, 1e9 do t[i] = {i} end", kBytes},
    {"tables without end", "local t while true do t = {t, {}, {}, {}, {}, {}, {}, {}} end", kBytes},
    {"closures without end", "local t while true do local u = t t = function() return u end end",
     kBytes},
    {"garbage without end", "local i = 0 while true do i = i + 1 local t = {i, i, i, i} end",
     kBytes},
    {"numbers as text without end",
     "local i = 0 while true do i = i + 1 local s = tostring(i) .. 'abcdefghijk' end",
     "more than "},
    {"unpacking a million", "return select('#', unpack({}, 1, 1e6))", "too many results"},
    {"pcall", "while true do pcall(function() while true do end end) end",
     "attempt to call global 'pcall'"},
    {"xpcall", "xpcall(function() end, function() while true do end end)",
     "attempt to call global 'xpcall'"},
    {"a coroutine", "coroutine.wrap(function() while true do end end)()",
     "attempt to index global 'coroutine'"},
    {"the string library", "local s = string.rep('x', 1e9)", "attempt to index global 'string'"},
    {"the string library by a string", "return (('x'):rep(1e9))", "attempt to index"},
    {"a pattern that takes for ever", "return (('a'):find(('a?'):rep(30)))", "attempt to index"},
    {"getmetatable", "getmetatable('').__index = {}", "attempt to call global 'getmetatable'"},
    {"setmetatable", "setmetatable({}, {__gc = 1})", "attempt to call global 'setmetatable'"},
    {"loadstring", "loadstring('while true do end')()", "attempt to call global 'loadstring'"},
    {"load", "load(function() end)", "attempt to call global 'load'"},
    {"dofile", "dofile('/etc/passwd')", "attempt to call global 'dofile'"},
    {"require", "require 'ffi'", "attempt to call global 'require'"},
    {"the engine", "jit.on()", "attempt to index global 'jit'"},
    {"the true globals", "getfenv(0).x = 1", "attempt to call global 'getfenv'"},
    {"the collector", "collectgarbage('stop')", "attempt to call global 'collectgarbage'"},
    {"print", "print('x')", "attempt to call global 'print'"},
    {"_G", "_G.type = nil", "attempt to index global '_G'"},
    {"randomness", "return math.random()", "attempt to call field 'random'"},
    {"an error that is a table", "error({})", "no text but a table value"},
    {"an error that is nil", "error(nil)", "no text but a nil value"},
    {"an error that is a number", "error(42)", "42"},
    {"an error that is a thousand lines", "error('\\n\\27[2J')", "\\n\\x1b[2J"},
};

}  // namespace

TEST_CASE("every hostile chunk ends with a reason, and the next call succeeds") {
  for (const Metering metering : {Metering::by_allocator, Metering::by_collector}) {
    CAPTURE(static_cast<int>(metering));
    RuleState state(metering, kAmpleNs);
    REQUIRE(run(state, "return 1") == 1);
    lua_gc(state.lua(), LUA_GCCOLLECT, 0);
    const std::size_t before = state.bytes();
    for (const Hostile& hostile : kHostile) {
      CAPTURE(hostile.name);
      const auto start = std::chrono::steady_clock::now();
      CHECK_FALSE(run(state, hostile.text));
      const auto took = std::chrono::steady_clock::now() - start;
      CAPTURE(state.failure());
      // Without the allocator garbage may be collected in time, and the instruction limit is
      // reached.
      const bool exact = metering == Metering::by_allocator || hostile.failure != kBytes;
      if (exact) {
        CHECK(state.failure().find(hostile.failure) != std::string::npos);
      }
      CHECK(state.failure().find('\n') == std::string::npos);
      // A generous limit, for a sanitized build on a busy machine. It must not run forever.
      CHECK(took < std::chrono::seconds(5));
      CHECK(run(state, "local t = {1, 2, 3} return #t + math.max(4, 5)") == 8);
    }
    lua_gc(state.lua(), LUA_GCCOLLECT, 0);
    CHECK(state.bytes() < before + 64 * 1024);
  }
}

TEST_CASE("the line that used up the budget is named") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  CHECK_FALSE(run(state, "local x = 1\n\nwhile true do x = x + 1 end"));
  CHECK(state.failure() == "rules/hostile.lua:3: more than 100000 instructions in one call");
}

TEST_CASE("the same call ends at the same instruction every time") {
  // The script counts its steps in a variable that survives the call.
  const auto steps = [](RuleState& state) {
    CHECK(run(state, "return 0"));
    Chunk chunk{
        "n = 0 return function() n = 0 while true do n = n + 1 end end, function() return n end"};
    lua_State* const L = state.lua();
    lua_pushcfunction(L, compile);
    lua_pushlightuserdata(L, &chunk);
    REQUIRE(state.call(1, 1));
    REQUIRE(state.call(0, 2));
    std::vector<double> counted;
    for (int i = 0; i < 3; ++i) {
      lua_pushvalue(L, 1);
      CHECK_FALSE(state.call(0, 0));
      lua_pushvalue(L, 2);
      REQUIRE(state.call(0, 1));
      counted.push_back(lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    return counted;
  };
  RuleState one(Metering::by_allocator, kAmpleNs);
  RuleState other(Metering::by_allocator, kAmpleNs);
  const std::vector<double> first = steps(one);
  CHECK(first[0] > 1000);
  CHECK(first[1] == first[0]);
  CHECK(first[2] == first[0]);
  CHECK(steps(other) == first);
}

// Waits for as long as a slow instruction takes, if the step is among the first 40 and a multiple
// of the upvalue: then the time is checked at each of the next instructions.
int wait_at_some(lua_State* L) {
  const auto step = static_cast<int>(lua_tonumber(L, 1));
  const auto every = static_cast<int>(lua_tonumber(L, lua_upvalueindex(1)));
  const bool slow = every > 0 && step <= 40 && step % every == 0;
  const std::uint64_t began = ticks_now();
  while (slow && ticks_now() - began < 100'000) {
  }
  return 0;
}

TEST_CASE("a call ends at the same instruction however often its time is checked") {
  // Returns how many steps the call did.
  const auto steps = [](const std::string& work, int slow_every) {
    RuleState state(Metering::by_allocator, kAmpleNs);
    CHECK(run(state, "return 0"));
    Chunk chunk{
        "n = 0 return function(wait_at_some) n = 0 while true do n = n + 1 wait_at_some(n) " +
        work + " end end, function() return n end"};
    lua_State* const L = state.lua();
    lua_pushcfunction(L, compile);
    lua_pushlightuserdata(L, &chunk);
    REQUIRE(state.call(1, 1));
    REQUIRE(state.call(0, 2));
    lua_pushvalue(L, 1);
    lua_pushnumber(L, slow_every);
    lua_pushcclosure(L, wait_at_some, 1);
    CHECK_FALSE(state.call(1, 0));
    CHECK(state.failure().find(kInstructions) != std::string::npos);
    lua_pushvalue(L, 2);
    REQUIRE(state.call(0, 1));
    return lua_tonumber(L, -1);
  };
  for (const std::string work : {"", "local s = tostring(n)", "local p = split('a,b,c,d', ',')"}) {
    CAPTURE(work);
    const double undisturbed = steps(work, 0);
    CHECK(undisturbed > 500);
    for (int every = 1; every <= 9; ++every) {
      CAPTURE(every);
      CHECK(steps(work, every) == undisturbed);
    }
  }
}

TEST_CASE("a budget applies to one call: a hundred calls just below it pass") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(run(state, "local n = 0 for i = 1, 49000 do n = i end return n") == 49000);
  }
  CHECK_FALSE(run(state, "local n = 0 for i = 1, 51000 do n = i end return n"));
}

TEST_CASE("garbage of many calls is collected, and no call is charged for another's") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(run(state, "local s = 'x' for i = 1, 17 do s = s .. s end return #s") == 131072);
  }
  CHECK(state.bytes() < kRuleStateBytesMax);
}

TEST_CASE("globals that a chunk sets are not seen by other chunks") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  CHECK(run(state, "math.max = function() return 7 end x = 1 return math.max(1, 2)") == 7);
  CHECK(run(state, "return x == nil and math.max(1, 2) or 0") == 2);
}

TEST_CASE("harmless functions are available") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  CHECK(run(state,
            "local n = 0 for _ in pairs{a=1, b=2} do n = n + 1 end for _, v in ipairs{5} do n = n "
            "+ v end "
            "assert(type(n) == 'number' and rawequal(n, n) and next{} == nil) "
            "return n + select('#', unpack{1, 2}) + tonumber('3') + #tostring(12) + "
            "math.floor(1.5)") == 15);
}

TEST_CASE("numbers are written and read as in plain Lua") {
  RuleState state(Metering::by_allocator, kAmpleNs);
  for (const char* const is : {"tostring(0.1) == '0.1'",
                               "tostring(1 / 3) == '0.33333333333333'",
                               "tostring(1e15) == '1e+15'",
                               "tostring(123456789012345) == '1.2345678901234e+14'",
                               "tostring(-7) == '-7'",
                               "tostring(1e-310) == 1e-310 .. ''",
                               "tostring(1e300) == '1e+300'",
                               "tostring(true) == 'true'",
                               "tostring(nil) == 'nil'",
                               "tostring({}) == 'table'",
                               "tonumber('12') == 12",
                               "tonumber(' 1.5e3 ') == 1500",
                               "tonumber('+3') == 3",
                               "tonumber('-.5') == -0.5",
                               "tonumber('5.') == 5",
                               "tonumber('0x1F') == 31",
                               "tonumber('1e309') == math.huge",
                               "tonumber('1e-400') == 0",
                               "tonumber('4.9406564584124654e-324') > 0",
                               "tonumber('') == nil",
                               "tonumber('1 2') == nil",
                               "tonumber('e5') == nil",
                               "tonumber('--1') == nil",
                               "tonumber('+-1') == nil",
                               "tonumber('1e') == nil",
                               "tonumber(7) == 7",
                               "tonumber({}) == nil",
                               "tonumber('ff', 16) == 255",
                               "tonumber('zz', 36) == 1295",
                               "tonumber('9', 8) == nil",
                               "tonumber('-101', 2) == -5",
                               "math.log(8, 2) == 3",
                               "#split('a,b,,c', ',') == 4",
                               "split('a,b,,c', ',')[3] == ''",
                               "split('', ',')[1] == ''",
                               "split('a<>b', '<>')[2] == 'b'",
                               "select('#', 1, nil, nil) == 3",
                               "select(-1, 1, 2) == 2",
                               "select('#', unpack({1, 2, 3}, 2)) == 2",
                               "select(5, 1) == nil"}) {
    CAPTURE(is);
    CHECK(run(state, std::string("if ") + is + " then return 1 end return 0") == 1);
  }
}
