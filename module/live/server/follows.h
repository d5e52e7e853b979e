// follows.h - the live thread's table of follows: subscriptions to the entries around a player.
//
// Only the game thread can read a board, and only the live thread knows which clients follow which
// player. So the live thread reports the follows, each with a new number, and the game thread posts
// windows for these numbers.
//
//   follow    one player with n above and n below on one board, shared by all clients that follow
//             the same. It begins with its first follower and ends with its last.
//   limits    the number of subscriptions of all clients. A follow that ends before it was reported
//             is not reported at all.
//   threads   none.
//   cost      O(log follows) a call, `end_board` O(follows).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/net/transport.h"
#include "live/server/publication.h"

namespace laurel {

struct Around {
  std::string board;
  std::string player;
  std::uint8_t n = 0;  // above, and below: 0 to kLiveAroundMax

  friend auto operator<=>(const Around&, const Around&) = default;
};

using FollowId = std::uint64_t;  // never reused

// The follows that the game thread must begin to look up, and those that have ended.
struct FollowNews {
  std::vector<std::pair<FollowId, Around>> begun;
  std::vector<FollowId> ended;
};

class Follows {
 public:
  struct Follow {
    FollowId id = 0;
    std::vector<PeerId> followers;
    std::optional<Publication> windows;  // nullopt until the first window is posted
  };

  // Adds a follower. The reference is valid until the follow ends.
  Follow& begin(const Around& around, PeerId follower);
  // Removes a follower.
  void end(const Around& around, PeerId follower);
  // Ends all follows of a board that is no longer published.
  void end_board(std::string_view board);

  // Returns the follow with that number, or null if it has ended.
  std::pair<const Around, Follow>* find(FollowId id);

  std::size_t size() const { return follows_.size(); }

  // Returns the changes since the last call.
  FollowNews take_news();

 private:
  using Map = std::map<Around, Follow>;
  Map::iterator end(Map::iterator follow);

  Map follows_;
  std::map<FollowId, std::pair<const Around, Follow>*> by_id_;
  std::map<FollowId, Around> begun_;  // not reported yet
  std::vector<FollowId> ended_;       // not reported yet; their beginning was reported
  FollowId last_id_ = 0;
};

}  // namespace laurel
