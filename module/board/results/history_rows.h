// history_rows.h - the rows of kept results in a space of the store: for each player a few numbered
// slots.
//
//   durable  rows are written to a log, which costs an append, and read from the disk and from what
//            waits for it. No row is kept in memory.
//   memory   a store in memory has the rows themselves.
//   key      the player's id, a zero byte, which no id has, and the slot.
//   threads  one caller at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/space.h"
#include "store/write_buffer.h"

namespace laurel {

using HistorySlot = std::uint8_t;

class HistoryRows {
 public:
  HistoryRows(Store& store, SpaceNumber space) : space_(store, space), log_(space_.open_log()) {}

  const Space& space() const { return space_; }

  void put(std::string_view player, HistorySlot slot, std::string_view value);
  void erase(std::string_view player, HistorySlot slot);

  // Visits the rows of the player, or of all players, in the order of their keys. The visit must
  // not write; its views are valid during it. Rows that wait for the disk may be left out where
  // there are none: looking through them costs O(waiting rows).
  using Waiting = WriteBuffer::Waiting;
  using Visit =
      std::function<void(std::string_view player, HistorySlot slot, std::string_view value)>;
  void each_of(std::string_view player, Waiting waiting, const Visit& visit) const;
  void each(const Visit& visit) const { each_under({}, Waiting::included, visit); }

  // Drops what waits for the disk. The rows of space() are to be erased, and nothing else may
  // follow.
  void retire();

 private:
  void each_under(std::string_view part, Waiting waiting, const Visit& visit) const;
  std::string_view key_of(std::string_view player, HistorySlot slot);

  Space space_;
  std::unique_ptr<WriteBuffer> log_;  // null if the store is in memory
  std::string key_;                   // kept to reuse its memory
};

}  // namespace laurel
