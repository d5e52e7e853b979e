#include "bindings/sandbox/sandbox_library.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/limits.h"
#include "bindings/lua/versions.h"
#include "bindings/sandbox/sandbox.h"

namespace laurel {

namespace {

// Lua's own functions that take no longer than two instructions, except `next` and `pairs` over a
// large emptied table: their time depends on its size, which Lua does not show. The time budget
// limits them.
constexpr const char* kOwnWords[] = {"type",  "next",   "pairs",   "ipairs",
                                     "error", "assert", "rawequal"};

// Costs in units.
constexpr int kFormatUnits = 100;     // a number as text or back: 0.1 to 0.3 us
constexpr int kMathUnits = 16;        // a sine or a logarithm: about 50 ns
constexpr int kRemainderUnits = 500;  // fmod divides bit by bit: 1.4 us for 1e308 by 1e-308
constexpr int kUnpackUnits = 2;       // per value
constexpr int kSelectedPerUnit = 2;
constexpr int kSplitUnits = 16;   // per byte: in the worst case a piece, 50 ns
constexpr int kBytesPerUnit = 4;  // of a text that is read

// ---- select("#" | n, ...), unpack(list [, i [, j]])

int select_word(lua_State* L) {
  const int values = lua_gettop(L) - 1;
  RuleState::charge(L, values / kSelectedPerUnit);
  if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
    push_number(L, values);
    return 1;
  }
  const double wanted = luaL_checknumber(L, 1);
  const double first = wanted < 0 ? values + wanted + 1 : wanted;
  luaL_argcheck(L, first >= 1, 1, "index out of range");
  return first > values ? 0 : values - static_cast<int>(first) + 1;
}

int unpack_word(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const double first = luaL_optnumber(L, 2, 1);
  const double last =
      lua_isnoneornil(L, 3) ? static_cast<double>(raw_length(L, 1)) : luaL_checknumber(L, 3);
  const double values = std::floor(last) - std::floor(first) + 1;
  if (!(values >= 1)) return 0;
  if (values > kUnpackMax || std::abs(first) > 1e9) {
    return luaL_error(L, "too many results to unpack: at most %d", kUnpackMax);
  }
  const int count = static_cast<int>(values);
  RuleState::charge(L, count * kUnpackUnits);
  luaL_checkstack(L, count, "too many results to unpack");
  for (int i = 0; i < count; ++i) lua_rawgeti(L, 1, static_cast<int>(std::floor(first)) + i);
  return count;
}

// ---- tonumber(value [, base]), tostring(value)

std::string_view short_text(lua_State* L, int index, const char* name) {
  std::size_t size = 0;
  const char* const bytes = luaL_checklstring(L, index, &size);
  if (size > kDataBytesMax) {
    luaL_error(L, "%s: a text of %d bytes; at most %d are looked at", name, static_cast<int>(size),
               static_cast<int>(kDataBytesMax));
  }
  return {bytes, size};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 36;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// tonumber with a base other than ten. Returns 0 and pushes nothing if the text is not a number.
int digits_to_number(lua_State* L, int base) {
  luaL_argcheck(L, base >= 2 && base <= 36, 2, "base out of range");
  std::string_view text = trimmed(short_text(L, 1, "tonumber"));
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  if (text.empty()) return 0;
  double value = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit >= base) return 0;
    value = value * base + digit;
  }
  push_number(L, negative ? -value : value);
  return 1;
}

// Parses a decimal number in Lua's syntax. Lua's own parser takes up to 35 us if the exponent is
// large.
std::optional<double> decimal(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::size_t first = text.find_first_not_of('-');
  const bool is_decimal = first != std::string_view::npos && first <= 1 &&
                          (text[first] == '.' || (text[first] >= '0' && text[first] <= '9'));
  if (!is_decimal) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses a decimal integer.
std::optional<lua_Integer> whole(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  lua_Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int tonumber_word(lua_State* L) {
  luaL_checkany(L, 1);
  const bool is_text = lua_type(L, 1) == LUA_TSTRING;
  std::string_view text;
  if (is_text) {
    text = short_text(L, 1, "tonumber");
    RuleState::charge(L, kFormatUnits + static_cast<int>(text.size()) / kBytesPerUnit);
  }
  if (!lua_isnoneornil(L, 2) && luaL_checknumber(L, 2) != 10) {
    if (digits_to_number(L, static_cast<int>(luaL_checknumber(L, 2))) == 0) lua_pushnil(L);
    return 1;
  }
  if (!is_text) {
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TNUMBER) lua_pushnil(L);
    return 1;
  }
  if (const auto digits = kHasIntegers ? whole(trimmed(text)) : std::nullopt) {
    lua_pushinteger(L, *digits);
  } else if (const auto value = decimal(trimmed(text))) {
    lua_pushnumber(L, *value);
  } else if (!push_number_in(L, 1)) {  // hexadecimal, or out of range, or not a number
    lua_pushnil(L);
  }
  return 1;
}

// As Lua's own tostring: fourteen digits, an integer as it is. In a Lua with integers, a float
// that is whole ends in ".0".
void push_as_text(lua_State* L, int index) {
  std::array<char, 32> text;
  char* end = nullptr;
  if (is_integer(L, index)) {
    end = std::to_chars(text.begin(), text.end(), lua_tointeger(L, index)).ptr;
  } else {
    const double number = lua_tonumber(L, index);
    end = std::to_chars(text.begin(), text.end(), number, std::chars_format::general, 14).ptr;
    const std::string_view shown(text.begin(), end);
    if (kHasIntegers && shown.find_first_not_of("-0123456789") == std::string_view::npos) {
      *end++ = '.';
      *end++ = '0';
    }
  }
  lua_pushlstring(L, text.data(), static_cast<std::size_t>(end - text.data()));
}

int tostring_word(lua_State* L) {
  luaL_checkany(L, 1);
  switch (lua_type(L, 1)) {
    case LUA_TSTRING: lua_settop(L, 1); return 1;
    case LUA_TNUMBER:
      RuleState::charge(L, kFormatUnits);
      push_as_text(L, 1);
      return 1;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, 1) != 0 ? "true" : "false"); return 1;
    default: lua_pushstring(L, luaL_typename(L, 1)); return 1;
  }
}

// ---- split(text, separator): an array of the pieces between, empty ones included

int split_word(lua_State* L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TSTRING);
  std::string_view text = short_text(L, 1, "split");
  RuleState::charge(L, kSplitUnits + static_cast<int>(text.size()) * kSplitUnits);
  const std::string_view separator = short_text(L, 2, "split");
  luaL_argcheck(L, !separator.empty(), 2, "empty separator");
  lua_settop(L, 2);
  lua_newtable(L);
  for (int piece = 1;; ++piece) {
    const std::size_t end = text.find(separator);
    lua_pushlstring(L, text.data(), end == std::string_view::npos ? text.size() : end);
    lua_rawseti(L, 3, piece);
    if (end == std::string_view::npos) return 1;
    text.remove_prefix(end + separator.size());
  }
}

// ---- math

template <double (*function)(double), int units = kMathUnits>
int math_word(lua_State* L) {
  RuleState::charge(L, units);
  lua_pushnumber(L, function(luaL_checknumber(L, 1)));
  return 1;
}

template <double (*function)(double, double), int units = kMathUnits>
int math_word(lua_State* L) {
  RuleState::charge(L, units);
  lua_pushnumber(L, function(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
  return 1;
}

// math.log(x [, base]): Lua 5.1 has no base, LuaJIT has.
int log_word(lua_State* L) {
  RuleState::charge(L, kMathUnits);
  const double x = luaL_checknumber(L, 1);
  lua_pushnumber(
      L, lua_isnoneornil(L, 2) ? std::log(x) : std::log(x) / std::log(luaL_checknumber(L, 2)));
  return 1;
}

// math.atan(y [, x]): x from 5.3 on.
int atan_word(lua_State* L) {
  RuleState::charge(L, kMathUnits);
  const double y = luaL_checknumber(L, 1);
  lua_pushnumber(L, kHasIntegers ? std::atan2(y, luaL_optnumber(L, 2, 1)) : std::atan(y));
  return 1;
}

// math.fmod(x, y): of two integers an integer.
int fmod_word(lua_State* L) {
  if (!is_integer(L, 1) || !is_integer(L, 2)) return math_word<::fmod, kRemainderUnits>(L);
  const lua_Integer x = lua_tointeger(L, 1);
  const lua_Integer y = lua_tointeger(L, 2);
  luaL_argcheck(L, y != 0, 2, "zero");
  lua_pushinteger(L, y == -1 ? 0 : x % y);  // the least integer by -1 would overflow
  return 1;
}

constexpr luaL_Reg kWords[] = {{"select", select_word},
                               {"unpack", unpack_word},
                               {"tonumber", tonumber_word},
                               {"tostring", tostring_word},
                               {"split", split_word}};

// Functions and constants of math that are Lua's own. The last five are for 5.3 and later.
constexpr const char* kOwnMath[] = {
    "abs",  "ceil", "deg", "floor", "frexp",      "huge",       "ldexp",     "max",  "min",
    "modf", "pi",   "rad", "sqrt",  "maxinteger", "mininteger", "tointeger", "type", "ult"};

constexpr luaL_Reg kMath[] = {
    {"acos", math_word<::acos>},   {"asin", math_word<::asin>}, {"atan", atan_word},
    {"atan2", math_word<::atan2>}, {"cos", math_word<::cos>},   {"cosh", math_word<::cosh>},
    {"exp", math_word<::exp>},     {"fmod", fmod_word},         {"log", log_word},
    {"log10", math_word<::log10>}, {"pow", math_word<::pow>},   {"sin", math_word<::sin>},
    {"sinh", math_word<::sinh>},   {"tan", math_word<::tan>},   {"tanh", math_word<::tanh>},
};

// Sets the functions in the table on top of the stack.
template <std::size_t n>
void set_words(lua_State* L, const luaL_Reg (&words)[n]) {
  for (const luaL_Reg& word : words) {
    lua_pushcfunction(L, word.func);
    lua_setfield(L, -2, word.name);
  }
}

}  // namespace

void push_sandbox_library(lua_State* L) {
  lua_createtable(L, 0, 16);
  for (const char* const name : kOwnWords) {
    lua_getglobal(L, name);
    lua_setfield(L, -2, name);
  }
  set_words(L, kWords);
  lua_newtable(L);
  lua_getglobal(L, "math");
  for (const char* const name : kOwnMath) {
    lua_getfield(L, -1, name);  // nil if this Lua does not have it
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
  set_words(L, kMath);
  lua_setfield(L, -2, "math");
}

}  // namespace laurel
