// gathering.h - what is to be written to one shard, and waits at the same time, goes there as one
// script: that costs the server and both ends of the connection much less than each for itself.
//
//   lane     of a shard's posts, and one of all else that writes there; first come, first served.
//   run      one script: what waits in a lane when it begins, up to the first that has another
//            head, and at most kRedisAtOnceMax. It begins once nothing else is ready to go on, so
//            that what was asked at once goes at once. kRedisRunsMax runs of a lane are under way
//            at a time, and what comes meanwhile waits for the next.
//   fate     of a run is that of all in it, but for deadlines: each has its own.
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
#include "remote/redis/call.h"
#include "remote/redis/cluster.h"
#include "remote/redis/ready.h"
#include "remote/redis/scripts.h"
#include "remote/task.h"

namespace laurel::redis {

class Gathering {
 public:
  // What stands in front of the first piece of a run.
  struct Head {
    Script script = Script::write;
    Words words;  // how many keys, the keys, and what all pieces have in common
    std::uint16_t slot = 0;
  };
  struct Piece {
    // ---- asked
    std::shared_ptr<const Head> head;  // those with the same one go together
    const Words* words = nullptr;      // of `write` one submission; null: its head says all
    Time deadline = 0;                 // by steady_now()
    bool is_post = false;

    // ---- answered
    Fate fate = Fate::under_way;
    Reply reply;  // as the script gives it where this is all; of `write` {"ok", of this one}
    std::string why;

    // ---- on its way
    std::coroutine_handle<> waiter;
  };

  // Both outlive it.
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

  // Ends pieces whose time is over; looked for every kRedisLookEvery.
  void expire(Time now);

 private:
  using Pieces = std::vector<Piece*>;  // null: ended before the others
  struct Lane {
    std::deque<Piece*> waiting;
    std::vector<Pieces*> under_way;
    bool begins = false;  // as soon as nothing else is ready
  };
  using Lanes = std::map<std::pair<std::string, bool>, Lane>;  // by first key, and whether of posts

  void add(Piece& piece);
  Detached begin_soon(Lanes::iterator lane);
  void begin(Lanes::iterator lane);
  Detached run_next(Lanes::iterator lane);
  static Pieces take_next(Lane& lane);
  static Call& add_call(Batch& batch, const Pieces& pieces);
  void hand_out(Call& call, const Pieces& pieces);
  void end(Piece& piece, Fate fate, std::string_view why);

  Cluster& cluster_;
  Ready& ready_;
  Lanes lanes_;
  Time expired_at_ = 0;
};

}  // namespace laurel::redis
