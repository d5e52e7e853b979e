#include "bindings/read_options.h"

#include <array>

namespace laurel {

namespace {

// The first of these arguments that is a table; the last where none is.
int place_of_options(const Call& call, int first, int last) {
  int argument = first;
  while (argument < last && !lua_istable(call.L, call.index(argument))) ++argument;
  return argument;
}

}  // namespace

ReadOptions take_read_options(const Call& call, int first, int last,
                              std::span<const Option> known) {
  const int argument = place_of_options(call, first, last);
  if (call.absent(argument)) return {};
  check_options(call, argument, known);
  const ReadOptions options{.at = number_option(call, argument, "at"),
                            .confidence = number_option(call, argument, "confidence")};
  lua_settop(call.L, call.index(argument) - 1);
  return options;
}

std::optional<double> take_time_option(const Call& call, int first, int last) {
  constexpr std::array kAt = {Option{"at", LUA_TNUMBER}};
  return take_read_options(call, first, last, kAt).at;
}

}  // namespace laurel
