// checks.h - whether a value that somebody handed in can be taken at all, before anything looks at
// what it means.
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

// A player's id: 1 to kPlayerBytesMax bytes without a zero byte; else `bad_player`.
Status check_player(std::string_view player);
// Finite; else `not_finite`.
inline Status check_score(double score) {
  if (std::isfinite(score)) return Done{};
  return not_finite("score", score);
}
// At most kDataBytesMax bytes; else `bad_data`.
inline Status check_data(std::optional<std::string_view> data) {
  if (!data || data->size() <= kDataBytesMax) return Done{};
  return too_much_data(data->size());
}
// Unix seconds: finite, else `not_finite`; within +-2^33, else `out_of_range`.
Status check_moment(double seconds);
// Nothing is now, and passes.
inline Status check_moment(std::optional<double> seconds) {
  if (!seconds) return Done{};
  return check_moment(*seconds);
}

}  // namespace laurel
