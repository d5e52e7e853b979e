// post_queue.h - the pending posts of one board: each lane in order, many in flight at a time.
//
//   lane     a queue for each shard (lane_of). Posts of a lane are applied in its order.
//   ahead    up to kPostsAheadMax posts of a lane are sent before the first is acknowledged. Each
//            names its predecessor, so that none is applied if that one is missing.
//   alone    after a start or a failure the first post of a lane is sent alone, before all others,
//            until it is acknowledged: it is not known what the remote has applied.
//   failure  sending restarts at the first post that is not acknowledged, after a delay.
//   rule     if the board has one, posts are sent one at a time, each judged when its turn comes.
//            If an answer was lost, the post is judged again, and not applied again.
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

#include "remote/core/backoff.h"
#include "remote/core/post_journal.h"
#include "remote/core/remote_board.h"
#include "remote/core/rule_write.h"

namespace laurel {

class Posts {
 public:
  Posts(PendingRequests& requests, Journal& journal, RemoteBoard& board)
      : requests_(requests), journal_(journal), board_(board) {}
  ~Posts();
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  // What can be checked before the remote has seen a submission: not_finite, bad_player, bad_data,
  // and if the spec is known out_of_range and closed.
  Status check(const OwnedSubmission& what) const;
  // REQUIRES: its number is above those of all posts before it.
  void add(Post post);
  // The board's spec became known or changed.
  void opened();
  // Called once a tick, after answers were delivered.
  void tick();
  // The board is gone: drops its posts.
  void discard();

  // Called when the remote has carried out, or refused, a post that is not a submission; before the
  // post is removed from the journal.
  std::function<void(PostKind kind, std::string_view player)> on_order;

  std::size_t pending() const { return pending_; }
  std::uint64_t refused() const { return refused_; }
  // When the oldest pending post was posted.
  std::optional<Time> oldest() const;

 private:
  struct Lane {
    std::deque<Post> posts;
    std::size_t sent = 0;  // posts at the front that are in flight or done
    bool alone = true;
    std::uint64_t epoch = 0;        // goes up with every failure
    std::uint64_t sent_server = 0;  // of the last post sent
    std::uint64_t last_server = 0;  // of the last post acknowledged
    std::uint64_t last = 0;
    Backoff backoff;
    std::shared_ptr<RuleWrite> rule_write;
  };

  bool is_judged() const { return !board_.spec()->rule.empty(); }
  void send(std::size_t index, Lane& lane);
  bool send_next(std::size_t index, Lane& lane);
  void send_one(std::size_t index, Lane& lane, PostForm form, PostNumber number);
  void answered(std::size_t index, std::uint64_t number, std::uint64_t epoch,
                const Result<Value>& value);
  void fail(Lane& lane);

  PendingRequests& requests_;
  Journal& journal_;
  RemoteBoard& board_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<std::size_t, Lane> lanes_;
  std::size_t shards_ = 0;     // when the lanes were assigned
  std::deque<Post> unplaced_;  // until the spec is known
  std::size_t pending_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace laurel
