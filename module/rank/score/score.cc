#include "rank/score/score.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr double kPowerOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// Maps signed integers to unsigned ones in the same order, by flipping the sign bit.
constexpr std::uint64_t kZero = std::uint64_t{1} << 63;

std::uint64_t rising_from_whole(std::int64_t whole) {
  return static_cast<std::uint64_t>(whole) ^ kZero;
}

std::int64_t whole_from_rising(std::uint64_t rising) {
  return static_cast<std::int64_t>(rising ^ kZero);
}

}  // namespace

ScoreForm::ScoreForm(Order order, std::optional<int> decimals)
    : order_(order), decimals_(static_cast<std::int8_t>(decimals.value_or(-1))) {
  assert((!decimals || (*decimals >= 0 && *decimals <= kDecimalsMax)) && "decimals are 0 to 9");
}

bool ScoreForm::find_decimal_key(double score, ScoreKey& key) const {
  const std::optional<std::int64_t> scaled = scaled_decimal(score, decimals_);
  if (scaled) key = toward(rising_from_whole(*scaled));
  return scaled.has_value();
}

// Both operands are exact in a double, so the division is the only rounding.
double ScoreForm::decimal_score(ScoreKey key) const {
  return static_cast<double>(whole_from_rising(toward(key))) / kPowerOfTen[decimals_];
}

std::int64_t ScoreForm::scaled(ScoreKey key) const {
  assert(has_decimals());
  return whole_from_rising(toward(key));
}

ScoreKey ScoreForm::key_of_scaled(std::int64_t scaled) const {
  assert(has_decimals() && scaled <= kScaledMax && scaled >= -kScaledMax);
  return toward(rising_from_whole(scaled));
}

std::optional<ScoreKey> ScoreForm::sum(ScoreKey a, ScoreKey b) const {
  if (decimals_ < 0) {
    const double sum = score(a) + score(b);
    if (!std::isfinite(sum)) return std::nullopt;
    return toward(rising_from_double(sum));
  }
  const std::int64_t sum = whole_from_rising(toward(a)) + whole_from_rising(toward(b));
  if (sum > kScaledMax || sum < -kScaledMax) return std::nullopt;
  return toward(rising_from_whole(sum));
}

}  // namespace laurel
