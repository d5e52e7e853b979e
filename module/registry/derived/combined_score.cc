#include "registry/derived/combined_score.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/limits.h"
#include "registry/derived/exact_number.h"

namespace laurel {

CombinedScore::CombinedScore(const Spec& spec)
    : take_(spec.take),
      form_(spec.order, spec.decimals),
      decimals_(spec.decimals.value_or(0)),
      least_(spec.least) {
  assert(is_derived(spec) && spec.decimals);
  if (spec.weights.empty()) return;
  // The spec's fields were checked when they were set.
  weights_ = *scale_weights(*parse_weights(spec.weights));
  const auto is_one = [](std::int64_t weight) { return weight == 1; };
  if (weights_.decimals == 0 && std::ranges::all_of(weights_.scaled, is_one)) weights_ = {};
}

std::optional<CombinedRow> CombinedScore::of(std::span<const SourcePart> parts) const {
  if (parts.empty()) return std::nullopt;
  std::optional<Scaled> scaled;
  switch (take_) {
    case Take::mean:
    case Take::best: assert(false && "of boards of groups"); break;
    case Take::sum: scaled = sum(parts); break;
    case Take::ratio: scaled = ratio(parts); break;
    case Take::count:
    case Take::firsts: {
      const auto counted = static_cast<Wide>(parts.size()) * wide_power_of_ten(decimals_);
      scaled = Scaled{static_cast<std::int64_t>(counted), false};
      break;
    }
  }
  if (!scaled) return std::nullopt;
  CombinedRow row{
      .score = form_.key_of_scaled(scaled->score), .at = parts[0].at, .stopped = scaled->stopped};
  for (const SourcePart& part : parts) row.at = std::max(row.at, part.at);
  return row;
}

CombinedScore::Scaled CombinedScore::sum(std::span<const SourcePart> parts) const {
  int most = 0;  // decimals of a source
  for (const SourcePart& part : parts) most = std::max(most, *part.form->decimals());
  Wide sum = 0;
  for (const SourcePart& part : parts) {
    Wide term = part.form->scaled(part.score);
    if (!weights_.scaled.empty()) term *= weights_.scaled[part.source];
    const int missing = most - *part.form->decimals();
    if (missing > 0) term *= wide_power_of_ten(missing);
    sum += term;
  }
  Scaled scaled;
  const int surplus = most + weights_.decimals - decimals_;
  if (surplus > 0) sum = divide_rounded(sum, wide_power_of_ten(surplus));
  // A sum beyond the range stops there in any case, and its product might not fit.
  if (surplus < 0) sum = std::clamp<Wide>(sum, -kScaledMax - 1, kScaledMax + 1);
  if (surplus < 0) sum *= wide_power_of_ten(-surplus);
  scaled.score = stopped_score(sum, scaled.stopped);
  return scaled;
}

std::optional<CombinedScore::Scaled> CombinedScore::ratio(std::span<const SourcePart> parts) const {
  if (parts.size() != 2) return std::nullopt;
  const auto& [first, second] = std::pair(parts[0], parts[1]);
  const double divisor = second.form->score(second.score);
  if (!(divisor > 0) || divisor < least_) return std::nullopt;
  Scaled scaled;
  if (first.form->has_decimals() && second.form->has_decimals()) {
    const Wide dividend = Wide{first.form->scaled(first.score)} *
                          wide_power_of_ten(*second.form->decimals() + decimals_);
    const Wide whole =
        Wide{second.form->scaled(second.score)} * wide_power_of_ten(*first.form->decimals());
    scaled.score = stopped_score(divide_rounded(dividend, whole), scaled.stopped);
    return scaled;
  }
  const double quotient = first.form->score(first.score) / divisor;
  std::optional<std::int64_t> rounded;
  if (std::isfinite(quotient)) rounded = scaled_decimal(quotient, decimals_);
  scaled.stopped = !rounded;
  scaled.score = rounded.value_or(quotient < 0 ? -kScaledMax : kScaledMax);
  return scaled;
}

}  // namespace laurel
