// table.h - sets fields of the table on top of the stack. All functions may raise when memory
// runs out.
#pragma once

#include <optional>
#include <string_view>

#include <lua.hpp>

#include "base/time.h"
#include "bindings/lua/args.h"

namespace laurel {

inline void set_number(lua_State* L, const char* field, double value) {
  push_number(L, value);
  lua_setfield(L, -2, field);
}

inline void set_text(lua_State* L, const char* field, std::string_view value) {
  push(L, value);
  lua_setfield(L, -2, field);
}

inline void set_time(lua_State* L, const char* field, Time time) {
  set_number(L, field, seconds_from_time(time));
}

// The set_optional_* functions do nothing if the value is absent.
template <typename Number>
void set_optional_number(lua_State* L, const char* field, std::optional<Number> value) {
  if (value) set_number(L, field, static_cast<double>(*value));
}

inline void set_optional_text(lua_State* L, const char* field,
                              std::optional<std::string_view> value) {
  if (value) set_text(L, field, *value);
}

inline void set_optional_time(lua_State* L, const char* field, std::optional<Time> time) {
  if (time) set_time(L, field, *time);
}

// Pushes an array; push_item pushes the value of each item.
template <typename List, typename Push>
void push_array(lua_State* L, const List& list, Push push_item) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  int index = 0;
  for (const auto& item : list) {
    push_item(L, item);
    lua_rawseti(L, -2, ++index);
  }
}

}  // namespace laurel
