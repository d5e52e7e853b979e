// checks.h - validation of input values, before they are interpreted.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace laurel {

Refusal not_finite(std::string_view what, double number);
Refusal too_much_data(std::size_t bytes);

// A player's id has 1 to kPlayerBytesMax bytes and no zero byte; else `bad_player`.
Status check_player(std::string_view player);
// A score is finite; else `not_finite`.
inline Status check_score(double score) {
  if (std::isfinite(score)) return Done{};
  return not_finite("score", score);
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
