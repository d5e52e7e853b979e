// refusals.h - the messages of refused submissions, the same for local and remote boards.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "rank/score/score.h"

namespace laurel {

// `what` has no key in this form: "the score 1e+300", "the sum of 1 and 2".
Refusal out_of_range(const ScoreForm& form, std::string_view what);
// The score does not fit the key of a padded board.
Refusal does_not_fit(double score, int digits);
// The number is not a whole score of the board's columns.
Refusal no_score_of_columns(double number);
// `what` is "opens" or "closed".
Refusal closed(std::string_view board, std::string_view what, Time when);
// The season's `duration` is over; the next season begins at `next`, if ever.
Refusal season_closed(std::string_view board, Time when, std::optional<Time> next);
Refusal banned(std::string_view player, std::string_view board);
Refusal exhausted(std::string_view player, std::string_view board, std::uint64_t attempts);
Refusal counts_no_attempts(std::string_view board);
Refusal full(std::string_view board, std::uint64_t capacity);
Refusal not_joined(std::string_view player, std::string_view board);

}  // namespace laurel
