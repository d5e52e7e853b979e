// values.h - whether what somebody handed to a board can be taken at all, before any board looks at
// it.
#pragma once

#include <string_view>

#include "base/checks.h"
#include "base/result.h"
#include "board/change.h"

namespace laurel {

// 1 to kBoardNameBytesMax bytes without a zero byte; else `invalid`.
Status check_board_name(std::string_view name);
// Player, score, data and moment, each as base/checks.h has it.
Status check_submission(const Submission& submission);

}  // namespace laurel
