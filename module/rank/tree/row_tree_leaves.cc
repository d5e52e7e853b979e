// Splitting, sharing and merging leaves, and keeping the pool dense. Rows in the same framing are
// copied, others are encoded again.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "rank/tree/row_tree.h"

namespace laurel {

namespace {

LeafFraming framing_of(std::span<const Place> places) {
  LeafExtent extent;
  for (const Place& place : places) extent.add(place);
  return extent.framing();
}

// Prepares copying rows between two leaves, after which the fuller one has `most` rows. An empty
// leaf takes the framing of the other. If only the frames differ, both take a common frame. Returns
// false if there is none, or if a leaf would have no room for another row.
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

// The slot of the neighbour that takes rows of a full leaf, if one has at most `share` rows.
std::optional<std::uint32_t> RowTree::sharing_neighbour(const Inner& parent, std::uint32_t slot,
                                                        std::uint32_t share) {
  const std::uint32_t left = slot > 0 ? parent.rows[slot - 1] : kLeafRowsMax;
  const std::uint32_t right = slot + 1U < parent.count ? parent.rows[slot + 1] : kLeafRowsMax;
  if (std::min(left, right) > share) return std::nullopt;
  return left <= right ? slot - 1 : slot + 1;
}

// Makes room for a row at this spot, and returns its new spot. A leaf that has too many rows for
// the form that the row needs is split first.
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

// Gives rows of a full leaf to a neighbour, or to one that first gives rows to its own neighbour,
// and updates the spot. Returns false if the leaf is still full.
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

// Makes room for one more child above the leaf.
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

// Makes three equally filled leaves of two adjacent full ones.
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

// Fills the leaves in these adjacent slots equally, if possible.
bool RowTree::even_out(InnerNumber parent, std::uint32_t slot, std::uint32_t other, Spot& spot) {
  const std::uint32_t first = std::min(slot, other);
  const Inner& inner = inners_[parent];
  return share_with(parent, first, (inner.rows[first] + inner.rows[first + 1]) / 2, spot);
}

// As share_leaves(); also updates the spot at which a row is to be inserted.
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

// Adds a leaf behind this one, which keeps its first `keep` rows.
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

// Framings.

// Gives the leaf a framing in which the place fits too. Returns false, and changes nothing, if that
// form has no room for another row.
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

// Moves rows to free cells, which the slots behind the last row have. The cells that they leave
// become free.
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

// Encodes both leaves in the framings that their rows then need. Returns false if one would have no
// room for another row. Wide rows that stay wide are copied.
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

// Moves rows between the leaves in this slot and the next, so that the first has `keep` rows. The
// caller removes the second if it becomes empty. Returns false, and moves nothing, if a leaf would
// have no room for another row.
bool RowTree::share_leaves(InnerNumber parent, std::uint32_t slot, std::uint32_t keep) {
  Inner& inner = inners_[parent];
  const LeafNumber left_number = inner.children[slot];
  const LeafNumber right_number = inner.children[slot + 1];
  Leaf& left = leaves_[left_number];
  Leaf& right = leaves_[right_number];
  const std::uint32_t total = left.count + right.count;
  const bool left_first_starts = left.count > 0 ? left.first_starts : right.first_starts;
  if (join_frames(left, right, std::max(keep, total - keep))) {
    left.visit([&]<typename Rows>(Rows& rows) {
      share_rows(left_number, rows, right_number, right.rows_as<Rows>(), keep);
    });
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

// Merges a leaf with few rows with its neighbours, so that they are one leaf fewer, or takes rows
// of a neighbour. Returns true if any row moved.
bool RowTree::mend_leaf(LeafNumber number) {
  const InnerNumber parent = leaves_[number].parent;
  if (parent == kNoNode) return false;
  const Inner& inner = inners_[parent];
  const LeafLimits limits = leaves_[number].limits();
  const std::uint32_t at = slot_in_parent(inner, number, leaves_[number].slot_hint);
  const bool has_left = at > 0;
  const bool has_right = at + 1U < inner.count;
  // Take the neighbour with fewer rows, since merging is preferred.
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
    // The first leaf takes rows of the middle one, and the middle one all rows of the third.
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

// Moves the last leaf to the freed number.
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
