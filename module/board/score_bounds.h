// score_bounds.h - a range of scores as the keys at its two ends.
#pragma once

#include <optional>

#include "rank/score.h"

namespace laurel {

// Scores from low to high, both included; an infinite end is open.
struct ScoreRange {
  double low = 0;
  double high = 0;
};

// The keys of the best and the worst score that may lie in a range.
struct ScoreBounds {
  ScoreKey best = 0;
  ScoreKey worst = UINT64_MAX;
};

// Nothing when no score that the form can hold lies in the range. With decimals an end may lie
// between two scores: the range then begins at the one inside it.
// REQUIRES: neither end is NaN.
std::optional<ScoreBounds> score_bounds(const ScoreForm& form, const ScoreRange& range);

}  // namespace laurel
