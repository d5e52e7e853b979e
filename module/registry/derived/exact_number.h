// exact_number.h - sums, products and quotients of scores in units of their last decimal, without
// a rounding before the last step.
//
//   Wide    128 bits: a sum of the scores of kPlayersMax players, at the most decimals, fits, and
//           so does a weighted sum of kSourcesMax scores (kWeightDigitsMax).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/limits.h"

namespace laurel {

__extension__ using Wide = __int128;

inline Wide wide_power_of_ten(int exponent) {
  Wide power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// The quotient, rounded half away from zero.
inline Wide divide_rounded(Wide dividend, Wide divisor) {
  if (divisor < 0) {
    dividend = -dividend;
    divisor = -divisor;
  }
  const Wide quotient = dividend / divisor;
  const Wide rest = dividend % divisor;
  if (rest >= divisor - rest) return quotient + 1;
  if (-rest >= divisor + rest) return quotient - 1;
  return quotient;
}

// Within the range of scores; `stopped` says whether it was beyond.
inline std::int64_t stopped_score(Wide scaled, bool& stopped) {
  stopped = scaled > kScaledMax || scaled < -kScaledMax;
  return static_cast<std::int64_t>(std::clamp<Wide>(scaled, -kScaledMax, kScaledMax));
}

}  // namespace laurel
