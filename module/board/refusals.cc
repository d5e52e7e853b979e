#include "board/refusals.h"

#include "base/text.h"

namespace laurel {

Refusal out_of_range(const ScoreForm& form, std::string_view what) {
  if (form.decimals()) {
    return {Code::out_of_range,
            "{} is out of range: with decimals = {}, score x 10^decimals stays below 2^53", what,
            *form.decimals()};
  }
  return {Code::out_of_range, "{} is larger than any number", what};
}

Refusal does_not_fit(double score, int digits) {
  return {Code::out_of_range, "the score {} does not fit a key of {} digits", score, digits};
}

Refusal closed(std::string_view board, std::string_view what, Time when) {
  return {Code::closed, "board \"{}\" {} at {:.0f}", escaped(board), what, seconds_from_time(when)};
}

Refusal banned(std::string_view player, std::string_view board) {
  return {Code::banned, "player \"{}\" is banned from board \"{}\"", escaped(player),
          escaped(board)};
}

Refusal not_joined(std::string_view player, std::string_view board) {
  return {Code::not_joined, "player \"{}\" has not joined board \"{}\"", escaped(player),
          escaped(board)};
}

}  // namespace laurel
