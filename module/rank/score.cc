#include "rank/score.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr double kPowerOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// The two maps whose natural order is the numbers': a double's bits rise with it when it is
// positive and fall when it is negative, a whole number's only miss the sign.
std::uint64_t rising_from_double(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 + 0 is 0
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

double double_from_rising(std::uint64_t rising) {
  return std::bit_cast<double>((rising & kSignBit) != 0 ? rising & ~kSignBit : ~rising);
}

std::uint64_t rising_from_whole(std::int64_t whole) {
  return static_cast<std::uint64_t>(whole) ^ kSignBit;
}

std::int64_t whole_from_rising(std::uint64_t rising) {
  return static_cast<std::int64_t>(rising ^ kSignBit);
}

}  // namespace

ScoreForm::ScoreForm(Order order, std::optional<int> decimals)
    : order_(order), decimals_(static_cast<std::int8_t>(decimals.value_or(-1))) {
  assert((!decimals || (*decimals >= 0 && *decimals <= kDecimalsMax)) && "decimals are 0 to 9");
}

std::optional<int> ScoreForm::decimals() const {
  if (decimals_ < 0) return std::nullopt;
  return decimals_;
}

ScoreKey ScoreForm::toward(std::uint64_t rising) const {
  return order_ == Order::desc ? ~rising : rising;
}

std::optional<ScoreKey> ScoreForm::key(double score) const {
  assert(std::isfinite(score) && "a score is a finite number");
  if (decimals_ < 0) return toward(rising_from_double(score));
  const std::optional<std::int64_t> scaled = scaled_decimal(score, decimals_);
  if (!scaled) return std::nullopt;
  return toward(rising_from_whole(*scaled));
}

double ScoreForm::score(ScoreKey key) const {
  const std::uint64_t rising = toward(key);
  if (decimals_ < 0) return double_from_rising(rising);
  // Both sides are exact in a double, so one division rounds once.
  return static_cast<double>(whole_from_rising(rising)) / kPowerOfTen[decimals_];
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
