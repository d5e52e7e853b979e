#include "registry/derived/group_score.h"

#include <cassert>

namespace laurel {

GroupScore::GroupScore(const Spec& spec, const ScoreForm& source)
    : source_(source), form_(spec.order, spec.decimals), is_mean_(spec.take == Take::mean) {
  assert(source.has_decimals() && form_.has_decimals());
}

ScoreKey GroupScore::of(Wide sum, std::size_t members, bool& stopped) const {
  if (is_mean_) {
    const int more = *form_.decimals() - *source_.decimals();
    if (more > 0) sum *= wide_power_of_ten(more);
    const Wide divisor = static_cast<Wide>(members) * wide_power_of_ten(more < 0 ? -more : 0);
    sum = divide_rounded(sum, divisor);
  }
  return form_.key_of_scaled(stopped_score(sum, stopped));
}

}  // namespace laurel
