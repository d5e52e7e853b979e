// scripts.h - the scripts that run in Redis: each does one thing to one shard, or to a board's own
// hash, as one step that nothing comes between.
//
// Every script of a shard is told a season first, and does nothing when the shard knows another: it
// answers {"season", known}, 0 where it knows none. With `roll` a shard that knows an older one
// goes on to the one told. "-" in place of the season leaves that out, for seasons that have ended.
// What they take and answer otherwise stands above each text (script_texts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel::redis {

enum class Script : std::uint8_t {
  write,   // submissions, in order
  player,  // remove, leave, join, ban, unban, forget
  clear,
  roll,    // on to a season; drops what is not kept
  rows,    // entries in order
  counts,  // how many are better and not worse than scores, and the positions of rows
  find,    // what is held of players
  settle,  // compare and set a board's hash
};

inline constexpr std::size_t kScripts = 8;

std::string_view source(Script script);

}  // namespace laurel::redis
