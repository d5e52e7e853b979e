// score_bounds.h - converts a range of scores to a range of keys.
#pragma once

#include <optional>

#include "rank/score/score.h"

namespace laurel {

// Scores from low to high, both included; either may be infinite.
struct ScoreRange {
  double low = 0;
  double high = 0;
};

// Keys of the best and the worst score in a range.
struct ScoreBounds {
  ScoreKey best = 0;
  ScoreKey worst = UINT64_MAX;
};

// Absent if the form has no score in the range. With decimals, an end between two scores is moved
// to the next score inside.
// REQUIRES: neither end is NaN.
std::optional<ScoreBounds> score_bounds(const ScoreForm& form, const ScoreRange& range);

}  // namespace laurel
