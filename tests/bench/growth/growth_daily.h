// growth_daily.h - thousands of daily boards, created, filled and dropped in one registry with the
// same players, compared with one uniform board of the same number of entries.
#pragma once

#include <cstdint>

#include "growth_costs.h"

namespace laurel {

// Nanoseconds an entry or a call. The drop of an entry includes its share of the ticks that free
// it.
struct DailyCosts {
  double fill = 0;
  double update = 0;
  double rank = 0;
  double drop = 0;
  double bytes_an_entry = 0;  // without players that other boards have too
  WorstCalls single_drop;
  WorstCalls single_tick;  // while boards are freed
  std::size_t before = 0;  // bytes given out by the allocator: before any board was created,
  std::size_t full = 0;    // when all boards were full,
  std::size_t after = 0;   // and after the last one was freed
};

// `boards` boards of `members` each, of `players` in all, which also have a board of their own.
DailyCosts daily_costs(std::uint64_t boards, std::uint64_t members, std::uint64_t players);

}  // namespace laurel
