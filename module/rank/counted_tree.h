// counted_tree.h - who is where: rows in order, counted.
//
//   row        one player's place: score key, moment, handle.
//   order      total: score key, then `ties` (the moment, or nothing), then byte order of the id.
//   position   0-based from the best. Ranks, which start at 1, are made of counts by ranking.h.
//   form       up to 128 rows are one packed block, more are a counted B+tree; it changes by
//              itself.
//   memory     10 to 20 bytes a row while packed, as packed_rows.h says, then some 30, those of the
//              map from players to leaves included; given back as rows go.
//   cost       n = size(). Every call O(log n) plus the rows it reads, but for build and clear.
//   threads    none of its own; one caller at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "rank/packed_rows.h"
#include "rank/row_order.h"
#include "rank/row_tree.h"

namespace laurel {

class CountedTree {
 public:
  // `players` outlives the tree and knows every handle in it. The tree holds no players: whoever
  // puts a row holds its player until the row is erased.
  // More than `packed_max` rows are a tree; fewer than half of it are packed again.
  // REQUIRES: packed_max <= kPackedRowsMax.
  CountedTree(const Players& players, Ties ties, std::size_t packed_max = kPackedRowsMax);

  std::size_t size() const { return tree_ ? tree_->size() : packed_.size(); }
  std::optional<Row> find(PlayerHandle player) const {
    const std::optional<Place> place = tree_ ? tree_->find(player) : packed_.find(player);
    if (!place) return std::nullopt;
    return order_.row(*place);
  }
  bool has(PlayerHandle player) const { return tree_ ? tree_->has(player) : packed_.has(player); }

  // Hints of what comes next, so that its memory is on the way: new rows with these scores; where
  // the rows of these players are noted; these rows. At most kExpectedMax each, and one call
  // after the other, in this order. They may be wrong.
  static constexpr std::size_t kExpectedMax = RowTree::kExpectedMax;
  void expect_scores(std::span<const ScoreKey> scores) {
    if (tree_) tree_->expect_scores(scores, order_);
  }
  void expect_players(std::span<const PlayerHandle> players) {
    if (tree_) tree_->expect_players(players);
  }
  void expect_rows(std::span<const PlayerHandle> players) {
    if (tree_) tree_->expect_leaves(players);
  }
  // Of one player whose row is only read.
  void expect_player(PlayerHandle player) const {
    if (tree_) tree_->expect_player(player);
  }

  // Places the row, or moves its player's row there.
  Put put(const Row& row) {
    const Place place = order_.place(row);
    return tree_ ? tree_->put(place, order_) : put_packed(place);
  }
  bool erase(PlayerHandle player);
  void clear();

  // Fills an empty tree with `count` rows without comparing them: row(i) is the i-th, best first,
  // asked for once and in order. REQUIRES: size() == 0; the rows are in this tree's order, each of
  // another player.
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

  // Position of the player's row. REQUIRES: find(player).
  std::size_t position(PlayerHandle player) const;
  // How many rows have a better score than the player's; a better or equal one, the player's row
  // included; how many distinct better scores. REQUIRES: find(player).
  std::size_t better_than(PlayerHandle player) const;
  std::size_t not_worse_than(PlayerHandle player) const;
  std::size_t distinct_better_than(PlayerHandle player) const;
  // How many rows stand before or at this place in the order, whether or not the row is there.
  std::size_t count_up_to(const Row& row) const;

  // The same of any score, held or not.
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_not_worse(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;
  // How many rows have a score from `best` to `worst`, these included. REQUIRES: best <= worst.
  std::size_t count_between(ScoreKey best, ScoreKey worst) const;

  // On the row at position `first`; at the end when there is none. Of a big board, asks for the
  // memory of so many rows.
  RowCursor from(std::size_t first, std::size_t rows) const;
  // Copies rows first, first+1, ... into out; returns how many there were.
  std::size_t read(std::size_t first, std::span<Row> out) const;

  const RowOrder& order() const { return order_; }
  Ties ties() const { return order_.ties(); }
  std::size_t bytes() const;

  // Aborts, saying what, unless everything holds that must between two calls. O(n); for tests.
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
