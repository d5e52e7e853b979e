#include "bindings/handle/read_options.h"

#include <array>

#include "board/spec/spec.h"

namespace laurel {

namespace {

// Returns the first of these arguments that is a table, or the last argument if none is.
int place_of_options(const Call& call, int first, int last) {
  int argument = first;
  while (argument < last && !lua_istable(call.L, call.index(argument))) ++argument;
  return argument;
}

}  // namespace

ReadOptions take_options(const Call& call, int first, int last, std::span<const Option> known) {
  const int argument = place_of_options(call, first, last);
  if (call.absent(argument)) return {};
  check_options(call, argument, known);
  ReadOptions options{.given = true,
                      .at = number_option(call, argument, "at"),
                      .confidence = number_option(call, argument, "confidence"),
                      .overall = boolean_option(call, argument, "overall").value_or(false)};
  push_option(call, argument, "with");
  const int place = call.index(argument);
  lua_replace(call.L, place);
  const bool with = lua_istable(call.L, place);
  lua_settop(call.L, with ? place : place - 1);
  if (with) options.with = place;
  return options;
}

Status read_top_options(const Call& call, ReadOptions& out) {
  constexpr std::array kKnown = {Option{"at", LUA_TNUMBER}, Option{"confidence", LUA_TNUMBER},
                                 Option{"with", LUA_TTABLE}, Option{"overall", LUA_TBOOLEAN}};
  out = take_options(call, 2, 2, kKnown);
  if (!out.at || !out.confidence) return Done{};
  return Refusal(Code::unsupported,
                 "no engine takes both 'at' and 'confidence': 'at' is for \"rolling\" boards, "
                 "'confidence' for \"sharded\" ones");
}

Status read_ranking(const Call& call, int argument, std::optional<Ranking>& out) {
  const std::optional<std::string_view> asked = call.optional_string(argument);
  if (!asked) return Done{};
  const Result<Ranking> known = to_ranking(*asked);
  if (!known) return known.refusal();
  out = *known;
  return Done{};
}

}  // namespace laurel
