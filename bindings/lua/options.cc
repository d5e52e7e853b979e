#include "bindings/lua/options.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "bindings/lua/type_name.h"

namespace laurel {

namespace {

constexpr std::size_t kOptionsMax = 16;  // of one table; those in this folder have fewer

// Returns the option's name that is nearest to the word, or an empty one. Does not raise, since it
// owns memory.
std::string_view nearest_option(std::string_view word, std::span<const Option> options) {
  std::array<std::string_view, kOptionsMax> names;
  std::transform(options.begin(), options.end(), names.begin(),
                 [](const Option& option) { return std::string_view(option.name); });
  return nearest(word, std::span(names).first(options.size()));
}

[[noreturn]] void raise_unknown(const Call& call, int argument, std::string_view name,
                                std::span<const Option> options) {
  const ShortText quoted = shown(name);
  const std::string_view meant = nearest_option(name, options);
  if (meant.empty()) call.bad(argument, "no field is called '%s'", quoted.text);
  call.bad(argument, "no field is called '%s'; did you mean '%s'?", quoted.text, meant.data());
}

void check_given(const Call& call, int argument, const Option& option) {
  push_option(call, argument, option.name);
  if (lua_isnil(call.L, -1)) {
    call.bad(argument, "field '%s': %s expected, got nil", option.name,
             lua_typename(call.L, option.type));
  }
  lua_pop(call.L, 1);
}

}  // namespace

void check_options(const Call& call, int argument, std::span<const Option> options) {
  const auto is_required = [](const Option& option) { return option.given == Given::always; };
  if (call.absent(argument) && std::ranges::none_of(options, is_required)) return;
  call.table(argument);
  lua_State* L = call.L;
  lua_pushnil(L);
  while (lua_next(L, call.index(argument)) != 0) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      call.bad(argument, "the names of fields are strings, got a %s", type_name(L, -2));
    }
    const std::string_view name = Call::string_at(L, -2);
    const auto known = std::find_if(options.begin(), options.end(),
                                    [&](const Option& option) { return name == option.name; });
    if (known == options.end()) raise_unknown(call, argument, name, options);
    if (known->type != LUA_TNONE && lua_type(L, -1) != known->type) {
      call.bad(argument, "field '%s': %s expected, got %s", known->name,
               lua_typename(L, known->type), type_name(L, -1));
    }
    lua_pop(L, 1);
  }
  for (const Option& option : options) {
    if (is_required(option)) check_given(call, argument, option);
  }
}

void push_option(const Call& call, int argument, const char* name) {
  if (call.absent(argument)) {
    lua_pushnil(call.L);
    return;
  }
  lua_pushstring(call.L, name);
  lua_rawget(call.L, call.index(argument));
}

namespace {

// A number in a table, as `read` takes it.
template <typename Read>
std::optional<double> read_number_option(const Call& call, int argument, const char* name,
                                         Read read) {
  push_option(call, argument, name);
  std::optional<double> value;
  if (lua_type(call.L, -1) == LUA_TNUMBER) value = read(call.L, -1);
  lua_pop(call.L, 1);
  return value;
}

}  // namespace

std::optional<double> number_option(const Call& call, int argument, const char* name) {
  return read_number_option(call, argument, name,
                            [](lua_State* L, int index) { return lua_tonumber(L, index); });
}

std::optional<double> score_option(const Call& call, int argument, const char* name) {
  return read_number_option(call, argument, name, score_at);
}

std::optional<std::string_view> string_option(const Call& call, int argument, const char* name) {
  push_option(call, argument, name);
  if (lua_type(call.L, -1) != LUA_TSTRING) return std::nullopt;
  return Call::string_at(call.L, -1);
}

std::optional<bool> boolean_option(const Call& call, int argument, const char* name) {
  push_option(call, argument, name);
  std::optional<bool> value;
  if (lua_type(call.L, -1) == LUA_TBOOLEAN) value = lua_toboolean(call.L, -1) != 0;
  lua_pop(call.L, 1);
  return value;
}

std::optional<double> whole_option(const Call& call, int argument, const char* name, double low,
                                   double high) {
  const std::optional<double> value = number_option(call, argument, name);
  if (value && !(*value >= low && *value <= high && *value == std::floor(*value))) {
    call.bad(argument, "field '%s' is %s; it takes a whole number from %s to %s", name,
             number_text(*value).text, number_text(low).text, number_text(high).text);
  }
  return value;
}

}  // namespace laurel
