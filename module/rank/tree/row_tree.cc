// Writing to a tree: changes of rows, and of the counts and separators above them.
#include "rank/tree/row_tree.h"

#include <cassert>
#include <cstring>

#include "rank/tree/node_prefetch.h"

namespace laurel {

RowTree::RowTree() : root_(add_leaf()) {}

// Paths through the tree.

// The leaf that prefetch_paths found. Rows are put in the order of the hints; hints of rows that
// are not put are skipped.
inline std::optional<LeafNumber> RowTree::take_expected(const Place& place,
                                                        const RowOrder& order) const {
  const ScoreKey wanted = expected_as(place.score, order);
  for (std::uint32_t i = expected_next_; i < expected_count_; ++i) {
    if (descents_[i].score != wanted) continue;
    expected_next_ = i + 1;
    // Rows may have moved since, so check the leaf itself.
    const LeafNumber leaf = descents_[i].node;
    if (leaf < leaves_.size() && leaves_[leaf].surrounds(place, order)) return leaf;
    return std::nullopt;
  }
  return std::nullopt;
}

LeafNumber RowTree::leaf_for(const Place& place, const RowOrder& order) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    node = inner.children[inner.child_for(place, order)];
    if (level > 1) prefetch_way(inners_[node]);
  }
  return node;
}

LeafNumber RowTree::next_leaf(LeafNumber number) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint) + 1;
    if (slot < inner.count) {
      child = inner.children[slot];
      for (std::uint32_t level = inner.level; level > 1; --level)
        child = inners_[child].children[0];
      return child;
    }
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

LeafNumber RowTree::previous_leaf(LeafNumber number) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint);
    if (slot > 0) {
      child = inner.children[slot - 1];
      for (std::uint32_t level = inner.level; level > 1; --level) {
        child = inners_[child].children[inners_[child].count - 1];
      }
      return child;
    }
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

// The next leaf if its first row has this score. Compares the separator, so that the leaf itself is
// rarely read.
LeafNumber RowTree::next_leaf_with(LeafNumber number, ScoreKey first) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint) + 1;
    if (slot < inner.count) return inner.scores[slot] == first ? next_leaf(number) : kNoLeaf;
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

// Changing rows.

// Adds to the parent's counts of the child, then moves up to the parent. Counts are modulo 2^32, so
// that negative changes work too.
void RowTree::count_and_climb(Climb& at, std::uint32_t rows, std::uint32_t runs) {
  Inner& inner = inners_[at.parent];
  const std::uint32_t slot = slot_in_parent(inner, at.child, *at.hint);
  if (slot != *at.hint) {
    *at.hint = static_cast<std::uint8_t>(slot);
    if (inner.level == 1) links_[at.child] = LeafLink(at.parent, slot);
  }
  inner.rows[slot] += rows;
  inner.runs[slot] += runs;
  at = {at.parent, inner.parent, &inner.slot_hint};
}

void RowTree::add_above(Climb at, std::uint32_t rows, std::uint32_t runs) {
  while (at.parent != kNoNode) count_and_climb(at, rows, runs);
}

// All leaves have the same depth, so both paths reach their first common node at the same step.
void RowTree::move_above(LeafNumber from, std::uint32_t gone, LeafNumber to, std::uint32_t come) {
  Climb left = climb_from(from);
  Climb right = climb_from(to);
  while (left.child != right.child) {
    count_and_climb(left, ~0U, 0U - gone);
    count_and_climb(right, 1, come);
  }
  if (gone != come) add_above(left, 0, come - gone);
}

void RowTree::set_first_starts(LeafNumber number, bool starts) {
  Leaf& leaf = leaves_[number];
  if (leaf.first_starts == starts) return;
  leaf.first_starts = starts;
  leaf.runs = static_cast<std::uint8_t>(starts ? leaf.runs + 1 : leaf.runs - 1);
  add_above(climb_from(number), 0, starts ? 1U : ~0U);
}

void RowTree::refresh_separator(LeafNumber number) {
  const Place first = leaves_[number].place(0);
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint);
    inner.set_separator(slot, first);
    if (slot > 0) return;
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
}

// A row starts a run unless the row before it has its score. If it starts one and the row behind it
// has its score, that row no longer starts a run. No other row changes.
template <typename Rows>
inline std::uint32_t RowTree::put_in(Leaf& leaf, Rows& rows, Spot spot, const Place& place) {
  const auto [number, slot] = spot;
  const Leaf::Equals equals = leaf.insert(rows, slot, place);
  bool starts = !equals.before;
  if (slot == 0) {
    const LeafNumber before = previous_leaf(number);
    starts = before == kNoLeaf || leaves_[before].last_score() != place.score;
  }
  const std::uint32_t runs = starts && !equals.behind ? 1 : 0;
  if (starts && slot + 1U == leaf.count) {
    const LeafNumber behind = next_leaf_with(number, place.score);
    if (behind != kNoLeaf) set_first_starts(behind, false);
  }
  leaf.runs = static_cast<std::uint8_t>(leaf.runs + runs);
  if (slot == 0) {
    leaf.first_starts = starts;
    refresh_separator(number);
  }
  return runs;
}

// The reverse of put_in().
template <typename Rows>
inline std::uint32_t RowTree::take_out(Leaf& leaf, Rows& rows, Spot spot) {
  const auto [number, slot] = spot;
  const bool is_last = slot + 1U == leaf.count;
  const LeafNumber behind = is_last ? next_leaf_with(number, rows.score(slot)) : kNoLeaf;
  const Leaf::Equals equals = leaf.erase(rows, slot);
  const bool starts = slot == 0 ? leaf.first_starts : !equals.before;
  const std::uint32_t runs = starts && !equals.behind ? 1 : 0;
  if (starts && behind != kNoLeaf) set_first_starts(behind, true);
  leaf.runs = static_cast<std::uint8_t>(leaf.runs - runs);
  if (slot == 0 && leaf.count > 0) {
    leaf.first_starts = starts || !equals.behind;
    refresh_separator(number);
  }
  return runs;
}

void RowTree::insert_at(Spot spot, const Place& place) {
  Leaf& leaf = leaves_[spot.leaf];
  const std::uint32_t runs =
      leaf.visit([&](auto& rows) { return put_in(leaf, rows, spot, place); });
  add_above(climb_from(spot.leaf), 1, runs);
}

void RowTree::erase_at(Spot spot) {
  Leaf& leaf = leaves_[spot.leaf];
  const std::uint32_t runs = leaf.visit([&](auto& rows) { return take_out(leaf, rows, spot); });
  add_above(climb_from(spot.leaf), ~0U, 0U - runs);
}

// Makes room if necessary and inserts the row. Returns its number.
RowNumber RowTree::insert(LeafNumber to, const Place& place, const RowOrder& order) {
  const Leaf& leaf = leaves_[to];
  Spot spot{to, leaf.up_to(place, order)};
  if (leaf.is_full() || !leaf.fits(place)) spot = make_room(spot, place);
  insert_at(spot, place);
  return row_at(spot);
}

// Moves a row within its leaf if it neither was nor will be the first or the last row of it. Then
// the rows between move by one slot, and only the counts of runs above may change. Otherwise
// returns false and changes nothing.
template <typename Rows>
inline bool RowTree::move_within(Leaf& leaf, Rows& rows, Spot old, const Place& place,
                                 const RowOrder& order) {
  const std::uint32_t up_to = leaf.up_to(rows, place, order);
  const std::uint32_t slot = old.slot < up_to ? up_to - 1 : up_to;  // without the old row
  const std::uint32_t last = leaf.count - 1U;
  if (old.slot == 0 || slot == 0 || old.slot >= last || slot >= last) return false;
  const auto is_run = [&rows](std::uint32_t at) {
    return !rows.same_score(at, at - 1) && !rows.same_score(at, at + 1);
  };
  const std::uint32_t gone = is_run(old.slot) ? 1 : 0;
  leaf.move(rows, old.slot, slot, place);
  const std::uint32_t come = is_run(slot) ? 1 : 0;
  if (come != gone) {
    leaf.runs = static_cast<std::uint8_t>(leaf.runs + come - gone);
    add_above(climb_from(old.leaf), 0, come - gone);
  }
  return true;
}

// Moves a row between leaves of one form if neither has to share, merge or be rewritten. The counts
// above both leaves are updated together. Otherwise returns false and changes nothing.
template <typename Rows>
[[gnu::always_inline]] inline bool RowTree::move_as_is(Leaf& left, Rows& left_rows, Spot old,
                                                       LeafNumber to, const Place& place,
                                                       const RowOrder& order) {
  Leaf& entered = leaves_[to];
  Rows& entered_rows = entered.rows_as<Rows>();
  if (entered.form != Rows::kForm || !entered_rows.fits(place)) return false;
  if (old.leaf == to) {
    if (move_within(left, left_rows, old, place, order)) return true;
  } else if (left.count <= limits_of(Rows::kForm).min || entered.count == Rows::kRows) {
    return false;
  }
  const std::uint32_t gone = take_out(left, left_rows, old);
  const Spot spot{to, entered.up_to(entered_rows, place, order)};
  const std::uint32_t come = put_in(entered, entered_rows, spot, place);
  move_above(old.leaf, gone, to, come);
  numbers_.move(place.player, RowNumber(to, entered_rows.cell_of[spot.slot]).bits);
  return true;
}

void RowTree::move(Spot old, LeafNumber to, const Place& place, const RowOrder& order) {
  const Leaf& left = leaves_[old.leaf];
  erase_at(old);
  if (left.count < left.limits().min && mend_leaf(old.leaf)) to = leaf_for(place, order);
  numbers_.move(place.player, insert(to, place, order).bits);
}

Put RowTree::put(const Place& place, const RowOrder& order) {
  const std::uint32_t number = numbers_.find(place.player);
  const RowNumber row(number);
  const bool is_new = number == kNoNumber;
  std::optional<LeafNumber> to = take_expected(place, order);
  if (!to) {
    // The old leaf is fetched during the search for the new one, and the new one while the old row
    // is taken out.
    if (!is_new) prefetch_row(leaves_[row.leaf()], row.cell(), usual_form_);
    to = leaf_for(place, order);
    prefetch_lines<0, sizeof(Leaf)>(leaves_[*to]);
  }
  if (is_new) {
    numbers_.set(place.player, insert(*to, place, order).bits);
    ++size_;
    return Put::added;
  }
  Leaf& left = leaves_[row.leaf()];
  return left.visit([&]<typename Rows>(Rows& rows) {
    const Spot old{row.leaf(), slot_of_cell<Rows::kSlots>(rows.cell_of, row.cell())};
    if (rows.has_score(old.slot, place.score) && rows.tie_in(row.cell()) == place.tie) {
      return Put::unchanged;
    }
    if (!move_as_is(left, rows, old, *to, place, order)) move(old, *to, place, order);
    return Put::moved;
  });
}

bool RowTree::erase(PlayerHandle player) {
  const std::uint32_t number = numbers_.find(player);
  if (number == kNoNumber) return false;
  const Spot spot = spot_of(RowNumber(number));
  erase_at(spot);
  numbers_.erase(player);
  --size_;
  if (leaves_[spot.leaf].count < leaves_[spot.leaf].limits().min) mend_leaf(spot.leaf);
  return true;
}

}  // namespace laurel
