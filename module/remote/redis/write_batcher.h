// write_batcher.h - batches concurrent writes to one shard into one script. That costs the server
// and both ends of the connection much less than one script per write.
//
//   lane     a FIFO queue: one for the posts of a shard, one for all its other writes.
//   run      one script: the waiting pieces of a lane up to the first with another head, at most
//            kRedisAtOnceMax. It starts after all tasks that are ready, so that requests made
//            together are batched. At most kRedisRunsMax runs of a lane are in flight; later pieces
//            wait for the next run.
//   outcome  all pieces of a run share its outcome, except that each has its own deadline.
//   threads  one.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "remote/core/coroutine.h"
#include "remote/core/run_queue.h"
#include "remote/redis/net/cluster.h"
#include "remote/redis/net/command.h"
#include "remote/redis/scripts/scripts.h"

namespace laurel::redis {

class Gathering {
 public:
  // The start of a run's arguments.
  struct Head {
    Script script = Script::write;
    Words words;  // number of keys, the keys, and the arguments that all pieces share
    std::uint16_t slot = 0;
  };
  struct Piece {
    // ---- the request
    std::shared_ptr<const Head> head;  // pieces with the same head are batched
    const Words* words = nullptr;      // for `write` one submission; null: the head is complete
    Time deadline = 0;                 // by steady_now()
    bool is_post = false;

    // ---- answered
    CallOutcome outcome = CallOutcome::under_way;
    Reply reply;  // the script's reply; for `write` {"ok", the part of this piece}
    std::string why;

    // ---- used by Gathering
    std::coroutine_handle<> waiter;
  };

  // The references outlive this object.
  Gathering(Cluster& cluster, Ready& ready) : cluster_(cluster), ready_(ready) {}

  // To be awaited: returns when the piece has its fate.
  auto run(Piece& piece) {
    struct Running {
      Gathering& gathering;
      Piece& piece;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) {
        piece.waiter = task;
        gathering.add(piece);
      }
      void await_resume() const noexcept {}
    };
    return Running{*this, piece};
  }

  // Ends pieces whose deadline has passed; checks every kRedisLookEvery.
  void expire(Time now);

 private:
  using Pieces = std::vector<Piece*>;  // null: ended before the others
  struct Lane {
    std::deque<Piece*> waiting;
    std::vector<Pieces*> under_way;
    bool begins = false;  // a start is scheduled, after all ready tasks
  };
  using Lanes = std::map<std::pair<std::string, bool>, Lane>;  // by first key, and whether of posts

  void add(Piece& piece);
  Detached begin_soon(Lanes::iterator lane);
  void begin(Lanes::iterator lane);
  Detached run_next(Lanes::iterator lane);
  static Pieces take_next(Lane& lane);
  static Call& add_call(Batch& batch, const Pieces& pieces);
  void hand_out(Call& call, const Pieces& pieces);
  void end(Piece& piece, CallOutcome outcome, std::string_view why);

  Cluster& cluster_;
  Ready& ready_;
  Lanes lanes_;
  Time expired_at_ = 0;
};

}  // namespace laurel::redis
