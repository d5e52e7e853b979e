// history_heads.h - for each player with kept results, where the newest one is.
//
//   key      the keyed hash of the player's id, 64 bits. Of two players with one hash the histories
//            would be shorter; among 10 million players that happens with a probability of 1 in
//            300,000.
//   memory   16 bytes a player in tables that are three fifths to three quarters full: 27 at most.
//            They grow by a quarter; the longest call moves one of 256 parts.
//   threads  none of its own; one caller at a time.
//   cost     O(1), about one cache miss, which prefetch() hides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "board/results/history_record.h"
#include "rank/prefetch.h"

namespace laurel {

// The newest of a player's kept results.
struct HistoryHead {
  ShortPlace place = 0;
  std::uint32_t number = 0;  // modulo kHistoryNumbers
  std::uint8_t kept = 0;     // how many results are kept, with this one; at least 1

  friend bool operator==(const HistoryHead&, const HistoryHead&) = default;
};

class HistoryHeads {
 public:
  void prefetch(std::uint64_t hash) const {
    if (!parts_) return;
    const Part& part = part_of(hash);
    if (part.room > 0) laurel::prefetch_to_write(&part.slots[home(hash, part.room)]);
  }
  std::optional<HistoryHead> find(std::uint64_t hash) const;
  void set(std::uint64_t hash, const HistoryHead& head);
  void erase(std::uint64_t hash);

  // Frees one part; returns true if any are left. After the first call it must not be used
  // otherwise.
  bool free_part();
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kParts = 256;
  static constexpr std::uint32_t kRoomMin = 8;

  // The bits from the lowest on: place, number, kept. A free slot has none.
  struct Slot {
    std::uint64_t hash;
    std::uint64_t bits;
  };
  // An open table with linear probing.
  struct Part {
    std::unique_ptr<Slot[]> slots;
    std::uint32_t room = 0;
    std::uint32_t used = 0;
  };
  using Parts = std::array<Part, kParts>;

  Part& part_of(std::uint64_t hash) const { return (*parts_)[hash >> 56U]; }
  // The top bits chose the part, so the place follows from those below them.
  static std::uint32_t home(std::uint64_t hash, std::uint32_t room) {
    return static_cast<std::uint32_t>((hash >> 24U & 0xFFFFFFFFU) * room >> 32U);
  }
  static Slot& slot_for(const Part& part, std::uint64_t hash);
  static void grow(Part& part);

  std::unique_ptr<Parts> parts_;  // null: empty
  std::size_t slots_ = 0;         // of all parts
  std::size_t freed_ = 0;         // parts
};

}  // namespace laurel
