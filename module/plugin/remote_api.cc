// The C interface's remote boards: calls, posts and state.
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "plugin/host.h"
#include "remote/remote_boards.h"

namespace laurel {

namespace {

// Where the answer, or an immediate refusal, goes.
struct Asking {
  RemoteCalls::Receiver receiver;
  laurel_error* error;
};

// The last step of every call; make() returns the request.
template <typename Make>
laurel_code send(laurel_boards* boards, laurel_board handle, uint64_t season, const Asking& asking,
                 Make make) {
  return guarded(asking.error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (!is_remote(handle)) {
      if (to_board(boards, handle) == nullptr) return tell_no_board(asking.error, handle);
      return tell(asking.error, LAUREL_INVALID,
                  "invalid: this board is local: use the calls of laurel.h");
    }
    const Status asked = boards->calls.ask(*boards->registry, from_remote_handle(handle), season,
                                           Request(make()), asking.receiver);
    return asked ? tell_ok(asking.error) : tell(asking.error, asked.refusal());
  });
}

// ---- writing

template <WriteMode how>
laurel_code write(laurel_boards* boards, laurel_board board, const char* player, double score,
                  const laurel_details* details, laurel_on_answer on_answer, void* context,
                  laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    return request::Write{.how = how, .what = own(to_submission(player, score, details))};
  });
}

laurel_code submit_all(laurel_boards* boards, laurel_board board, const laurel_result* results,
                       size_t count, laurel_on_answer on_answer, void* context,
                       laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    request::WriteAll all;
    all.what.reserve(count);
    for (const laurel_result& result : std::span(results, count)) {
      all.what.push_back(own(to_submission(result.player, result.score, nullptr)));
    }
    return all;
  });
}

// A request that has a player and nothing else.
template <typename What>
laurel_code ask_player(laurel_boards* boards, laurel_board board, const char* player,
                       laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    What what;
    what.player = text_or_empty(player);
    return what;
  });
}

// A request that has no arguments.
template <typename What>
laurel_code ask_board(laurel_boards* boards, laurel_board board, laurel_on_answer on_answer,
                      void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [] { return What{}; });
}

laurel_code join(laurel_boards* boards, laurel_board board, const char* player,
                 laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    request::Join join;
    join.what.player = text_or_empty(player);
    return join;
  });
}

laurel_code grant(laurel_boards* boards, laurel_board board, const char* player, int64_t more,
                  laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    return request::Grant{std::string(text_or_empty(player)), more};
  });
}

// ---- reading

laurel_code count(laurel_boards* boards, laurel_board board, double low, double high,
                  laurel_on_answer on_answer, void* context, laurel_error* error) {
  if (std::isnan(low) || std::isnan(high)) {
    return tell(error, LAUREL_NOT_FINITE, "not_finite: a bound of the range is nan");
  }
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    return request::Count{{low, high}};
  });
}

laurel_code list(laurel_boards* boards, laurel_board board, uint64_t season, uint64_t first,
                 size_t n, const Asking& asking) {
  return send(boards, board, season, asking, [&] {
    return request::Page{first_to_index(first), n};
  });
}

// A season of a local board that may be in the remote archive.
laurel_code archived_here(laurel_boards* boards, laurel_board handle, uint64_t season,
                          request::Page page, const Asking& asking) {
  return guarded(asking.error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(asking.error, handle);
    const RemoteBoards* const remotes = RemoteBoards::of(*boards->registry);
    if (remotes == nullptr || !remotes->copies_seasons() || board->archived(season) != nullptr) {
      return tell(asking.error, LAUREL_INVALID,
                  "invalid: this season is local: use the calls of laurel.h");
    }
    const Status asked =
        boards->calls.ask_archived(*boards->registry, *board, season, page, asking.receiver);
    return asked ? tell_ok(asking.error) : tell(asking.error, asked.refusal());
  });
}

laurel_code archived(laurel_boards* boards, laurel_board board, uint64_t season, uint64_t first,
                     size_t n, laurel_on_answer on_answer, void* context, laurel_error* error) {
  if (season == 0) return tell(error, LAUREL_UNKNOWN, "unknown: seasons count from 1");
  if (!is_remote(board)) {
    return archived_here(boards, board, season, {first_to_index(first), n},
                         {{on_answer, context}, error});
  }
  return list(boards, board, season, first, n, {{on_answer, context}, error});
}

laurel_code page(laurel_boards* boards, laurel_board board, uint64_t first, size_t n,
                 laurel_on_answer on_answer, void* context, laurel_error* error) {
  return list(boards, board, 0, first, n, {{on_answer, context}, error});
}

laurel_code top(laurel_boards* boards, laurel_board board, size_t n, laurel_on_answer on_answer,
                void* context, laurel_error* error) {
  return page(boards, board, 1, n, on_answer, context, error);
}

laurel_code around(laurel_boards* boards, laurel_board board, const char* player, size_t n,
                   laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    return request::Around{std::string(text_or_empty(player)), n};
  });
}

laurel_code score_at(laurel_boards* boards, laurel_board board, uint64_t position,
                     laurel_on_answer on_answer, void* context, laurel_error* error) {
  const size_t n = position == 0 ? 0 : 1;
  return list(boards, board, 0, position, n, {{on_answer, context}, error});
}

laurel_code score_at_percentile(laurel_boards* boards, laurel_board board, double percentile,
                                laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error},
              [&] { return request::ScoreAtPercentile{percentile}; });
}

laurel_code top_percent(laurel_boards* boards, laurel_board board, double percent,
                        laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error},
              [&] { return request::TopPercent{percent}; });
}

laurel_code around_score(laurel_boards* boards, laurel_board board, double score, size_t n,
                         laurel_on_answer on_answer, void* context, laurel_error* error) {
  return send(boards, board, 0, {{on_answer, context}, error}, [&] {
    return request::AroundScore{score, n};
  });
}

// ---- without a callback

laurel_code post(laurel_boards* boards, laurel_board board, const char* player, double score,
                 const laurel_details* details, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Submission submission = to_submission(player, score, details);
    if (!is_remote(board)) {
      Board* const here = to_board(boards, board);
      if (here == nullptr) return tell_no_board(error, board);
      const Result<Outcome> outcome = here->submit(WriteMode::submit, submission);
      return outcome ? commit(*boards, error) : tell(error, outcome.refusal());
    }
    RemoteBoards* const remotes = RemoteBoards::of(*boards->registry);
    if (remotes == nullptr || boards->registry->closed()) {
      return tell(error, LAUREL_CLOSED, "closed: the boards are closed");
    }
    const Status kept = remotes->post(from_remote_handle(board), own(submission));
    return kept ? commit(*boards, error) : tell(error, kept.refusal());
  });
}

int32_t state(laurel_boards* boards, laurel_board board, laurel_remote_state* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const RemoteBoards* const remotes = RemoteBoards::of(*boards->registry);
    if (!is_remote(board) || remotes == nullptr) return 0;
    if (remotes->name(from_remote_handle(board)) == nullptr) return 0;
    const RemoteBoardState known = remotes->state(from_remote_handle(board));
    laurel_remote_state facts{};
    facts.up = known.down.empty() ? 1 : 0;
    facts.pending = known.pending;
    facts.refused = known.refused;
    facts.oldest = seconds_from_time(known.oldest.value_or(0));
    facts.round_trip = seconds_from_time(known.round_trip);
    const std::string text = known.down.empty() ? "up" : "down: " + known.down;
    text.copy(facts.text, sizeof facts.text - 1);
    fill_out(facts, out);
    return 1;
  });
}

laurel_remote_api make_remote_api() {
  laurel_remote_api api{};
  api.struct_size = sizeof api;
  api.post = post;
  api.state = state;
  api.submit = write<WriteMode::submit>;
  api.add = write<WriteMode::add>;
  api.set = write<WriteMode::set>;
  api.submit_all = submit_all;
  api.remove = ask_player<request::Remove>;
  api.join = join;
  api.leave = ask_player<request::Leave>;
  api.ban = ask_player<request::Ban>;
  api.unban = ask_player<request::Unban>;
  api.reset = ask_board<request::Reset>;
  api.drop = ask_board<request::Drop>;
  api.size = ask_board<request::Size>;
  api.score = ask_player<request::Get>;
  api.rank = ask_player<request::Rank>;
  api.count = count;
  api.top = top;
  api.page = page;
  api.around = around;
  api.season = ask_board<request::ReadSeason>;
  api.archived = archived;
  api.score_at = score_at;
  api.score_at_percentile = score_at_percentile;
  api.top_percent = top_percent;
  api.around_score = around_score;
  api.attempts = ask_player<request::Attempts>;
  api.grant = grant;
  return api;
}

}  // namespace

void fill_remote_api(laurel_api& api) {
  static const laurel_remote_api remote = make_remote_api();
  api.remote = &remote;
}

}  // namespace laurel
