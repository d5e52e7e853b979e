// The C interface's scores of several columns.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "laurel/columns.h"
#include "plugin/host.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

static_assert(kColumnsMax == LAUREL_COLUMNS_MAX);
static_assert(kColumnNameBytesMax < sizeof laurel_column::name);

bool is_board(const laurel_boards* boards, laurel_board handle) {
  if (!is_remote(handle)) return to_board(boards, handle) != nullptr;
  const RemoteBoards* const remotes = RemoteBoards::of(*boards->registry);
  return remotes != nullptr && remotes->name(from_remote_handle(handle)) != nullptr;
}

// Null if the board's scores are plain numbers, or there is no such board.
ScoreColumns::Ptr columns_of(const laurel_boards* boards, laurel_board handle) {
  if (!is_remote(handle)) {
    const Board* const board = to_board(boards, handle);
    return board == nullptr ? nullptr : board->columns();
  }
  const RemoteBoards* const remotes = RemoteBoards::of(*boards->registry);
  return remotes == nullptr ? nullptr : remotes->columns(from_remote_handle(handle));
}

Result<ColumnValues> to_values(const ScoreColumns& columns, const double* values, size_t count) {
  if (count != columns.size()) {
    return Refusal(Code::invalid, "{} values are given; the board has {} columns", count,
                   columns.size());
  }
  ColumnValues given{.values = {}, .count = count};
  std::copy_n(values, count, given.values.begin());
  return given;
}

size_t count(laurel_boards* boards, laurel_board handle) {
  const ScoreColumns::Ptr columns = columns_of(boards, handle);
  return columns == nullptr ? 0 : columns->size();
}

int32_t describe(laurel_boards* boards, laurel_board handle, size_t place, laurel_column* out) {
  const ScoreColumns::Ptr columns = columns_of(boards, handle);
  if (columns == nullptr || place >= columns->size()) return 0;
  fill_out(column_of((*columns)[place]), out);
  return 1;
}

Refusal no_columns() {
  return {Code::invalid, "the scores of this board are plain numbers: it has no columns"};
}

laurel_code pack(laurel_boards* boards, laurel_board handle, const double* values, size_t count,
                 double* score, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const ScoreColumns::Ptr columns = columns_of(boards, handle);
    if (!columns && !is_board(boards, handle)) return tell_no_board(error, handle);
    if (!columns) return tell(error, no_columns());
    const Result<ColumnValues> given = to_values(*columns, values, count);
    if (!given) return tell(error, given.refusal());
    const Result<double> whole = columns->number(*given);
    if (!whole) return tell(error, whole.refusal());
    *score = *whole;
    return tell_ok(error);
  });
}

size_t values(laurel_boards* boards, laurel_board handle, double score, double* out, size_t n) {
  const ScoreColumns::Ptr columns = columns_of(boards, handle);
  if (columns == nullptr || !columns->is_whole(score)) return 0;
  const ColumnValues values = columns->values(score);
  const std::size_t filled = std::min(n, values.count);
  std::copy_n(values.values.begin(), filled, out);
  return filled;
}

std::optional<WriteMode> mode_of(int32_t by) {
  switch (by) {
    case LAUREL_BY_SUBMIT: return WriteMode::submit;
    case LAUREL_BY_ADD: return WriteMode::add;
    case LAUREL_BY_SET: return WriteMode::set;
    default: return std::nullopt;
  }
}

laurel_code submit(laurel_boards* boards, laurel_board handle, int32_t by, const char* player,
                   const double* values, size_t count, const laurel_details* details,
                   laurel_outcome* out, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    if (!board->columns()) return tell(error, no_columns());
    const std::optional<WriteMode> mode = mode_of(by);
    if (!mode) return tell(error, Refusal(Code::invalid, "by = {} is no kind of write", by));
    const Result<ColumnValues> given = to_values(*board->columns(), values, count);
    if (!given) return tell(error, given.refusal());
    Submission submission = to_submission(player, 0, details);
    submission.set_values(*board->columns(), *given);
    const Result<Outcome> outcome = board->submit(*mode, submission);
    if (!outcome) return tell(error, outcome.refusal());
    if (out != nullptr) *out = to_outcome(*outcome);
    return commit(*boards, error);
  });
}

// What is given to one board; `kept` has the values for as long as the score is used.
Result<Registry::GivenScore> to_given(const Board& board, const laurel_values& values,
                                      ColumnValues& kept) {
  if (!board.columns()) {
    if (values.count == 1) return Registry::GivenScore{values.values[0], nullptr};
    return Refusal(Code::invalid, "{} values are given for board \"{}\", which has no columns",
                   values.count, escaped(board.name(), 64));
  }
  const Result<ColumnValues> given = to_values(*board.columns(), values.values, values.count);
  if (!given) return given.refusal();
  kept = *given;
  Submission submission;
  submission.set_values(*board.columns(), kept);
  return Registry::GivenScore{submission.score, submission.columns};
}

laurel_code submit_each(laurel_boards* boards, const laurel_board* on, const laurel_values* scores,
                        size_t count, const char* player, const laurel_details* details,
                        double* held, size_t* refused, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    std::vector<ColumnValues> kept(count);
    std::vector<Registry::GivenScore> given;
    for (size_t i = 0; i < count; ++i) {
      if (refused != nullptr) *refused = i;
      const Board* const board = to_board(boards, on[i]);
      if (board == nullptr) return tell_no_board(error, on[i]);
      const Result<Registry::GivenScore> score = to_given(*board, scores[i], kept[i]);
      if (!score) return tell(error, score.refusal());
      given.push_back(*score);
    }
    return submit_to(boards, {on, count}, to_submission(player, 0, details), given, held, refused,
                     error);
  });
}

laurel_columns_api make_columns_api() {
  laurel_columns_api api{};
  api.struct_size = sizeof api;
  api.count = count;
  api.describe = describe;
  api.pack = pack;
  api.values = values;
  api.submit = submit;
  api.submit_each = submit_each;
  return api;
}

}  // namespace

void fill_columns_api(laurel_api& api) {
  static const laurel_columns_api columns = make_columns_api();
  api.columns = &columns;
}

}  // namespace laurel
