// read_options.h - the options table of a read, its last argument: { at = time } reads a rolling
// board as of a later time, { confidence = 0.999 } reads only a part of a sharded board,
// { with = { "kills" } } adds to each entry the player's scores on local boards, and
// { overall = true } adds the rank on the whole board to the entries of a segment.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "bindings/lua/options.h"
#include "rank/tree/ranking.h"

namespace laurel {

struct ReadOptions {
  bool given = false;             // reading them may have run a finalizer
  std::optional<double> at = {};  // Unix seconds
  std::optional<double> confidence = {};
  bool overall = false;
  int with = 0;  // the stack index of the array of names; 0: not given
};

// Reads the options table of a call, which is one of the arguments from `first` to `last`. Removes
// it and what follows it from the stack, and leaves the array of `with` in its place. Raises as
// check_options does.
ReadOptions take_options(const Call& call, int first, int last, std::span<const Option> known);

// { at = time } only.
inline ReadOptions time_option(const Call& call, int first, int last) {
  constexpr std::array kAt = {Option{"at", LUA_TNUMBER}};
  return call.arguments() < first ? ReadOptions() : take_options(call, first, last, kAt);
}

// { with = names } only.
inline ReadOptions with_option(const Call& call, int argument) {
  constexpr std::array kWith = {Option{"with", LUA_TTABLE}};
  return call.arguments() < argument ? ReadOptions()
                                     : take_options(call, argument, argument, kWith);
}

// { with = names, overall = truth }.
inline ReadOptions entry_options(const Call& call, int argument) {
  constexpr std::array kKnown = {Option{"with", LUA_TTABLE}, Option{"overall", LUA_TBOOLEAN}};
  return call.arguments() < argument ? ReadOptions()
                                     : take_options(call, argument, argument, kKnown);
}

// { at = time, with = names, overall = truth }.
inline ReadOptions list_options(const Call& call, int argument) {
  constexpr std::array kKnown = {Option{"at", LUA_TNUMBER}, Option{"with", LUA_TTABLE},
                                 Option{"overall", LUA_TBOOLEAN}};
  return call.arguments() < argument ? ReadOptions()
                                     : take_options(call, argument, argument, kKnown);
}

// The options of `top`, which follow n. Both together are refused as unsupported.
Status read_top_options(const Call& call, ReadOptions& out);

// A ranking by its name, or nothing if the argument is absent. Refuses an unknown name.
Status read_ranking(const Call& call, int argument, std::optional<Ranking>& out);

}  // namespace laurel
