// row_tree.h - the rows of a large board, in a counted B+tree.
//
// Leaves hold the rows. An inner node has for each child its first row, the number of rows below it
// and the number of these that start a run. So a position, a rank in any mode and a page cost one
// path up or down. The number of a player (PlayerNumbers) is the leaf and cell of its row.
//
//   forms    a leaf has the narrowest form for its rows (rank/tree/leaf_frame.h): 14 bytes a row
//            for whole scores, 15 among more than 67 million players, 16 for other scores, and 21
//            for the rare ones that are far apart.
//   fill     a full leaf gives rows to a neighbour, or to the next but one. If all are full, two
//            leaves become three. A leaf with few rows merges with its neighbours, or takes rows
//            from one. So leaves are more than four fifths full. Rows that are added in order leave
//            full leaves behind.
//   memory   node numbers are dense: the last node moves to the number of a removed one.
//   limit    RowNumber::kLeavesMax leaves, which hold more than 1.6 billion rows.
//   threads  none of its own; one caller at a time.
//   cost     n = size(). Each call is O(log n) and moves O(1) nodes.
//   source   "Counted B-Trees", S. Tatham: a count beside every child link. Here rows are only in
//            leaves, and runs have a second count. Giving before splitting: the B*-tree, D. Knuth,
//            TAOCP 3, 6.2.4
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rank/player/player_numbers.h"
#include "rank/tree/row_cursor.h"
#include "rank/tree/row_order.h"
#include "rank/tree/tree_node.h"

namespace laurel {

class RowTree {
 public:
  RowTree();

  // Fills an empty tree with `count` rows: row(i) is the place of the i-th, best first, each of
  // another player. It is called again for some rows if a leaf needs a wider form. Compares and
  // moves no rows: about 30 ns a row.
  template <typename RowAt>
  void build(std::size_t count, RowAt row) {
    std::array<Place, kLeafRowsMax> places;
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t some = rows_for_leaf(count - begin, LeafForm::narrow);
      for (std::size_t i = 0; i < some; ++i) places[i] = row(begin + i);
      begin += build_leaf(begin, std::span(places).first(some), count - begin);
    }
    raise(count);
  }

  std::size_t size() const { return size_; }
  // In line: each submission looks its player up.
  [[gnu::always_inline]] std::optional<Place> find(PlayerHandle player) const {
    const std::uint32_t number = numbers_.find(player);
    if (number == kNoNumber) return std::nullopt;
    const RowNumber row(number);
    std::uint32_t slot = 0;
    return leaves_[row.leaf()].place_in(row.cell(), slot);
  }
  bool has(PlayerHandle player) const { return numbers_.find(player) != kNoNumber; }

  // Prefetch what puts will need: the leaves for new rows with these scores, the players' numbers,
  // and their leaves with the counts above them. At most kPrefetchMax each; called in this order,
  // because each call also continues the descents for the scores, so that all wait for memory
  // together.
  static constexpr std::size_t kPrefetchMax = 16;
  void prefetch_paths(std::span<const ScoreKey> scores, const RowOrder& order);
  void prefetch_players(std::span<const PlayerHandle> players);
  void prefetch_leaves(std::span<const PlayerHandle> players);
  // Prefetches the number of one player only, and then the player's row.
  void prefetch_player(PlayerHandle player) const { numbers_.prefetch(player); }
  void prefetch_row_of(PlayerHandle player) const;

  Put put(const Place& place, const RowOrder& order);
  bool erase(PlayerHandle player);

  std::size_t position(PlayerHandle player) const;
  std::size_t count_up_to(const Place& place, const RowOrder& order) const;

  // The number of rows with a better score, and of their runs.
  std::size_t better(ScoreKey score) const;
  std::size_t runs_better(ScoreKey score) const;
  // better(last) - better(first) in one descent. REQUIRES: first <= last.
  std::size_t between(ScoreKey first, ScoreKey last) const;

  // The numbers of rows or runs relative to the player's row. REQUIRES: find(player).
  std::size_t better_than(PlayerHandle player) const;
  std::size_t not_worse_than(PlayerHandle player) const;
  std::size_t distinct_better_than(PlayerHandle player) const;

  // A cursor at this position, or at the end if position >= size(). Prefetches the leaves of the
  // next `rows` rows, at most two.
  RowCursor from(std::size_t position, std::size_t rows) const;

  std::size_t bytes() const;

  // Aborts if an invariant is broken. O(n); for tests.
  void check(const RowOrder& order) const;

 private:
  struct Spot {
    LeafNumber leaf;
    std::uint32_t slot;
  };
  friend class RowCursor;
  // A node on a path up, and the hint of its slot in the parent.
  struct Climb {
    std::uint32_t child;
    InnerNumber parent;
    std::uint8_t* hint;
  };
  struct Sums {
    std::uint32_t rows = 0;
    std::uint32_t runs = 0;
  };

  LeafNumber add_leaf() {
    links_.add();
    return leaves_.add();
  }
  // The limits that most leaves probably have.
  const LeafLimits& usual_limits() const { return limits_of(usual_form_); }

  // row_tree.cc: paths through the tree, and changes of rows. row_tree_read.cc: reading.
  std::optional<LeafNumber> take_expected(const Place& place, const RowOrder& order) const;
  LeafNumber leaf_for(const Place& place, const RowOrder& order) const;
  RowNumber row_of(PlayerHandle player) const {
    const std::uint32_t number = numbers_.find(player);
    assert(number != kNoNumber && "asked for the place of a player who has none");
    return RowNumber(number);
  }
  Spot spot_of(RowNumber row) const {
    return {row.leaf(), leaves_[row.leaf()].slot_of(row.cell())};
  }
  RowNumber row_at(Spot spot) const { return {spot.leaf, leaves_[spot.leaf].cell_of(spot.slot)}; }
  // Descends to the leaf in which the better scores end. Calls pass(inner, slot) for each inner
  // node; all rows below the children before `slot` are better.
  template <typename Pass>
  const Leaf& leaf_of_better(ScoreKey score, Pass pass) const;
  // The sum of `counts` of all rows before a leaf, from the nodes above it.
  std::size_t sum_above(LeafNumber number, std::uint32_t (Inner::*counts)[kInnerSlots]) const;
  static std::uint32_t slot_in_parent(const Inner& parent, std::uint32_t child, std::uint8_t hint) {
    if (hint < parent.count && parent.children[hint] == child) return hint;
    return parent.slot_of(child);
  }
  LeafNumber next_leaf(LeafNumber number) const;
  LeafNumber previous_leaf(LeafNumber number) const;
  LeafNumber next_leaf_with(LeafNumber number, ScoreKey first) const;
  Climb climb_from(LeafNumber number) {
    return {number, leaves_[number].parent, &leaves_[number].slot_hint};
  }
  void count_and_climb(Climb& at, std::uint32_t rows, std::uint32_t runs);
  void add_above(Climb at, std::uint32_t rows, std::uint32_t runs);
  // Updates the counts above two leaves after one row moved: the first leaf lost `gone` runs, the
  // second gained `come` runs.
  void move_above(LeafNumber from, std::uint32_t gone, LeafNumber to, std::uint32_t come);
  void set_first_starts(LeafNumber number, bool starts);
  void refresh_separator(LeafNumber number);
  // Change the leaf only, whose rows are `rows`. Return how many runs it gained or lost.
  template <typename Rows>
  std::uint32_t put_in(Leaf& leaf, Rows& rows, Spot spot, const Place& place);
  template <typename Rows>
  std::uint32_t take_out(Leaf& leaf, Rows& rows, Spot spot);
  // Change the leaf and the counts above it.
  void insert_at(Spot spot, const Place& place);
  void erase_at(Spot spot);
  RowNumber insert(LeafNumber to, const Place& place, const RowOrder& order);
  template <typename Rows>
  bool move_within(Leaf& leaf, Rows& rows, Spot old, const Place& place, const RowOrder& order);
  template <typename Rows>
  bool move_as_is(Leaf& left, Rows& left_rows, Spot old, LeafNumber to, const Place& place,
                  const RowOrder& order);
  void move(Spot old, LeafNumber to, const Place& place, const RowOrder& order);

  // row_tree_prefetch.cc: prefetching.
  struct Descent;
  // The score with which the leaf for a new row is searched. With ties = earliest the row goes
  // behind all equal ones, so the next worse score is searched.
  static ScoreKey expected_as(ScoreKey score, const RowOrder& order) {
    return score + static_cast<ScoreKey>(order.ties() == Ties::earliest && score < kWorstScore);
  }
  LeafNumber prefetch_path(ScoreKey score) const;
  void prefetch_entered(const Inner& parent, std::uint32_t slot) const;
  std::span<Descent> on_the_way();
  void prefetch_leaves_together(std::span<const PlayerHandle> players);

  // row_tree_build.cc: bulk loading.
  static std::size_t rows_for_leaf(std::size_t left, LeafForm form);
  std::size_t build_leaf(std::size_t begin, std::span<const Place> places, std::size_t left);
  void raise(std::size_t rows);
  void count_runs();
  void add_child(InnerNumber parent, std::uint32_t child);

  // row_tree_leaves.cc and row_tree_inners.cc: splitting, sharing and merging nodes. Afterwards the
  // node numbers that a caller holds may name other nodes.
  static std::optional<std::uint32_t> sharing_neighbour(const Inner& parent, std::uint32_t slot,
                                                        std::uint32_t share);
  Spot make_room(Spot spot, const Place& place);
  Spot split_full(Spot spot);
  bool give_rows(Spot& spot);
  void prepare_split(LeafNumber number);
  Spot split_between(Spot spot);
  Spot split_leaf(Spot spot, std::uint32_t keep);
  bool even_out(InnerNumber parent, std::uint32_t slot, std::uint32_t other, Spot& spot);
  bool share_with(InnerNumber parent, std::uint32_t slot, std::uint32_t keep, Spot& spot);
  bool reform(Spot spot, const Place& place);
  void rewrite(LeafNumber number, const LeafFraming& framing, std::span<const Place> places);
  template <typename Rows>
  void share_rows(LeafNumber left, Rows& left_rows, LeafNumber right, Rows& right_rows,
                  std::uint32_t keep);
  bool rewrite_both(LeafNumber left, LeafNumber right, std::uint32_t keep);
  bool share_leaves(InnerNumber parent, std::uint32_t slot, std::uint32_t keep);
  bool mend_leaf(LeafNumber number);
  void remove_leaf(InnerNumber parent, std::uint32_t slot);
  void free_leaf(LeafNumber number);
  static void open_child(Inner& inner, std::uint32_t slot);
  bool share_children(InnerNumber number);
  void make_child_room(InnerNumber number);
  void make_root_above(std::uint32_t child, std::uint8_t level);
  void share_inners(InnerNumber parent, std::uint32_t slot, std::uint32_t keep);
  void mend_inner(InnerNumber number);
  void remove_child(Inner& inner, std::uint32_t slot);
  void adopt(InnerNumber parent, std::uint32_t slot);
  void free_inner(InnerNumber number);
  Sums sums_of(const Inner& inner) const;

  Sums check_node(std::uint32_t number, unsigned level, InnerNumber parent, const RowOrder& order,
                  std::optional<Place>& last) const;

  // A tree has several leaves from the start. The links are in chunks of a few pages.
  NodePool<Leaf, 6, 8> leaves_;
  NodePool<LeafLink, 12, 8> links_;  // by leaf
  NodePool<Inner> inners_;
  PlayerNumbers numbers_;
  std::size_t size_ = 0;
  std::uint32_t root_ = 0;                  // a leaf while height_ is 0
  std::uint32_t height_ = 0;                // levels of inner nodes
  LeafNumber first_ = 0;                    // the leaf with the best rows
  LeafForm usual_form_ = LeafForm::narrow;  // of the leaf that last exchanged rows with another
  // The descents of the last prefetch_paths(). Their results are checked before use. Those before
  // expected_next_ are used up.
  struct Descent {
    ScoreKey score;
    std::uint32_t node;  // the node reached so far; at the end the leaf
    std::uint32_t slot;  // the slot to read in the node
  };
  std::array<Descent, kPrefetchMax> descents_;
  mutable std::uint32_t expected_next_ = 0;
  std::uint32_t expected_count_ = 0;
  std::uint32_t expected_on_way_ = 0;  // descents that are not at a leaf yet: all or none
};

}  // namespace laurel
