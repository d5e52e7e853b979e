// growth_daily.h - daily boards: made, filled and dropped by the thousand, in one registry with the
// same players, against one board of the uniform case that holds as many entries.
#pragma once

#include <cstdint>

#include "growth_costs.h"

namespace laurel {

// Nanoseconds an entry or a call. An entry's drop has its share of the ticks that free it.
struct DailyCosts {
  double fill = 0;
  double update = 0;
  double rank = 0;
  double drop = 0;
  double bytes_an_entry = 0;  // players that others hold too are not in it
  WorstCalls single_drop;
  WorstCalls single_tick;  // while it frees
  std::size_t before = 0;  // bytes that the allocator gave out: when nothing was made yet,
  std::size_t full = 0;    // when all boards were full,
  std::size_t after = 0;   // and when the last one was gone
};

// `boards` boards of `members` each, of `players` in all, who stand on a board of their own.
DailyCosts daily_costs(std::uint64_t boards, std::uint64_t members, std::uint64_t players);

}  // namespace laurel
