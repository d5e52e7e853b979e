// lua_args.h - reading what a script hands in, and failing in the called function's own name.
//
// Every wrapped function has three steps: read (may raise, owns nothing), act (plain C++, no Lua),
// answer (may raise again, still owns nothing). A Lua error may be a longjmp that runs no
// destructor, so nothing here owns memory and no raising call is made while something does.
//
//   argument   counted as scripts count: self is none of them. nil and absent are the same.
//   message    "bad argument #2 to 'submit' (number expected, got string)", in the manner of Lua's
//              own library, and the same however the call is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <lua.hpp>

#include "base/result.h"

namespace laurel {

// Text of bounded size on the C++ stack: survives nothing and leaks nothing when an error passes.
struct ShortText {
  char text[256];
};
// Quoted in messages: control bytes escaped, cut where long.
ShortText shown(std::string_view text, std::size_t bytes_max = 60);

// A function's name as a template's argument.
template <std::size_t n>
struct FunctionName {
  constexpr FunctionName(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT: implicit

  char text[n];
};

// One call of a function from Lua.
struct Call {
  lua_State* L;
  const char* name;  // as scripts call it
  int self = 1;      // 1 for a method, whose object stands before the arguments; else 0

  int index(int argument) const { return self + argument; }
  int arguments() const { return lua_gettop(L) - self; }  // that were given
  bool absent(int argument) const { return lua_isnoneornil(L, index(argument)); }
  std::string_view string(int argument) const {
    if (lua_type(L, index(argument)) != LUA_TSTRING) wrong_type(argument, "string");
    return string_at(L, index(argument));
  }
  double number(int argument) const {
    if (lua_type(L, index(argument)) != LUA_TNUMBER) wrong_type(argument, "number");
    return lua_tonumber(L, index(argument));
  }
  std::optional<std::string_view> optional_string(int argument) const {
    if (absent(argument)) return std::nullopt;
    return string(argument);
  }
  std::optional<double> optional_number(int argument) const {
    if (absent(argument)) return std::nullopt;
    return number(argument);
  }
  // A whole number: 0 for all below 1, SIZE_MAX for all that is larger still, infinity included.
  std::size_t count(int argument) const;
  // Likewise, and 1 for all below 1.
  std::size_t position(int argument) const;
  // As count, where 0 is a count like any other: nothing for all below 0.
  std::optional<std::size_t> count_from_zero(int argument) const;
  void table(int argument) const;
  void function(int argument) const;
  // A table that is an array: its length. Raises when it has other keys than 1, 2, ... length.
  int array(int argument) const;
  // An array whose items are strings.
  void strings(int argument) const;
  // Appends an array's strings, which live as long as the array does and nothing of Lua runs.
  // Stops at an item of another type and returns its index, for raise_item; else returns 0.
  int read_strings(int argument, std::vector<std::string_view>& out) const;
  [[noreturn]] void raise_item(int argument, int item) const;

  // bad argument #N to 'name' (...): the format is lua_pushfstring's.
  [[noreturn]] void bad(int argument, const char* format, ...) const;
  [[noreturn]] void wrong_type(int argument, const char* expected) const;

  // Lua's name for the type of a value; of one that is absent "nil".
  const char* type_at(int stack_index) const;

  // REQUIRES: a string is there.
  static std::string_view string_at(lua_State* L, int stack_index) {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(L, stack_index, &size);
    return {bytes, size};
  }
};

// nil, "word: sentence".
int refuse(lua_State* L, const Refusal& refusal);

inline void push(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
}

// Gives a wrapped function the last word on C++ exceptions, which Lua would show as "C++ exception"
// or, without unwinding, not survive. Never catch (...) here: that is also how a Lua error travels,
// and swallowing one corrupts the script's control flow.
template <lua_CFunction F>
int guarded(lua_State* L) {
  ShortText what;
  try {
    return F(L);
  } catch (const std::exception& error) {
    what = shown(error.what());
  }
  return luaL_error(L, "laurel: internal error: %s", what.text);
}

}  // namespace laurel
