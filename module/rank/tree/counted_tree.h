// counted_tree.h - the sorted rows of a board, with positions and counts.
//
//   row        one player's entry: score key, time, handle.
//   order      total: score key, then `ties` (the time, or nothing), then byte order of the id.
//   position   0-based from the best. ranking.h computes ranks, which start at 1, from counts.
//   form       up to packed_max rows are one packed block, more rows are a counted B+tree. The form
//              changes automatically.
//   memory     10 to 20 bytes a row in the packed block (packed_rows.h), about 30 in the tree, with
//              the map from players to leaves. Erased rows give their memory back.
//   cost       n = size(). O(log n) plus the rows that are read, except for build and clear.
//   threads    none of its own; one caller at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "rank/tree/packed_rows.h"
#include "rank/tree/row_order.h"
#include "rank/tree/row_tree.h"

namespace laurel {

class CountedTree {
 public:
  // `players` must outlive the tree and know every handle in it. The tree holds no players: the
  // caller that puts a row holds its player until the row is erased.
  // More than `packed_max` rows become a tree, fewer than half of it are packed again.
  // REQUIRES: packed_max <= kPackedRowsMax.
  CountedTree(const Players& players, Ties ties, std::size_t packed_max = kPackedRowsMax);

  std::size_t size() const { return tree_ ? tree_->size() : packed_.size(); }
  [[gnu::always_inline]] std::optional<Row> find(PlayerHandle player) const {
    const std::optional<Place> place = tree_ ? tree_->find(player) : packed_.find(player);
    if (!place) return std::nullopt;
    return order_.row(*place);
  }
  bool has(PlayerHandle player) const { return tree_ ? tree_->has(player) : packed_.has(player); }

  // Prefetch hints for the next calls: leaves for new rows with these scores, the row numbers of
  // these players, and their rows. At most kPrefetchMax each; the three are called in this order.
  // Wrong hints are harmless.
  static constexpr std::size_t kPrefetchMax = RowTree::kPrefetchMax;
  void prefetch_paths(std::span<const ScoreKey> scores) {
    if (tree_) tree_->prefetch_paths(scores, order_);
  }
  void prefetch_players(std::span<const PlayerHandle> players) {
    if (tree_) tree_->prefetch_players(players);
  }
  void prefetch_rows(std::span<const PlayerHandle> players) {
    if (tree_) tree_->prefetch_leaves(players);
  }
  // The hint for a put or an erase in a packed block.
  void prefetch_packed() const {
    if (!tree_) packed_.prefetch();
  }
  // The hints for one player whose row is only read: its number, and then the row.
  void prefetch_player(PlayerHandle player) const {
    if (tree_) tree_->prefetch_player(player);
  }
  void prefetch_row(PlayerHandle player) const {
    if (tree_) tree_->prefetch_row_of(player);
  }

  // Inserts the row, or moves the row of its player.
  Put put(const Row& row) {
    const Place place = order_.place(row);
    return tree_ ? tree_->put(place, order_) : put_packed(place);
  }
  bool erase(PlayerHandle player);
  void clear();

  // Fills an empty tree with `count` rows without comparing them: row(i) is the i-th, best first.
  // It is called in order, but again for some rows if a leaf needs a wider form. REQUIRES: size()
  // == 0; the rows are in this tree's order, each of another player.
  template <typename RowAt>
  void build(std::size_t count, RowAt row) {
    assert(size() == 0 && "only an empty tree can be built");
    if (count <= packed_max_) {
      packed_.build(count, [&](std::size_t i) { return order_.place(row(i)); });
      return;
    }
    tree_ = std::make_unique<RowTree>();
    tree_->build(count, [&](std::size_t i) { return order_.place(row(i)); });
  }

  // The position of the player's row. REQUIRES: find(player).
  std::size_t position(PlayerHandle player) const;
  // The number of rows with a better score than the player's, of rows with a better or equal score
  // (the player's row included), and of distinct better scores. REQUIRES: find(player).
  std::size_t better_than(PlayerHandle player) const;
  std::size_t not_worse_than(PlayerHandle player) const;
  std::size_t distinct_better_than(PlayerHandle player) const;
  // The number of rows before or at the row's place in the order. The row may be absent.
  std::size_t count_up_to(const Row& row) const;

  // The same counts for any score; no row needs to have it.
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_not_worse(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;
  // The number of rows with scores from `best` to `worst`, inclusive. REQUIRES: best <= worst.
  std::size_t count_between(ScoreKey best, ScoreKey worst) const;

  // A cursor at position `first`, or at the end if first >= size(). A tree prefetches the leaves of
  // the next `rows` rows, at most two.
  RowCursor from(std::size_t first, std::size_t rows) const;
  // Copies rows first, first+1, ... into out. Returns the number of rows copied.
  std::size_t read(std::size_t first, std::span<Row> out) const;

  const RowOrder& order() const { return order_; }
  Ties ties() const { return order_.ties(); }
  std::size_t bytes() const;

  // Aborts with a message if an invariant is broken. O(n); for tests.
  void check() const;

 private:
  Put put_packed(const Place& place);
  void unpack();
  void pack();

  RowOrder order_;
  PackedRows packed_;  // empty while there is a tree
  std::uint16_t packed_max_;
  std::unique_ptr<RowTree> tree_;
};

}  // namespace laurel
