// read_score_range.h - reads a range of scores from the arguments of a call.
#pragma once

#include "bindings/lua/args.h"
#include "board/spec/score_bounds.h"

namespace laurel {

// Arguments low and high: scores, or nil for an open end. Of columns, those at the end may be left
// out and are open. Refuses NaN as `not_finite`.
Status read_score_range(const Call& call, int low, int high, ScoreRange& out);

}  // namespace laurel
