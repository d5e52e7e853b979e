// options.h - options tables: the call raises if a field is unknown or has a wrong type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <lua.hpp>

#include "bindings/lua/args.h"

namespace laurel {

enum class Given : std::uint8_t {
  maybe,
  always,  // required
};

struct Option {
  const char* name;
  int type;  // LUA_TNUMBER, ...; LUA_TNONE: the caller checks the type
  Given given = Given::maybe;
};

// Raises unless argument `argument` is a table that has all required fields and no fields except
// these. If no field is required, the table may be absent.
//   bad argument #1 to 'open' (field 'path': string expected, got number)
//   bad argument #1 to 'open' (no field is called 'clok'; did you mean 'clock'?)
//   bad argument #1 to 'save_player' (field 'id': string expected, got nil)
void check_options(const Call& call, int argument, std::span<const Option> options);

// Returns a field's value, or nothing if it is absent. string_option leaves the string on the
// stack: the view is valid while it is there. REQUIRES: check_options passed.
std::optional<double> number_option(const Call& call, int argument, const char* name);
std::optional<std::string_view> string_option(const Call& call, int argument, const char* name);
std::optional<bool> boolean_option(const Call& call, int argument, const char* name);
// A score; see score_at() in args.h.
std::optional<double> score_option(const Call& call, int argument, const char* name);
// A whole number from low to high; raises otherwise.
std::optional<double> whole_option(const Call& call, int argument, const char* name, double low,
                                   double high);
// Pushes a field's value, or nil.
void push_option(const Call& call, int argument, const char* name);

}  // namespace laurel
