#include "board/spec/score_bounds.h"

#include <cmath>

namespace laurel {

namespace {

enum class End { low, high };

// The key of the score nearest to one end of the range, inside the range. Neighbouring decimals
// have neighbouring keys, and rounding errs by less than one, so one step is enough.
ScoreKey inner_key(const ScoreForm& form, End end, double bound, ScoreKey key) {
  if (!form.has_decimals()) return key;  // each score has a key of its own
  const double score = form.score(key);
  const bool outside = end == End::low ? score < bound : score > bound;
  if (!outside) return key;
  const bool towards_better = (end == End::low) == (form.order() == Order::desc);
  return towards_better ? key - 1 : key + 1;
}

}  // namespace

std::optional<ScoreBounds> score_bounds(const ScoreForm& form, const ScoreRange& range) {
  if (range.low > range.high) return std::nullopt;
  ScoreBounds bounds;
  const bool high_wins = form.order() == Order::desc;
  if (std::isfinite(range.low)) {
    if (const auto key = form.key(range.low)) {
      (high_wins ? bounds.worst : bounds.best) = inner_key(form, End::low, range.low, *key);
    } else if (range.low > 0) {
      return std::nullopt;  // above every score; below every score the end is open
    }
  } else if (range.low > 0) {
    return std::nullopt;
  }
  if (std::isfinite(range.high)) {
    if (const auto key = form.key(range.high)) {
      (high_wins ? bounds.best : bounds.worst) = inner_key(form, End::high, range.high, *key);
    } else if (range.high < 0) {
      return std::nullopt;
    }
  } else if (range.high < 0) {
    return std::nullopt;
  }
  if (bounds.best > bounds.worst) return std::nullopt;  // between two neighbouring decimals
  return bounds;
}

}  // namespace laurel
