#include "board/validate.h"

#include <cstdlib>

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

Status check_result_id(std::string_view id) {
  if (!id.empty() && id.size() <= kResultIdBytesMax) return Done{};
  return Refusal(Code::bad_data, "the id of a result has {} bytes; 1 to {} are allowed", id.size(),
                 kResultIdBytesMax);
}

Status check_grants(std::int64_t granted, std::int64_t more) {
  constexpr std::int64_t kGrantedMax = kScaledMax + 1;  // whole numbers up to it are exact in Lua
  if (std::abs(more) <= kGrantedMax && std::abs(granted + more) <= kGrantedMax) return Done{};
  return Refusal(Code::out_of_range, "the grants of a player are within +-2^53");
}

Status check_identity(const Submission& submission) {
  if (const Status valid = check_player(submission.player); !valid) return valid;
  if (const Status valid = check_score_of(submission); !valid) return valid;
  return check_result_id(*submission.id);
}

Status check_submission(const Submission& submission) {
  if (const Status valid = check_player(submission.player); !valid) return valid;
  return check_values(submission);
}

}  // namespace laurel
