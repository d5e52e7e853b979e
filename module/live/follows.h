// follows.h - the players whose surroundings clients follow, as the live thread sees them.
//
// Only the game thread can read a board, and only the live thread knows who follows whom. So the
// live thread tells what is followed, each time under a number of its own, and the game thread
// posts windows under these numbers.
//
//   follow    one player with n above and n below on one board; all clients that follow the same
//             share it. It begins with its first follower and ends with its last.
//   limits    as many as clients may have subscriptions. What the game thread was not told yet and
//             is over already it never hears of.
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

#include "live/publication.h"
#include "live/transport.h"

namespace laurel {

struct Around {
  std::string board;
  std::string player;
  std::uint8_t n = 0;  // above, and below: 0 to kLiveAroundMax

  friend auto operator<=>(const Around&, const Around&) = default;
};

using FollowId = std::uint64_t;  // never used again

// What the game thread has to look up from now on, and what no more.
struct FollowNews {
  std::vector<std::pair<FollowId, Around>> begun;
  std::vector<FollowId> ended;
};

class Follows {
 public:
  struct Follow {
    FollowId id = 0;
    std::vector<PeerId> followers;
    std::optional<Publication> windows;  // none until the first was posted
  };

  // Another follower. The reference is good until the follow ends.
  Follow& begin(const Around& around, PeerId follower);
  // A follower fewer.
  void end(const Around& around, PeerId follower);
  // The board is no longer published.
  void end_board(std::string_view board);

  // The follow of that number with what is followed; null when it ended meanwhile.
  std::pair<const Around, Follow>* find(FollowId id);

  std::size_t size() const { return follows_.size(); }

  // Since the last call.
  FollowNews take_news();

 private:
  using Map = std::map<Around, Follow>;
  Map::iterator end(Map::iterator follow);

  Map follows_;
  std::map<FollowId, std::pair<const Around, Follow>*> by_id_;
  std::map<FollowId, Around> begun_;  // not taken yet
  std::vector<FollowId> ended_;       // likewise, of those that were taken
  FollowId last_id_ = 0;
};

}  // namespace laurel
