// checks.h - validation of input values, before they are interpreted.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace laurel {

// Stands for a whole number beyond +-2^53 that a script gave as an integer: as a double it would
// lose its last digits. It is a NaN, so whatever checks a number refuses it, as `out_of_range`.
inline double inexact_whole() {
  return std::bit_cast<double>(std::uint64_t{0x7FF8'0000'0000'2053});
}

// Why a number that is not finite is refused: as `not_finite`, or see inexact_whole().
Refusal not_finite(std::string_view what, double number);
Refusal too_much_data(std::size_t bytes);

// A player's id has 1 to kPlayerBytesMax bytes and no zero byte; else `bad_player`.
Status check_player(std::string_view player);
// A score is finite; else `not_finite`.
inline Status check_score(double score) {
  if (std::isfinite(score)) return Done{};
  return not_finite("the score", score);
}
// Data has at most kDataBytesMax bytes; else `bad_data`.
inline Status check_data(std::optional<std::string_view> data) {
  if (!data || data->size() <= kDataBytesMax) return Done{};
  return too_much_data(data->size());
}
// A time in Unix seconds is finite, else `not_finite`, and within +-2^33, else `out_of_range`.
Status check_moment(double seconds);
// An empty time means "now" and is valid.
inline Status check_moment(std::optional<double> seconds) {
  if (!seconds) return Done{};
  return check_moment(*seconds);
}

}  // namespace laurel
