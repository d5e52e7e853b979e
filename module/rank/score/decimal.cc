#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/limits.h"
#include "rank/score/score.h"

namespace laurel {

namespace {

// digits x 10^exponent, as printed: at most 17 digits without leading zeros.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal shortest_decimal(double magnitude) {
  char text[32];  // "1.2345678901234567e-308" has 23
  const std::to_chars_result end =
      std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  int fraction = 0;
  bool past_point = false;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      past_point = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (past_point) ++fraction;
  }
  ++at;
  if (*at == '+') ++at;  // from_chars accepts only a minus
  std::from_chars(at, end.ptr, decimal.exponent);
  decimal.exponent -= fraction;
  return decimal;
}

// digits x 10^shift, rounded half up. Empty if it exceeds kScaledMax.
std::optional<std::int64_t> shifted(std::uint64_t digits, int shift) {
  constexpr auto kMax = static_cast<std::uint64_t>(kScaledMax);
  for (; shift > 0 && digits != 0; --shift) {
    if (digits > kMax) return std::nullopt;
    digits *= 10;
  }
  if (shift < 0) {
    if (shift < -18) return 0;  // 17 digits are below half of 10^18
    std::uint64_t divisor = 1;
    for (; shift < 0; ++shift) divisor *= 10;
    const std::uint64_t rest = digits % divisor;
    digits = digits / divisor + (rest * 2 >= divisor ? 1 : 0);
  }
  if (digits > kMax) return std::nullopt;
  return static_cast<std::int64_t>(digits);
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(double score, int decimals) {
  assert(std::isfinite(score) && decimals >= 0 && decimals <= kDecimalsMax);
  const double magnitude = std::fabs(score);
  std::optional<std::int64_t> scaled;
  // The shortest decimal of a whole number below 2^53 is the number itself. Most scores are whole
  // numbers.
  if (magnitude <= static_cast<double>(kScaledMax) && magnitude == std::floor(magnitude)) {
    scaled = shifted(static_cast<std::uint64_t>(magnitude), decimals);
  } else {
    const Decimal decimal = shortest_decimal(magnitude);
    scaled = shifted(decimal.digits, decimal.exponent + decimals);
  }
  if (scaled && std::signbit(score)) *scaled = -*scaled;
  return scaled;
}

}  // namespace laurel
