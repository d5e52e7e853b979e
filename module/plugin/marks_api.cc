// The C interface's marks.
#include <limits>

#include "laurel/marks.h"
#include "plugin/host.h"

namespace laurel {

namespace {

constexpr double kNotMarked = std::numeric_limits<double>::quiet_NaN();

laurel_code mark(laurel_boards* boards, laurel_board handle, int64_t* at, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const Result<Time> marked = board->mark();
    if (!marked) return tell(error, marked.refusal());
    if (at != nullptr) *at = *marked;
    return commit(*boards, error);
  });
}

int32_t since(laurel_boards* boards, laurel_board handle, const char* player, laurel_since* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const auto since = board->since(text_or_empty(player));
    if (!since || !*since) return 0;
    fill_out(
        laurel_since{.struct_size = sizeof(laurel_since),
                     .has_mark = (*since)->mark.has_value(),
                     .rank = static_cast<double>((*since)->rank),
                     .previous_rank = static_cast<double>((*since)->previous_rank.value_or(Rank())),
                     .score = (*since)->score,
                     .previous = (*since)->previous.value_or(kNotMarked),
                     .mark = (*since)->mark.value_or(0)},
        out);
    return 1;
  });
}

void rank_changes(laurel_boards* boards, laurel_board handle, const char* const* players,
                  size_t count, double* out) {
  guarded(nullptr, 0, [&] {
    const Board* const board = to_board(boards, handle);
    for (size_t i = 0; i < count; ++i) {
      out[i] = kNotMarked;
      if (board == nullptr) continue;
      out[i] = board->rank_change(text_or_empty(players[i]), i).value_or(kNotMarked);
    }
    return 0;
  });
}

laurel_marks_api make_marks_api() {
  laurel_marks_api api{};
  api.struct_size = sizeof api;
  api.mark = mark;
  api.since = since;
  api.rank_changes = rank_changes;
  return api;
}

}  // namespace

void fill_marks_api(laurel_api& api) {
  static const laurel_marks_api marks = make_marks_api();
  api.marks = &marks;
}

}  // namespace laurel
