// keep_policy.h - which score a board holds after a write: the meaning of `keep`, for local boards
// and for those of remotes. Redis decides in a script of its own (remote/redis/scripts), which
// tests hold against this.
#pragma once

#include <cstdint>

#include "board/spec/spec.h"

namespace laurel {

// How a score is written: `submit` follows `keep`, `add` adds, `set` overwrites (moderation),
// `hold` writes a rule's result in place of `keep`.
enum class WriteMode : std::uint8_t { submit, add, set, hold };

enum class KeptScore : std::uint8_t { held, offered, sum };

// What to hold when a player who holds a score offers another. A lower key is better.
constexpr KeptScore what_to_keep(Keep keep, WriteMode mode, ScoreKey held, ScoreKey offered) {
  if (mode != WriteMode::submit) {
    return mode == WriteMode::add ? KeptScore::sum : KeptScore::offered;
  }
  switch (keep) {
    case Keep::best: return held < offered ? KeptScore::held : KeptScore::offered;
    case Keep::latest: return KeptScore::offered;
    case Keep::sum: return KeptScore::sum;
    case Keep::first: break;
  }
  return KeptScore::held;
}

// True if the score is a difference to the held one.
constexpr bool adds(Keep keep, WriteMode mode) {
  return what_to_keep(keep, mode, 0, 0) == KeptScore::sum;
}

}  // namespace laurel
