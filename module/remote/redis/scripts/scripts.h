// scripts.h - the scripts that run in Redis. Each does one atomic operation on one shard, or on a
// board's own hash.
//
// Every script of a shard except roll gets a season as its first argument, and does nothing if the
// shard is in another one: it then answers {"season", known}, with 0 if the shard has none. If the
// second argument says so, a shard in an older season moves to the given one first. For past
// seasons "-" skips this check. The other arguments and answers are described above each text
// (script_texts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel::redis {

enum class Script : std::uint8_t {
  write,   // submissions, in order
  player,  // remove, leave, join, ban, unban, forget
  clear,
  roll,      // moves to a season; drops seasons that are not kept
  rows,      // entries in order
  counts,    // entries better and not worse than scores, and positions of rows
  find,      // entries of players
  settle,    // compares and sets a board's hash
  repeats,   // whether the id of a result was accepted
  attempts,  // how many results of a player were taken; grants more
  distinct,  // distinct scores in order
  extend,    // adds to the set of distinct scores
};

inline constexpr std::size_t kScripts = 12;

std::string_view source(Script script);

}  // namespace laurel::redis
