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

Refusal no_score_of_columns(double number) {
  return {Code::out_of_range, "the number {} is no score of columns", number};
}

Refusal closed(std::string_view board, std::string_view what, Time when) {
  return {Code::closed, "board \"{}\" {} at {:.0f}", escaped(board), what, seconds_from_time(when)};
}

Refusal season_closed(std::string_view board, Time when, std::optional<Time> next) {
  if (!next) return closed(board, "closed", when);
  return {Code::closed, "board \"{}\" closed at {:.0f}, until its next season begins at {:.0f}",
          escaped(board), seconds_from_time(when), seconds_from_time(*next)};
}

Refusal banned(std::string_view player, std::string_view board) {
  return {Code::banned, "player \"{}\" is banned from board \"{}\"", escaped(player),
          escaped(board)};
}

Refusal exhausted(std::string_view player, std::string_view board, std::uint64_t attempts) {
  return {
      Code::exhausted,
      "player \"{}\" has no attempts left in this season of board \"{}\", which has {} for each",
      escaped(player, 64), escaped(board, 64), attempts};
}

Refusal counts_no_attempts(std::string_view board) {
  return {Code::unsupported, "board \"{}\" has no `attempts`", escaped(board, 64)};
}

Refusal full(std::string_view board, std::uint64_t capacity) {
  return {Code::full, "board \"{}\" has its {} players; those may still submit", escaped(board, 64),
          capacity};
}

Refusal not_joined(std::string_view player, std::string_view board) {
  return {Code::not_joined, "player \"{}\" has not joined board \"{}\"", escaped(player),
          escaped(board)};
}

}  // namespace laurel
