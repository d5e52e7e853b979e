#include "bindings/values/read_score_range.h"

#include <cmath>
#include <limits>

namespace laurel {

Status read_score_range(const Call& call, int low, int high, ScoreRange& out) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  out = {call.optional_number(low).value_or(-kOpen), call.optional_number(high).value_or(kOpen)};
  if (std::isnan(out.low) || std::isnan(out.high)) {
    return Refusal(Code::not_finite, "a bound of the range is nan; nil and infinity are open");
  }
  return Done{};
}

}  // namespace laurel
