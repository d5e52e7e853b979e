// followed_change.h - a change of a player's row on a board, from its construction to its end, for
// orders that follow the board's: row_changes() before it, row_changed() after it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/limits.h"
#include "rank/player/player_records.h"

namespace laurel {

template <typename Orders>
class FollowedChange {
 public:
  // `orders` outlives it.
  FollowedChange(Orders& orders, std::string_view player)
      : orders_(orders),
        size_(std::min(player.size(), kPlayerBytesMax)),
        handle_(orders.row_changes(player)) {
    std::copy_n(player.data(), size_, id_.data());
  }
  ~FollowedChange() { orders_.row_changed({id_.data(), size_}, handle_); }
  FollowedChange(const FollowedChange&) = delete;
  FollowedChange& operator=(const FollowedChange&) = delete;

 private:
  Orders& orders_;
  std::array<char, kPlayerBytesMax> id_;  // the id that was given may be a view of the engine
  std::size_t size_;
  PlayerHandle handle_;  // before
};

}  // namespace laurel
