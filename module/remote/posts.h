// posts.h - the posts of one board, on their way: each lane's in order, many under way at a time.
//
//   lane     a queue for each shard (lane_of); posts of a lane are applied in its order.
//   ahead    up to kPostsAheadMax of a lane are sent before the first is acknowledged, each naming
//            the one before it, so that none is applied where that one is missing.
//   alone    after a start or a failure the first of a lane goes alone, before all others, until it
//            is acknowledged: nothing is known of what the remote applied.
//   failure  back to the first that is not acknowledged, after a while.
//   rule     of a board that has one: posts go one at a time, each judged when its turn comes; one
//            whose answer was lost is judged again, and not applied again.
//   refused  counts as done, and is logged.
//   threads  the registry's caller.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "remote/journal.h"
#include "remote/judging.h"
#include "remote/remote_board.h"

namespace laurel {

class Posts {
 public:
  Posts(Asks& asks, Journal& journal, RemoteBoard& board)
      : asks_(asks), journal_(journal), board_(board) {}
  ~Posts();
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  // What can be said of a submission before the remote has seen it: not_finite, bad_player,
  // bad_data, and where the spec is known out_of_range and closed.
  Status check(const OwnedSubmission& what) const;
  // REQUIRES: its number is above those of all posts before it.
  void add(Post post);
  // The board's spec became known, or another.
  void opened();
  // Once a tick, after answers were handed out.
  void tick();
  // The board is gone, and they with it.
  void discard();

  // Called when the board has forgotten a player, before that is done for good.
  std::function<void(std::string_view player)> on_forgotten;

  std::size_t pending() const { return pending_; }
  std::uint64_t refused() const { return refused_; }
  // Since when the first of them waits.
  std::optional<Time> oldest() const;

 private:
  struct Lane {
    std::deque<Post> posts;
    std::size_t sent = 0;  // of them from the front, under way or done
    bool alone = true;
    std::uint64_t epoch = 0;        // goes up with every failure
    std::uint64_t sent_server = 0;  // of the last that was sent
    std::uint64_t last_server = 0;  // of the last that was acknowledged
    std::uint64_t last = 0;
    Time retry_at = 0;
    Time backoff = 0;
    std::shared_ptr<Judged> judged;
  };

  bool is_judged() const { return !board_.spec()->rule.empty(); }
  void send(std::size_t index, Lane& lane);
  bool send_next(std::size_t index, Lane& lane);
  void send_one(std::size_t index, Lane& lane, PostForm form, PostNumber number);
  void answered(std::size_t index, std::uint64_t number, std::uint64_t epoch,
                const Result<Value>& value);
  void fail(Lane& lane);

  Asks& asks_;
  Journal& journal_;
  RemoteBoard& board_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<std::size_t, Lane> lanes_;
  std::size_t shards_ = 0;     // as the lanes have it
  std::deque<Post> unplaced_;  // until the spec says their lanes
  std::size_t pending_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace laurel
