// leaf_map.h - in which leaf of a tree a player's row is.
//
// Handles are a registry's, a tree's players may be few of them. So the handles are cut into ranges
// of 16,384, and each range is kept as its players are: a plain array of leaves where a third of it
// is used (4 bytes a handle), a small hash table where it is not (8 to 16 bytes a player).
// No call moves more than one range.
//
//   threads  none of its own; one caller at a time.
//   source   the ranges that choose their form: Roaring bitmaps, D. Lemire et al., 2016
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/block_heap.h"
#include "rank/player_records.h"

namespace laurel {

using LeafNumber = std::uint32_t;
inline constexpr LeafNumber kNoLeaf = 0xFFFFFFFFU;

class LeafMap {
 public:
  // The player's leaf, or kNoLeaf.
  LeafNumber find(PlayerHandle player) const {
    const std::size_t range = player >> kRangeShift;
    if (range >= ranges_.size()) return kNoLeaf;
    return ranges_[range].find(player & (kRangeHandles - 1));
  }

  // Asks for the memory that find looks at.
  void prefetch(PlayerHandle player) const {
    const std::size_t range = player >> kRangeShift;
    if (range < ranges_.size()) ranges_[range].prefetch(player & (kRangeHandles - 1));
  }

  // Adds the player, or moves them to another leaf. REQUIRES: leaf != kNoLeaf.
  void set(PlayerHandle player, LeafNumber leaf);
  // Moves the player to another leaf. REQUIRES: the player is in the map, leaf != kNoLeaf.
  void move(PlayerHandle player, LeafNumber leaf) {
    const Range& range = ranges_[player >> kRangeShift];
    const std::uint32_t key = player & (kRangeHandles - 1);
    range.leaves[range.keys ? range.slot(key) : key] = leaf;
  }
  // Adds many players at once: each(take) calls take(player, leaf) for every one of them, and is
  // called twice. No range changes its form on the way. REQUIRES: none of them is in the map.
  template <typename Each>
  void add_all(Each each) {
    std::vector<std::uint32_t> more;
    each([&](PlayerHandle player, LeafNumber) {
      const std::size_t range = player >> kRangeShift;
      if (range >= more.size()) more.resize(range + 1);
      ++more[range];
    });
    make_room(more);
    // Each is asked for some time before it is written: they are all over the memory.
    struct Waiting {
      PlayerHandle player;
      LeafNumber leaf;
    };
    std::array<Waiting, 32> waiting;
    std::size_t next = 0;
    each([&](PlayerHandle player, LeafNumber leaf) {
      Waiting& oldest = waiting[next % waiting.size()];
      if (next >= waiting.size()) set(oldest.player, oldest.leaf);
      ranges_[player >> kRangeShift].prefetch(player & (kRangeHandles - 1));
      oldest = {player, leaf};
      ++next;
    });
    for (std::size_t i = 0; i < std::min(next, waiting.size()); ++i) {
      set(waiting[i].player, waiting[i].leaf);
    }
  }
  // REQUIRES: the player is in the map.
  void erase(PlayerHandle player);

  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kRangeShift = 14;
  static constexpr std::uint32_t kRangeHandles = 1U << kRangeShift;
  static constexpr std::uint32_t kDenseFrom = kRangeHandles / 3;
  static constexpr std::uint32_t kDenseBelow = kRangeHandles / 6;  // less: hashed again
  static constexpr std::uint32_t kHashedMin = 4;

  // Either `leaves` alone, by handle, or a hash table with linear probing of leaves and keys.
  // kNoLeaf marks a slot without a player in both.
  struct Range {
    BlockPtr<LeafNumber[]> leaves;
    std::unique_ptr<std::uint16_t[]> keys;  // null: plain array
    std::uint32_t slots = 0;                // a power of two, or 0
    std::uint32_t used = 0;

    LeafNumber find(std::uint32_t key) const {
      if (slots == kRangeHandles) return leaves[key];
      return slots == 0 ? kNoLeaf : leaves[slot(key)];
    }
    std::uint32_t home(std::uint32_t key) const { return (key * 40503U >> 4) & (slots - 1); }
    // The key's, or the free one for it. REQUIRES: keys.
    std::uint32_t slot(std::uint32_t key) const {
      std::uint32_t slot = home(key);
      while (leaves[slot] != kNoLeaf && keys[slot] != key) slot = (slot + 1) & (slots - 1);
      return slot;
    }
    void put(std::uint32_t key, LeafNumber leaf);
    void erase(std::uint32_t key);
    void resize(std::uint32_t slots_wanted);
    void make_room(std::uint32_t more);
    void prefetch(std::uint32_t key) const {
      __builtin_prefetch(&leaves[keys ? home(key) : key], 1);
    }
  };

  // For so many more players of each range.
  void make_room(const std::vector<std::uint32_t>& more);

  std::vector<Range> ranges_;
};

}  // namespace laurel
