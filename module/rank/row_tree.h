// row_tree.h - a big board: a counted B+tree of rows.
//
// Leaves hold rows; an inner node knows of each child its first row, how many rows are below it and
// how many of those start a run. So a position, a rank in any mode and a page cost one way up or
// down. Where a player's row lies, the player's number says.
//
//   forms    a leaf's rows are written as narrowly as they allow (rank/leaf_frame.h): whole scores
//            in 14 bytes a row, others in 16, and the seldom ones that are far apart in 21.
//   fill     a leaf that runs full gives to a neighbour, or to that one's; where all are full two
//            become three. One that runs low merges with its neighbours, or takes from one. So
//            leaves are more than four fifths full; rows that come in order leave full ones behind.
//   memory   nodes are kept dense: the last one moves into the number that another leaves.
//   limit    RowNumber::kLeavesMax leaves, which hold 1.6 billion rows and more.
//   threads  none of its own; one caller at a time.
//   cost     n = size(). Every call O(log n) and O(1) in the nodes that it moves.
//   source   "Counted B-Trees", S. Tatham: a count beside every child link. Differs from it in
//            keeping rows in the leaves only, and in a second count, of runs. Giving before
//            splitting: the B*-tree, D. Knuth, TAOCP 3, 6.2.4
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rank/player_numbers.h"
#include "rank/row_cursor.h"
#include "rank/row_order.h"
#include "rank/tree_node.h"

namespace laurel {

class RowTree {
 public:
  RowTree();

  // Fills an empty tree with `count` rows: row(i) is the place of the i-th, best first, each of
  // another player. Asked for twice where rows need a wider form than most. Compares nothing and
  // moves nothing: some 30 ns a row.
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
  std::optional<Place> find(PlayerHandle player) const {
    const std::uint32_t number = numbers_.find(player);
    if (number == kNoNumber) return std::nullopt;
    const RowNumber row(number);
    std::uint32_t slot = 0;
    return leaves_[row.leaf()].place_in(row.cell(), slot);
  }
  bool has(PlayerHandle player) const { return numbers_.find(player) != kNoNumber; }

  // Ask for the memory that puts will need: the leaves that new rows with these scores go to; where
  // the players' leaves are noted; these leaves, and what is counted above them. At most
  // kExpectedMax each. Called one after the other, in this order: each also takes the ways of the
  // scores a step further, so that both wait for memory together.
  static constexpr std::size_t kExpectedMax = 16;
  void expect_scores(std::span<const ScoreKey> scores, const RowOrder& order);
  void expect_players(std::span<const PlayerHandle> players);
  void expect_leaves(std::span<const PlayerHandle> players);
  // Where the leaf of one player is noted, without the rest.
  void expect_player(PlayerHandle player) const { numbers_.prefetch(player); }

  Put put(const Place& place, const RowOrder& order);
  bool erase(PlayerHandle player);

  std::size_t position(PlayerHandle player) const;
  std::size_t count_up_to(const Place& place, const RowOrder& order) const;

  // How many rows have a better score than this one; how many runs they are.
  std::size_t better(ScoreKey score) const;
  std::size_t runs_better(ScoreKey score) const;
  // better(last) - better(first) in one way down. REQUIRES: first <= last.
  std::size_t between(ScoreKey first, ScoreKey last) const;

  // Of the rows of a player: how many rows, and runs, have a better score. REQUIRES: find(player).
  std::size_t better_than(PlayerHandle player) const;
  std::size_t not_worse_than(PlayerHandle player) const;
  std::size_t distinct_better_than(PlayerHandle player) const;

  // On the row at this position; at the end when there is none. Asks for the memory of so many rows
  // from there on.
  RowCursor from(std::size_t position, std::size_t rows) const;

  std::size_t bytes() const;

  // Asserts everything that must hold between any two calls. O(n); for tests.
  void check(const RowOrder& order) const;

 private:
  struct Spot {
    LeafNumber leaf;
    std::uint32_t slot;
  };
  friend class RowCursor;
  // A node on the way up, and where it notes its slot in the parent.
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
  // What most leaves most likely have.
  const LeafLimits& usual_limits() const { return limits_of(usual_form_); }

  // row_tree.cc: ways through the tree, and rows that come and go. What only asks is in
  // row_tree_read.cc.
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
  // Goes down to the leaf where the better scores end; calls pass(inner, slot) for each inner node,
  // whose children before the slot are better as a whole.
  template <typename Pass>
  const Leaf& leaf_of_better(ScoreKey score, Pass pass) const;
  // What is counted before a leaf: of every node above it, `counts` of the children before.
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
  // One row, and the runs that it started, from below one leaf's parents to below the other's.
  void move_above(LeafNumber from, std::uint32_t gone, LeafNumber to, std::uint32_t come);
  void set_first_starts(LeafNumber number, bool starts);
  void refresh_separator(LeafNumber number);
  // Of the leaf alone, whose rows these are: how many runs are more, or fewer.
  template <typename Rows>
  std::uint32_t put_in(Leaf& leaf, Rows& rows, Spot spot, const Place& place);
  template <typename Rows>
  std::uint32_t take_out(Leaf& leaf, Rows& rows, Spot spot);
  // And what is counted above it.
  void insert_at(Spot spot, const Place& place);
  void erase_at(Spot spot);
  RowNumber insert(LeafNumber to, const Place& place, const RowOrder& order);
  template <typename Rows>
  bool move_within(Leaf& leaf, Rows& rows, Spot old, const Place& place, const RowOrder& order);
  template <typename Rows>
  bool move_as_is(Leaf& left, Rows& left_rows, Spot old, LeafNumber to, const Place& place,
                  const RowOrder& order);
  void move(Spot old, LeafNumber to, const Place& place, const RowOrder& order);

  // row_tree_expect.cc: asking for memory ahead.
  struct Expected;
  // The score that a new row is looked for with: where the earlier of two equal ones stands first,
  // it goes behind all of them, where the next worse score would go first.
  static ScoreKey expected_as(ScoreKey score, const RowOrder& order) {
    return score + static_cast<ScoreKey>(order.ties() == Ties::earliest && score < kWorstScore);
  }
  LeafNumber expect_score(ScoreKey score) const;
  void expect_entered(const Inner& parent, std::uint32_t slot) const;
  std::span<Expected> on_the_way();

  // row_tree_build.cc: all at once.
  static std::size_t rows_for_leaf(std::size_t left, LeafForm form);
  std::size_t build_leaf(std::size_t begin, std::span<const Place> places, std::size_t left);
  void raise(std::size_t rows);
  void count_runs();
  void add_child(InnerNumber parent, std::uint32_t child);

  // row_tree_leaves.cc and row_tree_inners.cc: nodes that come and go. Numbers of leaves and inner
  // nodes that the caller has at hand may name other nodes afterwards.
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

  // A tree has several leaves from its first moment on. What is noted of them apart lies in chunks
  // as large as a few pages.
  NodePool<Leaf, 6, 8> leaves_;
  NodePool<LeafLink, 12, 8> links_;  // by leaf
  NodePool<Inner> inners_;
  PlayerNumbers numbers_;
  std::size_t size_ = 0;
  std::uint32_t root_ = 0;                  // a leaf while height_ is 0
  std::uint32_t height_ = 0;                // levels of inner nodes
  LeafNumber first_ = 0;                    // the leaf of the board's best
  LeafForm usual_form_ = LeafForm::narrow;  // of the leaf that took rows of another one last
  // Where rows with the scores asked for last would go: looked at again before use. Those before
  // the next have been used.
  struct Expected {
    ScoreKey score;
    std::uint32_t node;  // the leaf, once it is not on the way any more
    std::uint32_t slot;  // of what it looks at in the node
  };
  std::array<Expected, kExpectedMax> expected_;
  mutable std::uint32_t expected_next_ = 0;
  std::uint32_t expected_count_ = 0;
  std::uint32_t expected_on_way_ = 0;  // all of them, or none
};

}  // namespace laurel
