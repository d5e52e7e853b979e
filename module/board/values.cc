#include "board/values.h"

#include <cmath>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

Status check_player(std::string_view player) {
  if (player.empty()) return Refusal(Code::bad_player, "the id is empty");
  if (player.size() > kPlayerBytesMax) {
    return Refusal(Code::bad_player, "the id has {} bytes; at most {} are allowed", player.size(),
                   kPlayerBytesMax);
  }
  if (player.find('\0') != std::string_view::npos) {
    return Refusal(Code::bad_player, "the id \"{}\" contains a zero byte", escaped(player, 64));
  }
  return Done{};
}

Status check_board_name(std::string_view name) {
  if (name.empty() || name.size() > kBoardNameBytesMax ||
      name.find('\0') != std::string_view::npos) {
    return Refusal(Code::invalid,
                   "a board's name has 1 to {} bytes and no zero byte; \"{}\" has {}",
                   kBoardNameBytesMax, escaped(name, 64), name.size());
  }
  return Done{};
}

Status check_submission(const Submission& submission) {
  if (const Status valid = check_player(submission.player); !valid) return valid;
  if (!std::isfinite(submission.score)) {
    return Refusal(Code::not_finite, "the score is {}", shown(submission.score));
  }
  if (submission.data && submission.data->size() > kDataBytesMax) {
    return Refusal(Code::bad_data, "the data has {} bytes; at most {} are allowed",
                   submission.data->size(), kDataBytesMax);
  }
  if (submission.at && !std::isfinite(*submission.at)) {
    return Refusal(Code::not_finite, "the time is {}", shown(*submission.at));
  }
  if (submission.at && !time_from_seconds(*submission.at)) {
    return Refusal(Code::out_of_range, "the time {} is not within +-2^33 seconds of 1970",
                   *submission.at);
  }
  return Done{};
}

}  // namespace laurel
