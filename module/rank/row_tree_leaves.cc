// Leaves that come and go, and rows that go from one to another: giving to a neighbour, splitting,
// taking, merging, and keeping the pool dense. Rows that lie in one framing move as they lie,
// others are written anew.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "rank/row_tree.h"

namespace laurel {

namespace {

LeafFraming framing_of(std::span<const Place> places) {
  LeafExtent extent;
  for (const Place& place : places) extent.add(place);
  return extent.framing();
}

// Whether rows can go from one to the other as they lie, so that the fuller one has so many and
// room for another: one without rows takes the other's framing, and where only frames differ both
// take one for all their rows, if there is one.
bool join_frames(Leaf& left, Leaf& right, std::uint32_t most) {
  if (left.count == 0) left.assign(right.framing(), {});
  if (right.count == 0) right.assign(left.framing(), {});
  if (left.form != right.form || left.form == LeafForm::wide || most >= left.limits().rows) {
    return false;
  }
  if (left.framing() == right.framing()) return true;
  LeafExtent extent;
  left.extend(extent);
  right.extend(extent);
  const LeafFraming framing = extent.framing();
  if (framing.form != left.form) return false;
  left.reframe(framing.frame);
  right.reframe(framing.frame);
  return true;
}

}  // namespace

// Giving and splitting.

// The slot beside that a full leaf gives rows to, if it has room that lasts.
std::optional<std::uint32_t> RowTree::sharing_neighbour(const Inner& parent, std::uint32_t slot,
                                                        std::uint32_t share) {
  const std::uint32_t left = slot > 0 ? parent.rows[slot - 1] : kLeafRowsMax;
  const std::uint32_t right = slot + 1U < parent.count ? parent.rows[slot + 1] : kLeafRowsMax;
  if (std::min(left, right) > share) return std::nullopt;
  return left <= right ? slot - 1 : slot + 1;
}

// Where the row for this spot goes, once there is room for it and it fits there. A leaf that would
// have too many rows in the form that it needs then is split first.
RowTree::Spot RowTree::make_room(Spot spot, const Place& place) {
  while (true) {
    const Leaf& leaf = leaves_[spot.leaf];
    if (leaf.is_full()) {
      if (!give_rows(spot)) spot = split_full(spot);
    } else if (leaf.fits(place) || reform(spot, place)) {
      return spot;
    } else {
      prepare_split(spot.leaf);
      spot = split_leaf(spot, leaves_[spot.leaf].count / 2U);
    }
  }
}

// Where the row for this spot of a full leaf goes, if a neighbour can take some of its rows, or one
// that gives to its own neighbour first.
bool RowTree::give_rows(Spot& spot) {
  const Leaf& leaf = leaves_[spot.leaf];
  if (leaf.parent == kNoNode) return false;
  const InnerNumber parent = leaf.parent;
  const Inner& inner = inners_[parent];
  const std::uint32_t share = leaf.limits().share;
  const std::uint32_t at = slot_in_parent(inner, spot.leaf, leaf.slot_hint);
  if (const auto other = sharing_neighbour(inner, at, share)) {
    return even_out(parent, at, *other, spot);
  }
  const auto gives_through = [&](std::uint32_t next, std::uint32_t further) {
    return inner.rows[further] + 2 <= share && even_out(parent, next, further, spot) &&
           even_out(parent, at, next, spot);
  };
  return (at + 2U < inner.count && gives_through(at + 1, at + 2)) ||
         (at >= 2 && gives_through(at - 1, at - 2));
}

// Room for one more child above the leaf.
void RowTree::prepare_split(LeafNumber number) {
  if (leaves_[number].parent == kNoNode) {
    make_root_above(number, 1);
  } else {
    make_child_room(leaves_[number].parent);
  }
}

RowTree::Spot RowTree::split_full(Spot spot) {
  prepare_split(spot.leaf);
  const std::uint32_t rows = leaves_[spot.leaf].count;
  // Rows that come in order, at either end of the board, leave full leaves behind.
  if (spot.slot == rows && next_leaf(spot.leaf) == kNoLeaf) return split_leaf(spot, rows - 1);
  if (spot.slot == 0 && previous_leaf(spot.leaf) == kNoLeaf) return split_leaf(spot, 1);
  return split_between(spot);
}

// Two full leaves side by side become three that hold as many each.
RowTree::Spot RowTree::split_between(Spot spot) {
  const InnerNumber parent = leaves_[spot.leaf].parent;
  const Inner& inner = inners_[parent];
  const std::uint32_t rows = leaves_[spot.leaf].count;
  const std::uint32_t at = slot_in_parent(inner, spot.leaf, leaves_[spot.leaf].slot_hint);
  if (at + 1U < inner.count) {
    Spot to = split_leaf(spot, (rows + inner.rows[at + 1]) / 3);
    even_out(parent, at + 1, at + 2, to);
    return to;
  }
  if (at > 0) {
    Spot to = split_leaf(spot, rows - (rows + inner.rows[at - 1]) / 3);
    even_out(parent, at, at - 1, to);
    return to;
  }
  return split_leaf(spot, rows / 2 + 1);
}

// The leaves in these slots, side by side, hold as many rows each, if they can.
bool RowTree::even_out(InnerNumber parent, std::uint32_t slot, std::uint32_t other, Spot& spot) {
  const std::uint32_t first = std::min(slot, other);
  const Inner& inner = inners_[parent];
  return share_with(parent, first, (inner.rows[first] + inner.rows[first + 1]) / 2, spot);
}

// As share_leaves does; and where a row goes then that was to go to `spot`.
bool RowTree::share_with(InnerNumber parent, std::uint32_t slot, std::uint32_t keep, Spot& spot) {
  const LeafNumber left = inners_[parent].children[slot];
  const LeafNumber right = inners_[parent].children[slot + 1];
  const std::uint32_t left_rows = inners_[parent].rows[slot];
  if (!share_leaves(parent, slot, keep)) return false;
  if (spot.leaf != left && spot.leaf != right) return true;
  const std::uint32_t place = spot.slot + (spot.leaf == right ? left_rows : 0);
  spot = place <= keep ? Spot{left, place} : Spot{right, place - keep};
  return true;
}

// Puts a leaf behind, which takes all rows but so many.
RowTree::Spot RowTree::split_leaf(Spot spot, std::uint32_t keep) {
  assert(leaves_.size() < RowNumber::kLeavesMax && "too many rows");
  const LeafNumber right = add_leaf();
  const InnerNumber parent = leaves_[spot.leaf].parent;
  Inner& inner = inners_[parent];
  const std::uint32_t at = slot_in_parent(inner, spot.leaf, leaves_[spot.leaf].slot_hint);
  open_child(inner, at + 1);
  inner.children[at + 1] = right;
  inner.rows[at + 1] = 0;
  inner.runs[at + 1] = 0;
  adopt(parent, at + 1);
  [[maybe_unused]] const bool is_split = share_with(parent, at, keep, spot);
  assert(is_split && "rows of one leaf lie in one framing");
  return spot;
}

// Rows that lie in one framing, and others.

// Gives the leaf a framing in which the place fits too, if its rows have room in that.
bool RowTree::reform(Spot spot, const Place& place) {
  Leaf& leaf = leaves_[spot.leaf];
  std::array<Place, kLeafRowsMax> places;
  LeafExtent extent;
  for (std::uint32_t slot = 0; slot < leaf.count; ++slot) {
    if (slot == spot.slot) extent.add(place);
    places[slot] = leaf.place(slot);
    extent.add(places[slot]);
  }
  if (spot.slot == leaf.count) extent.add(place);
  const LeafFraming framing = extent.framing();
  if (leaf.count >= limits_of(framing.form).rows) return false;
  if (framing.form == leaf.form) {
    leaf.reframe(framing.frame);
  } else {
    rewrite(spot.leaf, framing, std::span(places).first(leaf.count));
  }
  return true;
}

void RowTree::rewrite(LeafNumber number, const LeafFraming& framing,
                      std::span<const Place> places) {
  leaves_[number].assign(framing, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    numbers_.move(places[i].player, RowNumber(number, static_cast<std::uint8_t>(i)).bits);
  }
}

// Rows go to free cells, which the slots behind the last one name; what they leave is free.
template <typename Rows>
void RowTree::share_rows(LeafNumber left, Rows& left_rows, LeafNumber right, Rows& right_rows,
                         std::uint32_t keep) {
  const std::uint32_t left_count = leaves_[left].count;
  const std::uint32_t right_count = leaves_[right].count;
  const std::uint32_t total = left_count + right_count;
  const auto move_cell = [this](const Rows& from, std::uint8_t cell, LeafNumber to, Rows& to_rows,
                                std::uint8_t to_cell) {
    std::memcpy(&to_rows.cells[to_cell], &from.cells[cell], sizeof from.cells[cell]);
    numbers_.move(from.player_in(cell), RowNumber(to, to_cell).bits);
  };
  std::uint8_t* const left_cells = left_rows.cell_of;
  std::uint8_t* const right_cells = right_rows.cell_of;
  if (keep < left_count) {
    const std::uint32_t moved = left_count - keep;
    for (std::uint32_t i = 0; i < moved; ++i) {
      move_cell(left_rows, left_cells[keep + i], right, right_rows, right_cells[right_count + i]);
    }
    std::rotate(right_cells, right_cells + right_count, right_cells + right_count + moved);
  } else {
    const std::uint32_t moved = keep - left_count;
    for (std::uint32_t i = 0; i < moved; ++i) {
      move_cell(right_rows, right_cells[i], left, left_rows, left_cells[left_count + i]);
    }
    std::rotate(right_cells, right_cells + moved, right_cells + right_count);
  }
  auto* const left_scores = left_rows.in_order();
  auto* const right_scores = right_rows.in_order();
  move_slots(left_scores, left_count, right_scores, right_count, keep);
  std::fill(left_scores + keep, left_scores + Rows::kRows, Rows::kWorst);
  std::fill(right_scores + (total - keep), right_scores + Rows::kRows, Rows::kWorst);
  leaves_[left].count = static_cast<std::uint8_t>(keep);
  leaves_[right].count = static_cast<std::uint8_t>(total - keep);
}

// Each in the framing that its rows need then, if each has room for another row. Wide rows that
// stay wide move as they lie.
bool RowTree::rewrite_both(LeafNumber left, LeafNumber right, std::uint32_t keep) {
  std::array<Place, 2 * kLeafRowsMax> places;
  std::size_t total = 0;
  for (const LeafNumber number : {left, right}) {
    const Leaf& leaf = leaves_[number];
    for (std::uint32_t slot = 0; slot < leaf.count; ++slot) places[total++] = leaf.place(slot);
  }
  const auto first = std::span<const Place>(places).first(keep);
  const auto second = std::span<const Place>(places).subspan(keep, total - keep);
  const LeafFraming left_framing = framing_of(first);
  const LeafFraming right_framing = framing_of(second);
  if (first.size() >= limits_of(left_framing.form).rows ||
      second.size() >= limits_of(right_framing.form).rows) {
    return false;
  }
  const auto are_wide = [](LeafForm one, LeafForm other) {
    return one == LeafForm::wide && other == LeafForm::wide;
  };
  if (are_wide(leaves_[left].form, leaves_[right].form) &&
      are_wide(left_framing.form, right_framing.form)) {
    share_rows(left, leaves_[left].wide, right, leaves_[right].wide, keep);
  } else {
    rewrite(left, left_framing, first);
    rewrite(right, right_framing, second);
  }
  return true;
}

// Moves rows between the leaves in this slot and the next, so that the first keeps so many. An
// empty second is left for the caller to remove. Returns whether they did: not where one would have
// no room for another row.
bool RowTree::share_leaves(InnerNumber parent, std::uint32_t slot, std::uint32_t keep) {
  Inner& inner = inners_[parent];
  const LeafNumber left_number = inner.children[slot];
  const LeafNumber right_number = inner.children[slot + 1];
  Leaf& left = leaves_[left_number];
  Leaf& right = leaves_[right_number];
  const std::uint32_t total = left.count + right.count;
  const bool left_first_starts = left.count > 0 ? left.first_starts : right.first_starts;
  if (join_frames(left, right, std::max(keep, total - keep))) {
    if (left.form == LeafForm::narrow) {
      share_rows(left_number, left.narrow, right_number, right.narrow, keep);
    } else {
      share_rows(left_number, left.middle, right_number, right.middle, keep);
    }
  } else if (!rewrite_both(left_number, right_number, keep)) {
    return false;
  }
  usual_form_ = left.form;

  left.first_starts = left_first_starts;
  left.runs =
      static_cast<std::uint8_t>((left_first_starts ? 1U : 0U) + left.runs_within(left.count));
  right.runs = 0;
  if (right.count > 0) {
    right.first_starts = right.score(0) != left.last_score();
    right.runs =
        static_cast<std::uint8_t>((right.first_starts ? 1U : 0U) + right.runs_within(right.count));
    inner.set_separator(slot + 1, right.place(0));
  }
  inner.rows[slot] = left.count;
  inner.runs[slot] = left.runs;
  inner.rows[slot + 1] = right.count;
  inner.runs[slot + 1] = right.runs;
  refresh_separator(left_number);
  return true;
}

// Taking and merging.

// For a leaf with few rows: it and its neighbours become one leaf fewer, or it takes some of
// theirs. Returns whether any row moved.
bool RowTree::mend_leaf(LeafNumber number) {
  const InnerNumber parent = leaves_[number].parent;
  if (parent == kNoNode) return false;
  const Inner& inner = inners_[parent];
  const LeafLimits limits = leaves_[number].limits();
  const std::uint32_t at = slot_in_parent(inner, number, leaves_[number].slot_hint);
  const bool has_left = at > 0;
  const bool has_right = at + 1U < inner.count;
  // The neighbour with fewer rows, so that merging comes before taking.
  const bool with_left = has_left && (!has_right || inner.rows[at - 1] <= inner.rows[at + 1]);
  const std::uint32_t first = with_left ? at - 1 : at;
  const std::uint32_t both = inner.rows[first] + inner.rows[first + 1];
  if (both <= limits.share) {
    if (share_leaves(parent, first, both)) {
      remove_leaf(parent, first + 1);
      return true;
    }
  } else if (has_left && has_right &&
             inner.rows[at - 1] + inner.rows[at] + inner.rows[at + 1] <= 2 * limits.share) {
    // The first takes what it can of the middle one, which takes in the third.
    if (share_leaves(parent, at - 1, std::min(inner.rows[at - 1] + inner.rows[at], limits.share))) {
      if (share_leaves(parent, at, inner.rows[at] + inner.rows[at + 1])) {
        remove_leaf(parent, at + 1);
      }
      return true;
    }
  }
  return leaves_[number].count < limits.low && share_leaves(parent, first, both / 2);
}

void RowTree::remove_leaf(InnerNumber parent, std::uint32_t slot) {
  const LeafNumber emptied = inners_[parent].children[slot];
  remove_child(inners_[parent], slot);
  free_leaf(emptied);
  if (inners_[parent].count < kInnerRowsMin) mend_inner(parent);
}

// The last leaf moves into the number that is free.
void RowTree::free_leaf(LeafNumber number) {
  const LeafNumber last = leaves_.size() - 1;
  if (number != last) {
    Leaf& moved = leaves_[number];
    moved = leaves_[last];
    links_[number] = links_[last];
    if (first_ == last) first_ = number;
    for (std::uint32_t i = 0; i < moved.count; ++i) {
      numbers_.move(moved.player(i), RowNumber(number, moved.cell_of(i)).bits);
    }
    if (moved.parent == kNoNode) {
      root_ = number;
    } else {
      Inner& parent = inners_[moved.parent];
      parent.children[slot_in_parent(parent, last, moved.slot_hint)] = number;
    }
  }
  leaves_.drop_last();
  links_.drop_last();
}

}  // namespace laurel
