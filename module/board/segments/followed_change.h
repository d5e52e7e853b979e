// followed_change.h - a change of a player's row on a board, from its construction to its end, for
// orders that follow the board's: row_changes() before it, row_changed() after it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/limits.h"
#include "engine/engine.h"

namespace laurel {

template <typename Orders>
class FollowedChange {
 public:
  // `orders` outlives it, and `next`, the row after the change, null if that is not certain.
  FollowedChange(Orders& orders, const Player& player, const RowKey* next)
      : orders_(orders),
        size_(std::min(player.id.size(), kPlayerBytesMax)),
        handle_(orders.row_changes(player)),
        next_(next) {
    std::copy_n(player.id.data(), size_, id_.data());
  }
  ~FollowedChange() { orders_.row_changed({id_.data(), size_}, handle_, next_); }
  FollowedChange(const FollowedChange&) = delete;
  FollowedChange& operator=(const FollowedChange&) = delete;

 private:
  Orders& orders_;
  std::array<char, kPlayerBytesMax> id_;  // the id that was given may be a view of the engine
  std::size_t size_;
  PlayerHandle handle_;  // before
  const RowKey* next_;
};

}  // namespace laurel
