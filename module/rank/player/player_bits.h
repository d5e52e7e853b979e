// player_bits.h - a set of players of one table: one bit for each handle.
//
//   memory   a page of 512 bytes for each 4,096 handles of which one is in the set, and 8 bytes for
//            each 4,096 handles up to the largest one.
//   cost     O(1); first: O(handles / 4,096) at most, O(1) if players are taken in that order.
//   threads  one caller at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rank/player/players.h"

namespace laurel {

class PlayerBits {
 public:
  bool has(PlayerHandle player) const;
  // Each returns whether the set changed.
  bool add(PlayerHandle player);
  bool remove(PlayerHandle player);
  // Any player of the set; kNoPlayer if it is empty.
  PlayerHandle first() const;

 private:
  static constexpr std::size_t kWords = 64;
  static constexpr std::size_t kBits = 64 * kWords;  // of a page
  struct Page {
    std::array<std::uint64_t, kWords> words{};
    std::size_t players = 0;
  };

  static std::uint64_t bit(PlayerHandle player) { return std::uint64_t{1} << (player % 64); }
  static std::size_t word(PlayerHandle player) { return player / 64 % kWords; }

  std::vector<std::unique_ptr<Page>> pages_;  // null: no player of the page
  mutable std::size_t begin_ = 0;             // no page before it has players
};

}  // namespace laurel
