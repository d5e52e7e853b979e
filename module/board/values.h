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
// Score, data and moment, each as base/checks.h has it.
inline Status check_values(const Submission& submission) {
  if (Status valid = check_score(submission.score); !valid) return valid;
  if (Status valid = check_data(submission.data); !valid) return valid;
  return check_moment(submission.at);
}
// The player too.
Status check_submission(const Submission& submission);

}  // namespace laurel
