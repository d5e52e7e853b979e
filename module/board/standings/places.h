// places.h - which positions of a board's order a read is about: a share of the players, or the
// surroundings of a place. Pure functions, which local and remote boards share.
//
//   percentile  100 x (players ranked strictly worse) / size, as a double. Both directions compute
//               it with the same expression, so that they agree to the last bit.
//   not worse   how many players are ranked better or equal, the player included.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/result.h"

namespace laurel {

// Fails with not_finite if the percentage is NaN. Infinite ones are taken.
inline Status check_percentage(double percentage) {
  if (!std::isnan(percentage)) return Done{};
  return Refusal(Code::not_finite, "the percentage is nan");
}

// REQUIRES: not_worse <= size, and size > 0.
inline double percentile_of(std::uint64_t not_worse, std::uint64_t size) {
  return 100.0 * static_cast<double>(size - not_worse) / static_cast<double>(size);
}

// The largest number of not worse players whose percentile is at least p; 0: there is none.
// REQUIRES: p is not NaN.
inline std::uint64_t not_worse_at_percentile(double p, std::uint64_t size) {
  if (size == 0 || p > 100) return 0;
  if (p <= 0) return size;
  auto not_worse = static_cast<std::uint64_t>(static_cast<double>(size) * (1 - p / 100));
  not_worse = std::min(not_worse, size);
  while (not_worse < size && percentile_of(not_worse + 1, size) >= p) ++not_worse;
  while (not_worse > 0 && percentile_of(not_worse, size) < p) --not_worse;
  return not_worse;
}

// How many players the first p percent are: at least one if p is above 0, and at most `size`, or 1
// if that is 0. REQUIRES: p is not NaN.
inline std::uint64_t count_of_percent(double p, std::uint64_t size) {
  if (p <= 0) return 0;
  if (p >= 100) return std::max<std::uint64_t>(size, 1);
  const double count = std::ceil(static_cast<double>(size) * p / 100);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(count), 1);
}

struct PositionRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// The n positions before a place, those of the place itself (`own`: 1 for an entry, 0 for a gap
// between two), and the n behind it. At an end of the board the range is shifted, and has
// the same length if the board is that long. REQUIRES: place + own <= size.
inline PositionRange positions_around(std::uint64_t place, std::uint64_t own, std::uint64_t n,
                                      std::uint64_t size) {
  const std::uint64_t count = n >= size ? size : std::min(size, 2 * n + own);
  return {std::min(place - std::min(place, n), size - count), count};
}

}  // namespace laurel
