// questions.h - what scripts and hosts asked of remote boards, from the asking to the calling back.
//
//   waits    until its board is open, but not beyond its deadline.
//   judged   by the board's rule where it hands in scores (judging.h).
//   ends     once, at a later tick; or not at all, when it is cancelled, its board dropped, or all
//            of it closed.
//   threads  the registry's caller.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "board/registry.h"
#include "remote/archived_read.h"
#include "remote/asks.h"
#include "remote/judging.h"
#include "remote/remote_board.h"

namespace laurel {

class Questions {
 public:
  using Id = std::uint64_t;
  using Completion = Asks::Completion;

  explicit Questions(Asks& asks) : asks_(asks) {}

  // `board` is the handle's, null where it was dropped.
  Id ask(RemoteBoard* board, BoardHandle handle, std::uint64_t season, Ask what, Completion done);
  // Of what is no remote board's, players and copies of seasons: it goes to the remote at once.
  Id ask_site(Site& site, Target target, Ask what, Completion done);
  void cancel(Id id);
  void cancel_all_of(BoardHandle board);
  void cancel_all();

  // The board is open: those that waited are sent.
  void opened(RemoteBoard& board, BoardHandle handle);
  // Once a tick, when answers were handed out: those that end without one. May close everything.
  void tick();

  // Called when a remote did not know a board, and before whoever dropped one is told of it.
  std::function<void(BoardHandle)> on_unknown;
  std::function<void(BoardHandle)> on_dropped;
  // Where past seasons are that a board's remote keeps no more; null: nowhere.
  Site* archive = nullptr;

 private:
  struct Question {
    BoardHandle board;
    std::uint64_t season = 0;
    Ask what;  // until it is sent
    Completion done;
    Time deadline = 0;
    RequestId request = 0;
    std::shared_ptr<Judged> judged;
    std::shared_ptr<JudgedAll> judged_all;
    std::shared_ptr<ArchivedRead> archived;
  };
  struct Waiting {
    Id id = 0;
    BoardHandle board;
    Time deadline = 0;
    const RemoteBoard* why = nullptr;  // lives as long as its questions wait
  };

  bool has_room(Id id);
  void begin(RemoteBoard& board, Id id, Question& question);
  void send(RemoteBoard& board, Id id, Question& question);
  void answered(Id id, Result<Value> value);
  void dropped(Id id, Result<Value> value);
  void stop(const Question& question);
  void later(Id id, Result<Value> value) { ready_.emplace_back(id, std::move(value)); }
  void give_up_waiting();

  Asks& asks_;
  std::map<Id, Question> questions_;
  std::vector<Waiting> waiting_;  // in the order of asking
  std::vector<std::pair<Id, Result<Value>>> ready_;
  Id last_ = 0;
};

}  // namespace laurel
