// row_cursor.h - the rows of an order in memory, one after the other, read where they lie.
//
//   front    the row that the cursor stands on; there is none at the end.
//   valid    until the order's next change.
//   cost     O(1) a row.
#pragma once

#include <cstdint>
#include <optional>

#include "rank/leaf_map.h"
#include "rank/row_search.h"

namespace laurel {

class RowTree;

class RowCursor {
 public:
  // At the end.
  RowCursor() = default;
  // On one of the rows of a block that has no other behind it.
  RowCursor(const RowsView& rows, std::uint32_t slot) : rows_(rows), slot_(slot) {}
  // On one of a leaf's rows.
  RowCursor(const RowTree& tree, LeafNumber leaf, std::uint32_t slot);

  bool at_end() const { return slot_ == rows_.count; }

  // REQUIRES of these: !at_end().
  ScoreKey score() const { return rows_.scores[slot_]; }
  PlayerHandle player() const { return rows_.players[slot_]; }
  Place place() const { return {rows_.scores[slot_], rows_.ties[slot_], rows_.players[slot_]}; }
  // How many rows of its score stand before it, where that is to be seen without leaving the block:
  // it is, unless they go on before its first row.
  std::optional<std::uint32_t> equals_before() const {
    std::uint32_t start = slot_;
    while (start > 0 && rows_.scores[start - 1] == rows_.scores[slot_]) --start;
    if (start == 0 && !first_starts_) return std::nullopt;
    return slot_ - start;
  }
  void next() {
    if (++slot_ == rows_.count && tree_ != nullptr) enter_next_leaf();
  }

 private:
  void enter_next_leaf();

  RowsView rows_{nullptr, nullptr, nullptr, 0};  // of the block or leaf
  std::uint32_t slot_ = 0;
  bool first_starts_ = true;
  LeafNumber leaf_ = kNoLeaf;
  const RowTree* tree_ = nullptr;  // null: nothing is behind the block
};

}  // namespace laurel
