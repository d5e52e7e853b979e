// The C interface's seasons: ending one, and reading past ones.
#include "plugin/host.h"

namespace laurel {

namespace {

uint64_t season(laurel_boards* boards, laurel_board handle) {
  return guarded(nullptr, uint64_t{0}, [&]() -> uint64_t {
    const Board* board = to_board(boards, handle);
    return board == nullptr ? 0 : board->season().number;
  });
}

laurel_code reset(laurel_boards* boards, laurel_board handle, uint64_t* ended,
                  laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const Result<std::uint64_t> number = board->reset();
    if (!number) return tell(error, number.refusal());
    if (ended != nullptr) *ended = *number;
    return commit(*boards, error);
  });
}

size_t archived(laurel_boards* boards, laurel_board handle, uint64_t number, uint64_t first,
                laurel_board_entry* out, size_t n) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* board = to_board(boards, handle);
    const Standings* standings = board == nullptr ? nullptr : board->archived(number);
    if (standings == nullptr) return 0;
    boards->entries.clear();
    standings->read(first_to_index(first), n, boards->entries);
    return hand_out(boards->entries, out);
  });
}

}  // namespace

void fill_seasons_api(laurel_api& api) {
  api.season = season;
  api.reset = reset;
  api.archived = archived;
}

}  // namespace laurel
