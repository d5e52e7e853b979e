// validate.h - checks of arguments that do not depend on a board.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/checks.h"
#include "base/result.h"
#include "board/standings/change.h"

namespace laurel {

// 1 to kBoardNameBytesMax bytes without a zero byte; else `invalid`.
Status check_board_name(std::string_view name);
// The score, or each value of one with columns, is finite; else `not_finite`.
Status check_score_of(const Submission& submission);
// The id of a result is the caller's: 1 to kResultIdBytesMax bytes; else `bad_data`.
Status check_result_id(std::string_view id);
// Checks of a result with an id, before the id is looked up. A repeated result is refused for
// nothing else. REQUIRES: it has an id.
Status check_identity(const Submission& submission);
// The attempts granted to a player, with `more` of them, are within +-2^53; else `out_of_range`.
Status check_grants(std::int64_t granted, std::int64_t more);
// Score, data and moment, as in base/checks.h. Values of columns are checked with their board's.
inline Status check_values(const Submission& submission) {
  if (Status valid = check_score(submission.score); !valid) return valid;
  if (Status valid = check_data(submission.data); !valid) return valid;
  return check_moment(submission.at);
}
// Also checks the player.
Status check_submission(const Submission& submission);

}  // namespace laurel
