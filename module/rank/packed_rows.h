// packed_rows.h - a small board: its rows, sorted, in one block of memory.
//
// Most boards are small, and a tree of them would be mostly air. 20 bytes a row and some slack; a
// player is found by looking through all handles, which at this size beats any table.
//
//   threads  none of its own; one caller at a time.
//   cost     every call O(n) in small steps, n being at most kPackedRowsMax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/limits.h"
#include "rank/row_cursor.h"
#include "rank/row_search.h"

namespace laurel {

class PackedRows {
 public:
  // From how many rows on a board is a tree, and below how many it is packed again.
  static constexpr std::size_t kRowsMax = kPackedRowsMax;
  static constexpr std::size_t kRowsBack = 64;

  std::size_t size() const { return count_; }
  std::optional<Place> find(PlayerHandle player) const;

  // REQUIRES: size() < kRowsMax, or the player is here.
  Put put(const Place& place, const RowOrder& order);
  bool erase(PlayerHandle player);

  // REQUIRES: the player is here.
  std::size_t position(PlayerHandle player) const;
  std::size_t count_up_to(const Place& place, const RowOrder& order) const;
  std::size_t count_better(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;

  // On the row at this position; at the end when there is none.
  RowCursor from(std::size_t position) const {
    return position < count_ ? RowCursor(rows(), static_cast<std::uint32_t>(position))
                             : RowCursor();
  }
  // REQUIRES: position < size().
  Place at(std::size_t position) const;
  void append(const Place& place);  // behind all others

  std::size_t bytes() const;

  // Aborts unless the rows are sorted and their players distinct. For tests.
  void check(const RowOrder& order) const;

 private:
  // One block: scores, ties, players, each with room for room_ rows.
  ScoreKey* scores() const { return block_.get(); }
  std::uint64_t* ties() const { return block_.get() + room_; }
  PlayerHandle* players() const {
    return reinterpret_cast<PlayerHandle*>(block_.get() + std::size_t{room_} * 2);
  }
  RowsView rows() const { return {scores(), ties(), players(), count_}; }
  void insert_at(std::uint32_t slot, const Place& place);
  void erase_at(std::uint32_t slot);
  void resize(std::uint32_t room);

  std::unique_ptr<std::uint64_t[]> block_;
  std::uint16_t count_ = 0;
  std::uint16_t room_ = 0;  // a multiple of 4, as looking through handles wants
};

}  // namespace laurel
