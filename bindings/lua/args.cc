#include "bindings/lua/args.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/lua/type_name.h"

namespace laurel {

ShortText short_text(std::string_view text) {
  ShortText out;
  const std::size_t size = std::min(text.size(), sizeof out.text - 1);
  std::copy_n(text.data(), size, out.text);
  out.text[size] = '\0';
  return out;
}

ShortText shown(std::string_view text, std::size_t bytes_max) {
  return short_text(escaped(text, bytes_max));
}

ShortText number_text(double number) { return short_text(fmt::format("{:.14g}", number)); }

double Call::whole(int argument) const {
  const double value = number(argument);
  if (value != std::floor(value)) {
    if (std::isnan(value)) bad(argument, "whole number expected, got nan");
    bad(argument, "whole number expected, got %s", number_text(value).text);
  }
  return value;
}

std::optional<std::size_t> Call::count_from_zero(int argument) const {
  const double value = whole(argument);
  if (value < 0) return std::nullopt;
  // 2^63: every smaller double converts, and no list is that long.
  return value < 9223372036854775808.0 ? static_cast<std::size_t>(value) : SIZE_MAX;
}

std::size_t Call::count(int argument) const { return count_from_zero(argument).value_or(0); }

std::size_t Call::position(int argument) const { return std::max<std::size_t>(count(argument), 1); }

void Call::table(int argument) const {
  if (lua_type(L, index(argument)) != LUA_TTABLE) wrong_type(argument, "table");
}

void Call::function(int argument) const {
  if (lua_type(L, index(argument)) != LUA_TFUNCTION) wrong_type(argument, "function");
}

int Call::array(int argument) const {
  table(argument);
  const int length = static_cast<int>(raw_length(L, index(argument)));
  int keys = 0;
  lua_pushnil(L);
  while (lua_next(L, index(argument)) != 0) {
    ++keys;
    lua_pop(L, 1);
    const double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (!(key >= 1 && key <= length && key == std::floor(key))) {
      bad(argument, "array expected, got a table with other keys");
    }
  }
  if (keys != length) bad(argument, "array expected, got a table with holes");
  return length;
}

void Call::strings(int argument) const {
  const int length = array(argument);
  for (int i = 1; i <= length; ++i) {
    lua_rawgeti(L, index(argument), i);
    if (lua_type(L, -1) != LUA_TSTRING) raise_item(argument, i);
    lua_pop(L, 1);
  }
}

int Call::read_strings(int argument, std::vector<std::string_view>& out) const {
  const int length = static_cast<int>(raw_length(L, index(argument)));
  for (int i = 1; i <= length; ++i) {
    lua_rawgeti(L, index(argument), i);
    const bool good = lua_type(L, -1) == LUA_TSTRING;
    if (good) out.push_back(string_at(L, -1));
    lua_pop(L, 1);
    if (!good) return i;
  }
  return 0;
}

void Call::raise_item(int argument, int item) const {
  lua_rawgeti(L, index(argument), item);
  bad(argument, "item %d: string expected, got %s", item, type_name(L, -1));
}

void Call::bad(int argument, const char* format, ...) const {
  std::va_list values;
  va_start(values, format);
  const char* why = lua_pushvfstring(L, format, values);
  va_end(values);
  luaL_error(L, "bad argument #%d to '%s' (%s)", argument, name, why);
  std::abort();  // luaL_error does not return
}

void Call::wrong_type(int argument, const char* expected) const {
  bad(argument, "%s expected, got %s", expected, type_at(index(argument)));
}

const char* Call::type_at(int stack_index) const {
  return lua_isnone(L, stack_index) ? "nil" : type_name(L, stack_index);
}

int refuse(lua_State* L, const Refusal& refusal) {
  lua_pushnil(L);
  push(L, refusal.text());
  return 2;
}

std::string error_text(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) {
    return fmt::format("(the error is a {})", type_name(L, index));
  }
  std::string_view rest = Call::string_at(L, index);
  std::string out;
  while (true) {
    const std::size_t end = rest.find('\n');
    out += escaped(rest.substr(0, end), kLogLineBytesMax);
    if (end == std::string_view::npos || out.size() > kLogLineBytesMax) return out;
    out += '\n';
    rest.remove_prefix(end + 1);
  }
}

}  // namespace laurel
