// activity_table.h - what every player of a rolling board did: amounts by bucket, moment, data.
//
//   record   one player's. The table holds the player (Players::hold) while there is a record.
//   stalest  the player whose newest bucket changed longest ago: whoever has fallen out of the
//            window is found here, no timer and no search. Somebody who was brought in late, for a
//            bucket long gone, may wait behind others, but no longer than one window.
//   owner    the table owns amounts and data; references and views are valid until the next call
//            that changes it.
//   threads  none of its own; one caller at a time.
//   cost     every call O(1) and the amounts that it is given. Some 70 bytes a record, 16 an
//            amount, and the data; given back as records go.
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
#include "rank/player_numbers.h"
#include "rank/players.h"

namespace laurel {

struct ActivityRecord {
  PlayerHandle player = kNoPlayer;
  Time at = 0;                        // the latest moment of activity
  std::vector<Amount> amounts;        // at least one
  std::unique_ptr<std::string> data;  // few players have any

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
  const ActivityRecord* find(PlayerHandle player) const;  // null: no record; of kNoPlayer too
  const ActivityRecord& operator[](std::size_t i) const { return slots_[i].record; }

  // Holds moment and amounts in place of the player's own; data stays as it is. Returns the handle.
  PlayerHandle put(const Player& player, Time at, std::vector<Amount> amounts);
  // REQUIRES: find(player).
  void put_data(PlayerHandle player, std::optional<std::string_view> data);
  // Releases the player. REQUIRES: find(player).
  void erase(PlayerHandle player);

  const ActivityRecord* stalest() const;  // null: there are none
  bool has_data() const { return with_data_ > 0; }

  std::size_t bytes() const;
  // Aborts unless every record is found and in line once. O(n); for tests.
  void check() const;

 private:
  using SlotNumber = std::uint32_t;
  static constexpr SlotNumber kNoSlot = kNoNumber;

  // A record and its place in line.
  struct Slot {
    ActivityRecord record;
    SlotNumber staler = kNoSlot;
    SlotNumber fresher = kNoSlot;
  };

  SlotNumber add(const Player& player);
  void link(SlotNumber number);
  void unlink(SlotNumber number);
  // What those on both sides, or the ends of the line, say instead of the slot's number.
  void rename(const Slot& slot, SlotNumber as_staler, SlotNumber as_fresher);
  static std::size_t heap_bytes(const ActivityRecord& record);

  Players& players_;
  std::deque<Slot> slots_;  // dense: the last one moves to where another leaves
  PlayerNumbers numbers_;   // in which slot a player is
  SlotNumber stalest_ = kNoSlot;
  SlotNumber freshest_ = kNoSlot;
  std::size_t with_data_ = 0;
  std::size_t heap_bytes_ = 0;
};

}  // namespace laurel
