#include "board/validate.h"

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

Status check_board_name(std::string_view name) {
  if (name.empty() || name.size() > kBoardNameBytesMax ||
      name.find('\0') != std::string_view::npos) {
    return Refusal(Code::invalid,
                   "a board's name has 1 to {} bytes and no zero byte; \"{}\" has {}",
                   kBoardNameBytesMax, escaped(name, 64), name.size());
  }
  return Done{};
}

Status check_score_of(const Submission& submission) {
  if (submission.columns == nullptr) return check_score(submission.score);
  for (const double value : submission.columns->all()) {
    if (const Status finite = check_score(value); !finite) return finite;
  }
  return Done{};
}

Status check_submission(const Submission& submission) {
  if (const Status valid = check_player(submission.player); !valid) return valid;
  return check_values(submission);
}

}  // namespace laurel
