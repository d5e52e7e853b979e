// The C interface's local boards: writing and reading.
#include <span>
#include <utility>
#include <vector>

#include "plugin/host.h"

namespace laurel {

Board* to_board(const laurel_boards* boards, laurel_board handle) {
  return boards->registry->get({handle.slot, handle.generation});
}

namespace {

// ---- writing

// Runs one write and answers as the C interface does.
template <typename Write>
laurel_code write(laurel_boards* boards, laurel_board handle, laurel_outcome* out,
                  laurel_error* error, Write write_to) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const Result<Outcome> outcome = write_to(*board);
    if (!outcome) return tell(error, outcome.refusal());
    if (out != nullptr) *out = to_outcome(*outcome);
    return commit(*boards, error);
  });
}

laurel_code submit(laurel_boards* boards, laurel_board handle, const char* player, double score,
                   const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error, [&](Board& board) {
    return board.submit(WriteMode::submit, to_submission(player, score, details));
  });
}

laurel_code add(laurel_boards* boards, laurel_board handle, const char* player, double difference,
                const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error, [&](Board& board) {
    return board.submit(WriteMode::add, to_submission(player, difference, details));
  });
}

laurel_code set(laurel_boards* boards, laurel_board handle, const char* player, double score,
                const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error,
               [&](Board& board) { return board.set(to_submission(player, score, details)); });
}

// Several threads may run this at once: of `boards` it uses the registry only, and only reads it.
size_t submit_all(laurel_boards* boards, laurel_board handle, laurel_result* results,
                  size_t count) {
  const std::span<laurel_result> batch(results, count);
  const auto answer_all = [&batch](laurel_code code) {
    for (laurel_result& result : batch) result.code = code;
  };
  answer_all(LAUREL_UNAVAILABLE);  // overwritten when the batch succeeds
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    Board* board = boards->registry->peek({handle.slot, handle.generation});
    if (board == nullptr) {
      answer_all(tell_no_board(nullptr, handle));
      return 0;
    }
    std::vector<Submission> submissions;
    submissions.reserve(count);
    for (const laurel_result& result : batch) {
      submissions.push_back(to_submission(result.player, result.score, nullptr));
    }
    std::vector<laurel_code> codes(count, LAUREL_OK);
    const std::size_t changed =
        board->submit_all(submissions, [&codes](std::size_t index, const Refusal& refusal) {
          codes[index] = tell(nullptr, refusal);
        });
    const bool kept = changed == 0 || static_cast<bool>(boards->registry->commit());
    for (std::size_t i = 0; i < count; ++i) batch[i].code = kept ? codes[i] : LAUREL_UNAVAILABLE;
    return changed;
  });
}

int32_t remove(laurel_boards* boards, laurel_board handle, const char* player) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    Board* board = to_board(boards, handle);
    if (board == nullptr || player == nullptr) return 0;
    const Result<bool> removed = board->remove(player);
    return removed && *removed && boards->registry->commit();
  });
}

template <Result<bool> (Board::*change)(std::string_view)>
laurel_code change_player(laurel_boards* boards, laurel_board handle, const char* player,
                          laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const Result<bool> changed = (board->*change)(player == nullptr ? "" : player);
    return changed ? commit(*boards, error) : tell(error, changed.refusal());
  });
}

laurel_code join(laurel_boards* boards, laurel_board handle, const char* player,
                 laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const Result<bool> joined = board->join(to_submission(player, 0, nullptr), false);
    return joined ? commit(*boards, error) : tell(error, joined.refusal());
  });
}

// ---- reading

uint64_t size(laurel_boards* boards, laurel_board handle) {
  const Board* board = to_board(boards, handle);
  return board == nullptr ? 0 : board->size();
}

int32_t score(laurel_boards* boards, laurel_board handle, const char* player, double* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* board = to_board(boards, handle);
    const std::optional<double> held = board ? board->score(player) : std::nullopt;
    if (held && out != nullptr) *out = *held;
    return held.has_value();
  });
}

int32_t rank(laurel_boards* boards, laurel_board handle, const char* player, uint64_t* rank_out,
             uint64_t* size_out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const std::optional<Standing> standing = board->rank(player, std::nullopt);
    if (!standing) return 0;
    if (rank_out != nullptr) *rank_out = standing->rank.whole();
    if (size_out != nullptr) *size_out = standing->size;
    return 1;
  });
}

size_t page(laurel_boards* boards, laurel_board handle, uint64_t first, laurel_board_entry* out,
            size_t n) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr) return 0;
    boards->entries.clear();
    board->read(first_to_index(first), n, boards->entries);
    return hand_out(boards->entries, out);
  });
}

size_t around(laurel_boards* boards, laurel_board handle, const char* player, size_t n,
              laurel_board_entry* out) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr || player == nullptr) return 0;
    boards->entries.clear();
    board->around(player, n, boards->entries);
    return hand_out(boards->entries, out);
  });
}

size_t top(laurel_boards* boards, laurel_board handle, laurel_board_entry* out, size_t n) {
  return page(boards, handle, 1, out, n);
}

}  // namespace

void fill_boards_api(laurel_api& api) {
  api.submit = submit;
  api.add = add;
  api.set = set;
  api.submit_all = submit_all;
  api.remove = remove;
  api.join = join;
  api.leave = change_player<&Board::leave>;
  api.ban = change_player<&Board::ban>;
  api.unban = change_player<&Board::unban>;
  api.size = size;
  api.score = score;
  api.rank = rank;
  api.top = top;
  api.page = page;
  api.around = around;
}

}  // namespace laurel
