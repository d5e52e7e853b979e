#include "plugin/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace laurel {

static_assert(static_cast<laurel_code>(Code::invalid) + 1 == LAUREL_INVALID);
static_assert(static_cast<laurel_code>(Code::unavailable) + 1 == LAUREL_UNAVAILABLE);
static_assert(static_cast<laurel_code>(Code::full) + 1 == LAUREL_FULL);
static_assert(kRefusalBytesMax < sizeof laurel_error::text);

laurel_code tell(laurel_error* error, laurel_code code, const char* text) {
  if (error != nullptr) {
    error->code = code;
    const std::size_t size = std::min(std::strlen(text), sizeof error->text - 1);
    std::memcpy(error->text, text, size);
    error->text[size] = '\0';
  }
  return code;
}

laurel_code tell(laurel_error* error, const Refusal& refusal) {
  return tell(error, static_cast<laurel_code>(refusal.code()) + 1, refusal.c_str());
}

laurel_code tell_ok(laurel_error* error) { return tell(error, LAUREL_OK, ""); }

laurel_code tell_no_board(laurel_error* error, laurel_board handle) {
  if (is_remote(handle)) {
    return tell(error, LAUREL_UNSUPPORTED,
                "unsupported: this board is remote: use the calls of remote.h");
  }
  return tell(error, LAUREL_UNKNOWN, "unknown: this board was dropped or never opened");
}

Submission to_submission(const char* player, double score, const laurel_details* details) {
  Submission submission{.player = player == nullptr ? "" : player, .score = score};
  if (has_member(details, &laurel_details::data_size) && details->data != nullptr) {
    submission.data = {static_cast<const char*>(details->data), details->data_size};
  }
  if (has_member(details, &laurel_details::has_at) && details->has_at != 0) {
    submission.at = seconds_from_time(details->at);
  }
  if (has_member(details, &laurel_details::id_size) && details->id != nullptr) {
    submission.id = {details->id, details->id_size};
  }
  return submission;
}

laurel_column column_of(const ScoreColumn& column) {
  laurel_column filled{.struct_size = sizeof(laurel_column),
                       .decimals = column.decimals,
                       .min = column.min,
                       .max = column.max,
                       .name = {},
                       .is_desc = column.order == Order::desc};
  static_assert(kColumnNameBytesMax < sizeof filled.name);
  std::memcpy(filled.name, column.name.data(), column.name.size());
  return filled;
}

laurel_outcome to_outcome(const Outcome& outcome) {
  constexpr double kNotShown = std::numeric_limits<double>::quiet_NaN();
  return {outcome.score.value_or(kNotShown), outcome.changed, outcome.score.has_value()};
}

laurel_board_entry hand_out(const Entry& entry) {
  return {.player = entry.player.data(),
          .player_size = entry.player.size(),
          .score = entry.score,
          .rank = entry.rank.whole(),
          .at = entry.at,
          .data = entry.data ? entry.data->data() : nullptr,
          .data_size = entry.data ? entry.data->size() : 0};
}

std::size_t hand_out(const Entries& entries, laurel_board_entry* out) {
  std::transform(entries.begin(), entries.end(), out,
                 [](const Entry& entry) { return hand_out(entry); });
  return entries.size();
}

}  // namespace laurel
