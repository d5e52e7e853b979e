// player_numbers.h - a map from players to numbers: in a tree, to the positions of their rows.
//
// The handles of a registry are shared by its boards, so a board may have few of them. The handles
// are divided into ranges of 16,384. A range with a third of its handles in use is a plain array (4
// bytes a handle), others are a small hash table (8 to 16 bytes a player). Each call moves at most
// one range.
//
//   threads  none of its own; one caller at a time.
//   source   ranges in two forms: Roaring bitmaps, D. Lemire et al., 2016
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/block_heap.h"
#include "rank/player/player_handle.h"
#include "rank/prefetch.h"

namespace laurel {

inline constexpr std::uint32_t kNoNumber = 0xFFFFFFFFU;

class PlayerNumbers {
 public:
  // The player's number, or kNoNumber.
  std::uint32_t find(PlayerHandle player) const {
    const std::size_t range = player >> kRangeShift;
    if (range >= ranges_.size()) return kNoNumber;
    return ranges_[range].find(player & (kRangeHandles - 1));
  }

  // The same in place, to be changed to another number; null: the player has none.
  std::uint32_t* find_place(PlayerHandle player) {
    const std::size_t range = player >> kRangeShift;
    if (range >= ranges_.size()) return nullptr;
    return ranges_[range].find_place(player & (kRangeHandles - 1));
  }

  // Prefetches what find reads.
  void prefetch(PlayerHandle player) const {
    const std::size_t range = player >> kRangeShift;
    if (range < ranges_.size()) ranges_[range].prefetch(player & (kRangeHandles - 1));
  }

  // Sets the player's number. REQUIRES: number != kNoNumber.
  void set(PlayerHandle player, std::uint32_t number);
  // Changes the player's number. REQUIRES: the player has one; number != kNoNumber.
  [[gnu::always_inline]] void move(PlayerHandle player, std::uint32_t number) {
    const Range& range = ranges_[player >> kRangeShift];
    const std::uint32_t key = player & (kRangeHandles - 1);
    range.numbers[range.keys ? range.slot(key) : key] = number;
  }
  // Sets the numbers of many players: each(take) calls take(player, number) for all of them, and is
  // called twice. Each range is resized at most once. REQUIRES: none of them has a number.
  template <typename Each>
  void add_all(Each each) {
    std::vector<std::uint32_t> more;
    each([&](PlayerHandle player, std::uint32_t) {
      const std::size_t range = player >> kRangeShift;
      if (range >= more.size()) more.resize(range + 1);
      ++more[range];
    });
    make_room(more);
    // The slots are spread over memory, so each is prefetched some time before it is written.
    struct Waiting {
      PlayerHandle player;
      std::uint32_t number;
    };
    std::array<Waiting, 32> waiting;
    std::size_t next = 0;
    each([&](PlayerHandle player, std::uint32_t number) {
      Waiting& oldest = waiting[next % waiting.size()];
      if (next >= waiting.size()) set(oldest.player, oldest.number);
      ranges_[player >> kRangeShift].prefetch(player & (kRangeHandles - 1));
      oldest = {player, number};
      ++next;
    });
    for (std::size_t i = 0; i < std::min(next, waiting.size()); ++i) {
      set(waiting[i].player, waiting[i].number);
    }
  }
  // REQUIRES: the player has a number.
  void erase(PlayerHandle player);
  // Calls visit(player, number) for all, in the order of their ranges.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      const Range& here = ranges_[range];
      for (std::uint32_t slot = 0; slot < here.slots; ++slot) {
        if (here.numbers[slot] == kNoNumber) continue;
        const std::uint32_t key = here.keys ? here.keys[slot] : slot;
        visit(static_cast<PlayerHandle>(range << kRangeShift | key), here.numbers[slot]);
      }
    }
  }

  // Takes players out from the last ones on, calls visit(player) for each, and looks at up to
  // `slots` slots. Returns true if any are left. After the first call the map must not be used
  // otherwise.
  template <typename Visit>
  bool take_apart(std::size_t slots, Visit visit) {
    for (; !ranges_.empty(); ranges_.pop_back()) {
      Range& last = ranges_.back();
      while (last.slots > 0) {
        if (slots-- == 0) return true;
        const std::uint32_t slot = --last.slots;
        if (last.numbers[slot] == kNoNumber) continue;
        const std::uint32_t key = last.keys ? last.keys[slot] : slot;
        visit(static_cast<PlayerHandle>((ranges_.size() - 1) << kRangeShift | key));
      }
    }
    return false;
  }

  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kRangeShift = 14;
  static constexpr std::uint32_t kRangeHandles = 1U << kRangeShift;
  static constexpr std::uint32_t kDenseFrom = kRangeHandles / 3;
  static constexpr std::uint32_t kDenseBelow = kRangeHandles / 6;  // fewer: back to a hash table
  static constexpr std::uint32_t kHashedMin = 4;

  // Either `numbers` alone, by handle, or a hash table with linear probing of keys and numbers.
  // kNoNumber marks a slot without a player in both.
  struct Range {
    BlockPtr<std::uint32_t[]> numbers;
    std::unique_ptr<std::uint16_t[]> keys;  // null: a plain array
    std::uint32_t slots = 0;                // a power of two, or 0
    std::uint16_t used = 0;
    std::uint8_t home_shift = 0;  // of a product, it leaves log2(slots) bits

    std::uint32_t find(std::uint32_t key) const {
      if (slots == kRangeHandles) return numbers[key];
      return slots == 0 ? kNoNumber : numbers[slot(key)];
    }
    std::uint32_t* find_place(std::uint32_t key) const {
      if (slots == 0) return nullptr;
      std::uint32_t* const place = &numbers[slots == kRangeHandles ? key : slot(key)];
      return *place == kNoNumber ? nullptr : place;
    }
    // Handles come in runs, since each kind of ids has chunks of its own (player_records.h). The
    // highest bits of a product with the golden ratio spread one run evenly, and several as well
    // (Fibonacci hashing: D. Knuth, The Art of Computer Programming, volume 3, 6.4).
    std::uint32_t home(std::uint32_t key) const { return key * 0x9E3779B1U >> home_shift; }
    // The slot of the key, or the free slot for it. REQUIRES: keys.
    std::uint32_t slot(std::uint32_t key) const {
      std::uint32_t slot = home(key);
      while (numbers[slot] != kNoNumber && keys[slot] != key) slot = (slot + 1) & (slots - 1);
      return slot;
    }
    void put(std::uint32_t key, std::uint32_t number);
    void erase(std::uint32_t key);
    void resize(std::uint32_t slots_wanted);
    void make_room(std::uint32_t more);
    void prefetch(std::uint32_t key) const {
      laurel::prefetch_to_write(&numbers[keys ? home(key) : key]);
    }
  };

  // Makes room for more[r] further players in each range r.
  void make_room(const std::vector<std::uint32_t>& more);

  std::vector<Range> ranges_;
};

}  // namespace laurel
