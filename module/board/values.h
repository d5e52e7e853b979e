// values.h - whether what somebody handed in can be taken at all, before any board looks at it.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "board/change.h"

namespace laurel {

// 1 to kPlayerBytesMax bytes without a zero byte; else `bad_player`.
Status check_player(std::string_view player);
// Likewise for names of boards; else `invalid`.
Status check_board_name(std::string_view name);
// Player, score (finite, else `not_finite`), data (at most kDataBytesMax bytes, else `bad_data`)
// and moment (finite, within +-2^33 seconds, else `out_of_range`).
Status check_submission(const Submission& submission);

}  // namespace laurel
