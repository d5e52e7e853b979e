// row_cursor.h - an iterator over the rows of a board in memory. It copies nothing.
//
//   front    the current row; none at the end.
//   valid    until the next change of the rows.
//   cost     O(1) a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rank/tree/packed_rows.h"
#include "rank/tree/tree_node.h"

namespace laurel {

class RowTree;

class RowCursor {
 public:
  // At the end.
  RowCursor() = default;
  // At a row of a small board. REQUIRES: slot < rows.size().
  RowCursor(const PackedRows& rows, std::uint32_t slot)
      : count_(static_cast<std::uint32_t>(rows.size())), slot_(slot), packed_(&rows) {}
  // At a row of a leaf.
  RowCursor(const RowTree& tree, LeafNumber leaf, std::uint32_t slot);

  bool at_end() const { return slot_ == count_; }

  // REQUIRES of the next calls: !at_end().
  ScoreKey score() const { return packed_ ? packed_->score(slot_) : leaf_->score(slot_); }
  PlayerHandle player() const { return packed_ ? packed_->player(slot_) : leaf_->player(slot_); }
  Place place() const {
    if (packed_) return packed_->at(slot_);
    return leaf_->place(slot_);
  }
  // The number of rows with its score before it. Empty if they may continue before the first row of
  // its leaf, which is not read.
  std::optional<std::uint32_t> equals_before() const {
    std::uint32_t start = slot_;
    if (packed_) {
      while (start > 0 && packed_->equals_before(start)) --start;
      return slot_ - start;
    }
    while (start > 0 && leaf_->same_score(start - 1, slot_)) --start;
    if (start == 0 && !leaf_->first_starts) return std::nullopt;
    return slot_ - start;
  }
  // Calls visit(i, place) for this row and the following ones, i = 0 to n - 1, and moves behind
  // them. REQUIRES: there are n rows.
  template <typename Visit>
  [[gnu::always_inline]] void take(std::uint32_t n, const Visit& visit) {
    if (packed_) {
      const PackedRows::Reader reader(*packed_);
      for (std::uint32_t i = 0; i < n; ++i) visit(i, reader.at(slot_ + i));
      slot_ += n;
      return;
    }
    for (std::uint32_t i = 0; i < n;) {
      const Leaf& leaf = *leaf_;
      const std::uint32_t begin = slot_ - i;
      const std::uint32_t end = std::min(n, count_ - begin);
      leaf.visit([&](const auto& rows) {
        for (; i < end; ++i) visit(i, place_of(rows, begin + i));
      });
      slot_ = begin + end;
      if (slot_ == count_) enter_next_leaf();
    }
  }
  void next() {
    if (++slot_ == count_ && tree_ != nullptr) enter_next_leaf();
  }

 private:
  void enter_next_leaf();

  const Leaf* leaf_ = nullptr;
  std::uint32_t count_ = 0;  // rows of the leaf
  std::uint32_t slot_ = 0;
  LeafNumber number_ = kNoLeaf;
  const RowTree* tree_ = nullptr;
  const PackedRows* packed_ = nullptr;  // instead of a leaf
};

}  // namespace laurel
