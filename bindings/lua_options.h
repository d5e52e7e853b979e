// lua_options.h - options tables: every field named, typed and known, or the call raises.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <lua.hpp>

#include "bindings/lua_args.h"

namespace laurel {

enum class Given : std::uint8_t {
  maybe,
  always,  // required
};

struct Option {
  const char* name;
  int type;  // LUA_TNUMBER, ...; LUA_TNONE: the caller looks
  Given given = Given::maybe;
};

// Raises unless argument `argument` is a table with no other fields than these and all that are
// required. Where none is, the table may be absent.
//   bad argument #1 to 'open' (field 'path': string expected, got number)
//   bad argument #1 to 'open' (no field is called 'clok'; did you mean 'clock'?)
//   bad argument #1 to 'save_player' (field 'id': string expected, got nil)
void check_options(const Call& call, int argument, std::span<const Option> options);

// A field's value; nothing when it is not given. A string stays on the stack and is good as long.
// REQUIRES: check_options passed.
std::optional<double> number_option(const Call& call, int argument, const char* name);
std::optional<std::string_view> string_option(const Call& call, int argument, const char* name);
std::optional<bool> boolean_option(const Call& call, int argument, const char* name);
// A whole number within low and high; else raises, saying so.
std::optional<double> whole_option(const Call& call, int argument, const char* name, double low,
                                   double high);
// Pushes a field's value, or nil.
void push_option(const Call& call, int argument, const char* name);

}  // namespace laurel
