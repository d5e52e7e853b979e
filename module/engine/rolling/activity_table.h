// activity_table.h - the activity of each player of a rolling board: amounts by bucket, moment,
// data.
//
//   record   of one player. The table holds a reference to the player (Players::hold) while there
//            is a record.
//   stalest  the player whose newest bucket changed longest ago. Players that have fallen out of
//            the window are found here, without a timer or a search. A player added late, for an
//            old bucket, may wait behind others, but not longer than one window.
//   owner    the table owns amounts and data; references and views are valid until the next call
//            that changes it.
//   threads  not thread-safe; one caller at a time.
//   cost     each call O(1) plus the number of amounts passed. About 70 bytes a record, 16 bytes an
//            amount, and the data; memory is freed with the records.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "engine/rolling/window_sums.h"
#include "rank/player/player_numbers.h"
#include "rank/player/players.h"

namespace laurel {

struct ActivityRecord {
  PlayerHandle player = kNoPlayer;
  Time at = 0;                        // the latest moment of activity
  std::vector<Amount> amounts;        // at least one
  std::unique_ptr<std::string> data;  // few players have data

  std::optional<std::string_view> data_view() const {
    return data ? std::optional<std::string_view>(*data) : std::nullopt;
  }
};

class ActivityTable {
 public:
  // `players` outlives the table.
  explicit ActivityTable(Players& players) : players_(players) {}
  ~ActivityTable();
  ActivityTable(const ActivityTable&) = delete;
  ActivityTable& operator=(const ActivityTable&) = delete;

  std::size_t size() const { return slots_.size(); }
  const ActivityRecord* find(PlayerHandle player) const;  // null: no record, or kNoPlayer
  const ActivityRecord& operator[](std::size_t i) const { return slots_[i].record; }

  // Replaces the player's moment and amounts; data is kept. Returns the handle.
  PlayerHandle put(const Player& player, Time at, std::vector<Amount> amounts);
  // REQUIRES: find(player).
  void put_data(PlayerHandle player, std::optional<std::string_view> data);
  // Releases the player. REQUIRES: find(player).
  void erase(PlayerHandle player);

  const ActivityRecord* stalest() const;  // null if the table is empty
  bool has_data() const { return with_data_ > 0; }

  std::size_t bytes() const;
  // Aborts if an invariant is violated: each record is found, and is in the list once. O(n); for
  // tests.
  void check() const;

 private:
  using SlotNumber = std::uint32_t;
  static constexpr SlotNumber kNoSlot = kNoNumber;

  // A record and its place in the list from stalest to freshest.
  struct Slot {
    ActivityRecord record;
    SlotNumber staler = kNoSlot;
    SlotNumber fresher = kNoSlot;
  };

  SlotNumber add(const Player& player);
  void link(SlotNumber number);
  void unlink(SlotNumber number);
  // Sets the links of the slot's neighbours, or the ends of the list, to these numbers instead of
  // the slot's own.
  void rename(const Slot& slot, SlotNumber as_staler, SlotNumber as_fresher);
  static std::size_t heap_bytes(const ActivityRecord& record);

  Players& players_;
  std::deque<Slot> slots_;  // dense: the last slot moves into the gap of an erased one
  PlayerNumbers numbers_;   // the slot of each player
  SlotNumber stalest_ = kNoSlot;
  SlotNumber freshest_ = kNoSlot;
  std::size_t with_data_ = 0;
  std::size_t heap_bytes_ = 0;
};

}  // namespace laurel
