// call_queue.h - requests of scripts and hosts to remote boards, from the request to the callback.
//
//   waits    until its board is open, but not beyond its deadline.
//   judged   by the board's rule if it submits scores (rule_write.h).
//   ends     with one callback, at a later tick. There is none if the request is cancelled, its
//            board is dropped, or all is closed.
//   threads  the registry's caller.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/registry.h"
#include "remote/archive/archive_read.h"
#include "remote/core/pending_requests.h"
#include "remote/core/remote_board.h"
#include "remote/core/rule_write.h"

namespace laurel {

class CallQueue {
 public:
  using Id = std::uint64_t;
  using Completion = PendingRequests::Completion;

  explicit CallQueue(PendingRequests& requests) : requests_(requests) {}

  // `board` is the handle's, null if it was dropped.
  Id ask(RemoteBoard* board, BoardHandle handle, std::uint64_t season, Request what,
         Completion done);
  // For requests that concern no remote board (players, copies of seasons). Sent at once.
  Id ask_site(NamedRemote& remote, Target target, Request what, Completion done);
  void cancel(Id id);
  void cancel_all_of(BoardHandle board);
  void cancel_all();

  // The board is open: sends the requests that waited for it.
  void opened(RemoteBoard& board, BoardHandle handle);
  // Called once a tick, after answers were delivered. Ends requests that failed without an answer.
  // A callback may close everything.
  void tick();

  // Called when a remote does not know a board, and before the completion of a drop.
  std::function<void(BoardHandle)> on_unknown;
  std::function<void(BoardHandle)> on_dropped;
  // Called before the completion: a board's first entries were read, by a request of that time, by
  // the steady clock; and a player was banned or forgotten.
  std::function<void(BoardHandle, const Listed&, Time asked)> on_top;
  std::function<void(BoardHandle, std::string_view player)> on_hidden;
  // The remote of past seasons that a board's own remote no longer keeps; null: none.
  NamedRemote* archive = nullptr;

 private:
  struct QueuedCall {
    BoardHandle board;
    std::uint64_t season = 0;
    Request what;  // until it is sent
    Completion done;
    Time deadline = 0;
    RequestId request = 0;
    std::optional<Time> asked;  // when it was sent, if it reads the first entries
    std::string hidden;         // the player, if it bans or forgets one
    std::shared_ptr<RuleWrite> rule_write;
    std::shared_ptr<RuleWriteAll> rule_write_all;
    std::shared_ptr<ArchivedRead> archived;
  };
  struct Waiting {
    Id id = 0;
    BoardHandle board;
    Time deadline = 0;
    const RemoteBoard* why = nullptr;  // outlives its waiting requests
  };

  bool has_room(Id id);
  void begin(RemoteBoard& board, Id id, QueuedCall& call);
  void send(RemoteBoard& board, Id id, QueuedCall& call);
  void answered(Id id, Result<Value> value);
  void dropped(Id id, Result<Value> value);
  void stop(const QueuedCall& call);
  void later(Id id, Result<Value> value) { ready_.emplace_back(id, std::move(value)); }
  void give_up_waiting();

  PendingRequests& requests_;
  std::map<Id, QueuedCall> calls_;
  std::vector<Waiting> waiting_;  // in the order of asking
  std::vector<std::pair<Id, Result<Value>>> ready_;
  Id last_ = 0;
};

}  // namespace laurel
