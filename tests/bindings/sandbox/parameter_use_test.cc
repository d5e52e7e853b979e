// How a function is found to use its parameter.
#include "bindings/sandbox/parameter_use.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <lua.hpp>

using namespace laurel;

namespace {

struct CloseState {
  void operator()(lua_State* L) const { lua_close(L); }
};

constexpr std::string_view kNames[] = {"player", "score", "data", "at", "board", "held"};

// The use of a function's parameter: "reads score held", "reads nothing known", "nothing" or
// "more".
std::string use(const std::string& function, int parameter = 0) {
  const std::unique_ptr<lua_State, CloseState> state(luaL_newstate());
  lua_State* const L = state.get();
  luaL_openlibs(L);
  const std::string text = "local f, u, rawget = ... return " + function;
  if (luaL_loadstring(L, text.c_str()) != 0 || lua_pcall(L, 0, 1, 0) != 0) {
    FAIL(lua_tostring(L, -1));
  }
  const ParameterUse found = use_of_parameter(L, 1, parameter, kNames);
  CHECK(lua_gettop(L) == 1);
  if (!found.only_reads()) return "more";
  if (found.none()) return "nothing";
  std::string names = "reads";
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if ((found.fields >> i & 1) != 0) names += fmt::format(" {}", kNames[i]);
  }
  return names == "reads" ? "reads nothing known" : names;
}

// A function with this body, whose first parameter is `s`.
std::string of(const std::string& body) { return "function(s, old) " + body + " end"; }

}  // namespace

TEST_CASE("the fields that a function reads are found by name") {
  CHECK(use(of("return s.score < 1e300")) == "reads score");
  CHECK(use(of("return s['score'] < 10, 'too good to be true'")) == "reads score");
  CHECK(use(of("return s.data, s.at, s.score")) == "reads score data at");
  CHECK(use(of("return s.held and s.held.score or s.board")) == "reads board held");
  CHECK(use(of("local h = s.held return h")) == "reads held");
  CHECK(use(of("return old == nil or s.score > old")) == "reads score");
  CHECK(use(of("return not s.data")) == "reads data");
  CHECK(use(of("return s.player .. ' ' .. s.board .. old")) == "reads player board");
  CHECK(use(of("return { s.score, at = s.at }")) == "reads score at");
  CHECK(use(of("f(s.score) u = s.at return f(s.data, old)")) == "reads score data at");
  CHECK(use(of("local t = {} t.x = s.score t[1] = s.at t[s.data] = old return t")) ==
        "reads score data at");
  CHECK(use(of("if s.score == 1 then return s.player elseif s.at < 2 then return end")) ==
        "reads player score at");
  CHECK(use(of("for i = 1, s.score do if i > s.at then break end end")) == "reads score at");
  CHECK(use(of("for k, v in pairs(s.held) do f(k, v) end")) == "reads held");
  CHECK(use(of("while s.score > 3 do old = s.at repeat local q = s.data until q end")) ==
        "reads score data at");
  CHECK(use(of("goto on do f() end ::on:: return s.score")) == "reads score");
  CHECK(use(of("return s.scroe")) == "reads nothing known");
  CHECK(use(of("s.held.score = 3")) == "reads held");
  CHECK(use(of("return #s.player, -s.score, s.score ^ 2, 2 % s.score")) == "reads player score");
}

TEST_CASE("a parameter that a function does not use is found to be unused") {
  CHECK(use("function() return 1 end") == "nothing");
  CHECK(use("function(s) end") == "nothing");
  CHECK(use("function(s, old) return old end") == "nothing");
  CHECK(use("function(s, old) local a, b, c f(a, b, old) return f(c) end") == "nothing");
  CHECK(use("function(old, new) return new end", 0) == "nothing");
  CHECK(use("function(old, new) return new end", 2) == "nothing");
  CHECK(use("function(old, new) local a, b = 1, 2 return f(a, b) end", 2) == "nothing");
  CHECK(use("function(old, new) return function() return new end end", 2) == "nothing");
}

TEST_CASE("each parameter is examined separately") {
  const std::string score = "function(old, new, s) return math.max(old or new, new), s.data end";
  CHECK(use(score, 0) == "more");
  CHECK(use(score, 1) == "more");
  CHECK(use(score, 2) == "reads data");
  CHECK(use("function(old, new, s) return old end", 2) == "nothing");
  CHECK(use("function(a, s, b) a = nil s = nil b = nil return s.score end", 1) == "more");
  CHECK(use("function(old, new, s) return s.score end", 0) == "nothing");
  CHECK(use("function(old, new, s) return new + s.score end", 0) == "nothing");
}

TEST_CASE("a parameter that is passed on may be used for anything") {
  for (const char* body : {
           "return s",
           "return 1, s",
           "return s.score, s",
           "return (s)",
           "return f(), s",
           "return s, f()",
           "return s and s.score",
           "return s.score and s",
           "return old or s",
           "return not s",
           "local t = s return t.score",
           "local t t = s return t.score",
           "local a, t = 1, s return t.score",
           "return { s }",
           "return { s.score, s }",
           "return { x = s }",
           "return { [s] = 1 }",
           "old.x = s",
           "old[1] = s",
           "old[s] = 1",
           "return old[s]",
           "u = s",
           "g = s",
           "f(s)",
           "f(1, s)",
           "f(s.score, s)",
           "return f(s)",
           "return f(s, s.score)",
           "return f(1, s)",
           "return f(s, f())",
           "for k, v in pairs(s) do f(k, v) end",
           "for k, v in next, s do f(k, v) end",
           "for k, v in s do f(k, v) end",
           "for i = s, 2 do end",
           "return s == old",
           "return old == s",
           "return s ~= nil",
           "return s == 'x'",
           "return s == 1",
           "return s < old",
           "return old <= s",
           "return s .. ''",
           "return '' .. s",
           "return 1 .. s .. 2",
           "return s + 1",
           "return 1 - s",
           "return old * s",
           "return s ^ 2",
           "return -s",
           "return #s",
           "if s then return 1 end",
           "if not s then return 1 end",
           "while s do f() end",
           "repeat f() until s",
           "s.score = 1",
           "s.score = s.score",
           "s[1] = 1",
           "s[old] = 1",
           "s.held = nil",
           "return s[old]",
           "return s[1]",
           "return s[1000]",
           "return s[1.5]",
           "local k = 'score' return s[k]",
           "return s:score()",
           "return s.score(s)",
           "s()",
           "return s()",
           "s = nil return 1",
           "s = { score = 1 } return s.score",
           "s = s.score return 1",
           "s, old = old, 1 return s.score",
           "s = f() return s.score",
           "local function g() return s end return g().score",
           "return function() return s.score end",
           "return f(function() return s end)",
           "f(function() s = nil end) return s.score",
           "return f(function() return 1 end)",
       }) {
    CAPTURE(body);
    CHECK(use(of(body)) == "more");
  }
}

TEST_CASE("a function that is not a plain Lua function may do anything") {
  CHECK(use("function(...) return ... end") == "more");
  CHECK(use("function(s, ...) return s.score end") == "more");
  CHECK(use("function(...) return 1 end", 3) == "more");
  CHECK(use("math.max") == "more");
  CHECK(use("print") == "more");
  CHECK(use("next", 5) == "more");
  CHECK(use("coroutine.wrap(function() end)") == "more");
}

TEST_CASE("a field name that does not fit an instruction counts as any use") {
  std::string constants = "f('a0'";
  for (int i = 1; i < 200; ++i) constants += fmt::format(", 'a{}'", i);
  CHECK(use(of(constants + ") return s.score")) == "reads score");
  constants += ") f('b0'";
  for (int i = 1; i < 100; ++i) constants += fmt::format(", 'b{}'", i);
  CHECK(use(of(constants + ") return s.score")) == "more");
}

TEST_CASE("a function that is too long is not examined") {
  std::string sum = "return s.score";
  for (int i = 0; i < kReadInstructionsMax / 2; ++i) sum += " + 1";
  CHECK(use(of(sum)) == "reads score");
  for (int i = 0; i < kReadInstructionsMax / 2; ++i) sum += " + 1";
  CHECK(use(of(sum)) == "more");
}
