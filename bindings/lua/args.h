// args.h - reading the arguments of a call, and raising errors that name the called function.
//
// Every wrapped function has three steps: read (may raise, owns nothing), act (plain C++, no Lua),
// answer (may raise again, still owns nothing). A Lua error may be a longjmp that runs no
// destructor. So nothing in this file owns memory, and no call that may raise is made while a C++
// object on the stack owns memory.
//
//   argument   counted as scripts count, without self. nil and absent are the same.
//   message    "bad argument #2 to 'submit' (number expected, got string)", in the style of Lua's
//              own library. It does not depend on how the function was called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/checks.h"
#include "base/memory_guarantee.h"
#include "base/result.h"
#include "bindings/lua/versions.h"

namespace laurel {

class ScoreColumns;

// Text of bounded size on the C++ stack: needs no destructor, so it leaks nothing on a longjmp.
struct ShortText {
  char text[256];
};
// Text to quote in a message: control bytes escaped, cut to bytes_max.
ShortText shown(std::string_view text, std::size_t bytes_max = 60);
// The text as it is, cut to what fits.
ShortText short_text(std::string_view text);
// A number for a message. Lua's own %f would show 5 as 5.0 from 5.3 on.
ShortText number_text(double number);

// The number at an index as a score, or inexact_whole(). REQUIRES: there is a number.
inline double score_at(lua_State* L, int index) {
  return loses_digits(L, index) ? inexact_whole() : lua_tonumber(L, index);
}

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
  int self = 1;      // 1 for a method, whose object precedes the arguments; else 0
  // The columns of the board that is called, valid while no Lua code runs. Null: its scores are
  // plain numbers.
  const ScoreColumns* columns = nullptr;

  int index(int argument) const { return self + argument; }
  int arguments() const { return lua_gettop(L) - self; }  // number of arguments given
  bool absent(int argument) const { return lua_isnoneornil(L, index(argument)); }
  std::string_view string(int argument) const {
    if (lua_type(L, index(argument)) != LUA_TSTRING) wrong_type(argument, "string");
    return string_at(L, index(argument));
  }
  double number(int argument) const {
    if (lua_type(L, index(argument)) != LUA_TNUMBER) wrong_type(argument, "number");
    return lua_tonumber(L, index(argument));
  }
  // As number, but an integer with too many digits is inexact_whole().
  double score(int argument) const {
    if (lua_type(L, index(argument)) != LUA_TNUMBER) wrong_type(argument, "number");
    return score_at(L, index(argument));
  }
  std::optional<std::string_view> optional_string(int argument) const {
    if (absent(argument)) return std::nullopt;
    return string(argument);
  }
  std::optional<double> optional_number(int argument) const {
    if (absent(argument)) return std::nullopt;
    return number(argument);
  }
  // A whole number, or an infinity, else raises.
  double whole(int argument) const;
  // A whole number, else raises. Below 1 it is 0; from 2^63 on, infinity included, SIZE_MAX.
  std::size_t count(int argument) const;
  // As count, but below 1 it is 1.
  std::size_t position(int argument) const;
  // As count, but below 0 it is nothing.
  std::optional<std::size_t> count_from_zero(int argument) const;
  void table(int argument) const;
  void function(int argument) const;
  // Returns the length of an array. Raises if it has other keys than 1, 2, ... length.
  int array(int argument) const;
  // Raises unless the argument is an array of strings.
  void strings(int argument) const;
  // Appends an array's strings. The views are valid as long as the array lives and no Lua code
  // runs. Stops at an item of another type and returns its index, for raise_item; else returns 0.
  int read_strings(int argument, std::vector<std::string_view>& out) const;
  [[noreturn]] void raise_item(int argument, int item) const;

  // Raises "bad argument #N to 'name' (...)"; the format is that of lua_pushfstring.
  [[noreturn]] void bad(int argument, const char* format, ...) const;
  [[noreturn]] void wrong_type(int argument, const char* expected) const;

  // Lua's name for the type of a value; "nil" if it is absent.
  const char* type_at(int stack_index) const;

  // REQUIRES: the value is a string.
  static std::string_view string_at(lua_State* L, int stack_index) {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(L, stack_index, &size);
    return {bytes, size};
  }
};

// Pushes nil, "code: message"; returns 2.
int refuse(lua_State* L, const Refusal& refusal);

// The text of an error value, with control bytes escaped except line ends.
std::string error_text(lua_State* L, int index);

inline void push(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
}

// Turns C++ exceptions of a wrapped function into Lua errors. Lua itself would show them as "C++
// exception" or, without unwinding, crash. Never catch (...): Lua errors may be exceptions too, and
// swallowing one corrupts the script's control flow. A call that ran out of memory changed nothing
// (base/memory_guarantee.h), and refuses.
template <lua_CFunction F>
int guarded(lua_State* L) {
  ShortText what;
  bool has_memory = true;
  try {
    return F(L);
  } catch (const std::bad_alloc&) {
    has_memory = false;
  } catch (const std::exception& error) {
    what = shown(error.what());
  }
  if (!has_memory) return refuse(L, no_memory());
  return luaL_error(L, "laurel: internal error: %s", what.text);
}

}  // namespace laurel
