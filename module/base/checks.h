// checks.h - whether a value that somebody handed in can be taken at all, before anything looks at
// what it means.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"

namespace laurel {

// A player's id: 1 to kPlayerBytesMax bytes without a zero byte; else `bad_player`.
Status check_player(std::string_view player);
// Finite; else `not_finite`.
Status check_score(double score);
// At most kDataBytesMax bytes; else `bad_data`.
Status check_data(std::optional<std::string_view> data);
// Unix seconds: finite, else `not_finite`; within +-2^33, else `out_of_range`. Nothing is now, and
// passes.
Status check_moment(std::optional<double> seconds);

}  // namespace laurel
