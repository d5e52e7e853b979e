#include "bindings/values/read_score_range.h"

#include <cmath>
#include <limits>

namespace laurel {

Result<ScoreRange> score_range(const Call& call, int low, int high) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const ScoreRange range{call.optional_number(low).value_or(-kOpen),
                         call.optional_number(high).value_or(kOpen)};
  if (std::isnan(range.low) || std::isnan(range.high)) {
    return Refusal(Code::not_finite, "a bound of the range is nan; nil and infinity are open");
  }
  return range;
}

}  // namespace laurel
