// The C interface's seasons: ending one, handlers of their ends, and reading past ones.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "laurel/seasons.h"
#include "plugin/host.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

// ---- seasons

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

bool is_running(const Board& board, uint64_t number) {
  return number == 0 || number == board.season().number;
}

void set_if_any(const std::optional<Time>& time, int32_t& has, int64_t& out) {
  has = time.has_value();
  out = time.value_or(0);
}

laurel_season_facts to_facts(const Season& season, const Standings& standings) {
  laurel_season_facts facts{};
  facts.number = season.number;
  facts.size = standings.size();
  facts.started = season.started;
  set_if_any(season.ended, facts.has_ended, facts.ended);
  return facts;
}

int32_t facts(laurel_boards* boards, laurel_board handle, uint64_t number,
              laurel_season_facts* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    if (is_running(*board, number)) {
      laurel_season_facts running = to_facts(board->season(), *board);
      set_if_any(board->resets_at(), running.has_resets_at, running.resets_at);
      set_if_any(board->closes_at(), running.has_closes_at, running.closes_at);
      fill_out(running, out);
      return 1;
    }
    const ArchivedSeason* const past = board->archived(number);
    if (past == nullptr) return 0;
    fill_out(to_facts(past->season(), *past), out);
    return 1;
  });
}

size_t kept(laurel_boards* boards, laurel_board handle, uint64_t* out, size_t n) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const std::vector<std::uint64_t> numbers = board->seasons();
    const std::size_t filled = std::min(n, numbers.size());
    std::copy_n(numbers.begin(), filled, out);
    return filled;
  });
}

int32_t standing(laurel_boards* boards, laurel_board handle, uint64_t number, const char* player,
                 laurel_board_entry* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const Standings* standings = board;
    if (!is_running(*board, number)) standings = board->archived(number);
    if (standings == nullptr) return 0;
    const std::optional<Entry> entry = standings->get(text_or_empty(player));
    if (entry) *out = hand_out(*entry);
    return entry.has_value();
  });
}

// ---- ends of seasons

laurel_ended_season to_ended(const laurel_boards& boards, const EndedSeason& ended) {
  const RemoteBoards* const remotes = RemoteBoards::of(*boards.registry);
  const auto remote = remotes == nullptr ? std::nullopt : remotes->find(ended.board);
  const BoardHandle local = boards.registry->find(ended.board).value_or(BoardHandle{});
  return {.struct_size = sizeof(laurel_ended_season),
          .board = remote ? to_remote_handle(*remote) : laurel_board{local.slot, local.generation},
          .board_name = ended.board.c_str(),
          .id = ended.id.c_str(),
          .season = ended.season.number,
          .size = ended.size,
          .started = ended.season.started,
          .ended = ended.season.ended.value_or(0)};
}

// What a handler says about its failure.
std::string failure_of(laurel_code code, const laurel_error& error) {
  const std::string_view text(error.text, strnlen(error.text, sizeof error.text));
  return text.empty() ? fmt::format("the handler returned {}", code) : std::string(text);
}

// The registry calls this at tick.
SeasonEndHandler to_handler(laurel_boards* boards, std::string_view name,
                            laurel_on_season_end on_end, void* context) {
  return [=, name = std::string(name)](const EndedSeason& ended, std::string& error) {
    const laurel_ended_season told = to_ended(*boards, ended);
    laurel_error why{};
    const laurel_code code = on_end(context, &told, &why);
    if (code == LAUREL_OK) return Hearing::returned;
    error = failure_of(code, why);
    boards->registry->log().error("{}: {}", title_of(name, ended), escaped(error));
    return Hearing::raised;
  };
}

laurel_code listen(laurel_boards* boards, const char* name, laurel_on_season_end on_end,
                   void* context, laurel_season_handler* handler, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (on_end == nullptr) return tell(error, LAUREL_INVALID, "invalid: on_end is null");
    const std::string_view known = text_or_empty(name);
    const Result<SeasonEndHandlerId> begun = boards->registry->season_ends().listen(
        known, boards, to_handler(boards, known, on_end, context));
    if (!begun) return tell(error, begun.refusal());
    if (handler != nullptr) *handler = *begun;
    return commit(*boards, error);
  });
}

void stop(laurel_boards* boards, laurel_season_handler handler) {
  guarded(nullptr, 0, [&] {
    boards->registry->season_ends().stop(handler);
    return 0;
  });
}

laurel_code forget(laurel_boards* boards, const char* name, int32_t* forgotten,
                   laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Result<bool> known = boards->registry->season_ends().forget(text_or_empty(name));
    if (!known) return tell(error, known.refusal());
    if (forgotten != nullptr) *forgotten = *known;
    return commit(*boards, error);
  });
}

size_t waiting(laurel_boards* boards, laurel_on_waiting_end on_waiting, void* context) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    std::vector<UnheardEnd> ends = boards->registry->season_ends().unheard();
    if (const RemoteBoards* const remotes = RemoteBoards::of(*boards->registry)) {
      for (UnheardEnd& end : remotes->unheard_ends()) ends.push_back(std::move(end));
    }
    for (const UnheardEnd& end : ends) {
      const laurel_waiting_end told{.struct_size = sizeof told,
                                    .tries = end.tries,
                                    .name = end.name.c_str(),
                                    .board = end.board.c_str(),
                                    .season = end.season,
                                    .error = end.error.c_str()};
      if (on_waiting != nullptr) on_waiting(context, &told);
    }
    return ends.size();
  });
}

laurel_seasons_api make_seasons_api() {
  laurel_seasons_api api{};
  api.struct_size = sizeof api;
  api.listen = listen;
  api.stop = stop;
  api.forget = forget;
  api.waiting = waiting;
  api.facts = facts;
  api.kept = kept;
  api.standing = standing;
  return api;
}

}  // namespace

void fill_seasons_api(laurel_api& api) {
  static const laurel_seasons_api seasons = make_seasons_api();
  api.season = season;
  api.reset = reset;
  api.archived = archived;
  api.seasons = &seasons;
}

}  // namespace laurel
