// Nodes that come and go: giving to a neighbour, splitting, taking, merging, and keeping the pools
// dense.

#include <algorithm>
#include <cassert>
#include <iterator>

#include "rank/row_tree.h"

namespace laurel {

namespace {

// Moves slots from one node's array to another's, and opens or closes the room for them.
template <typename T>
void move_slots(T* left, std::uint32_t left_count, T* right, std::uint32_t right_count,
                std::uint32_t keep) {
  if (keep < left_count) {
    const std::uint32_t moved = left_count - keep;
    std::memmove(right + moved, right, right_count * sizeof(T));
    std::memcpy(right, left + keep, moved * sizeof(T));
  } else {
    const std::uint32_t moved = keep - left_count;
    std::memcpy(left + left_count, right, moved * sizeof(T));
    std::memmove(right, right + moved, (right_count - moved) * sizeof(T));
  }
}

// A node's scores end where its rows do.
template <typename Node>
void set_count(Node& node, std::uint32_t count) {
  node.count = static_cast<std::uint8_t>(count);
  std::fill_n(node.scores + count, std::size(node.scores) - count, kWorstScore);
}

void set_count(Inner& inner, std::uint32_t count) {
  set_count<Inner>(inner, count);
  inner.note_steps();
}

// One more child behind `slot` or wherever: all arrays alike.
void open_child(Inner& inner, std::uint32_t slot) {
  const std::uint32_t behind = inner.count - slot;
  const auto open = [&](auto* slots) {
    std::memmove(slots + slot + 1, slots + slot, behind * sizeof *slots);
  };
  open(inner.scores);
  open(inner.ties);
  open(inner.players);
  open(inner.children);
  open(inner.rows);
  open(inner.runs);
  ++inner.count;
  inner.note_steps();
}

}  // namespace

RowTree::Sums RowTree::sums_of(const Inner& inner) const {
  Sums sums;
  for (std::uint32_t slot = 0; slot < inner.count; ++slot) {
    sums.rows += inner.rows[slot];
    sums.runs += inner.runs[slot];
  }
  return sums;
}

// Tells the child in this slot who its parent is.
void RowTree::adopt(InnerNumber parent, std::uint32_t slot) {
  const Inner& inner = inners_[parent];
  const std::uint32_t child = inner.children[slot];
  InnerNumber& named = inner.level == 1 ? leaves_[child].parent : inners_[child].parent;
  std::uint8_t& hint = inner.level == 1 ? leaves_[child].slot_hint : inners_[child].slot_hint;
  named = parent;
  hint = static_cast<std::uint8_t>(slot);
  if (inner.level == 1) links_[child] = LeafLink(parent, slot);
}

// Leaves.

// The slot beside that a full leaf gives rows to, if it has room that lasts.
std::optional<std::uint32_t> RowTree::sharing_neighbour(const Inner& parent, std::uint32_t slot) {
  const std::uint32_t left = slot > 0 ? parent.rows[slot - 1] : kLeafRows;
  const std::uint32_t right = slot + 1U < parent.count ? parent.rows[slot + 1] : kLeafRows;
  if (std::min(left, right) > kLeafShareMax) return std::nullopt;
  return left <= right ? slot - 1 : slot + 1;
}

// Where the row for this spot of a full leaf goes, once there is room.
RowTree::Spot RowTree::make_room(Spot spot) {
  const Leaf& leaf = leaves_[spot.leaf];
  if (leaf.parent != kNoNode) {
    const InnerNumber parent = leaf.parent;
    const Inner& inner = inners_[parent];
    const std::uint32_t at = slot_in_parent(inner, spot.leaf, leaf.slot_hint);
    if (const auto other = sharing_neighbour(inner, at)) return even_out(parent, at, *other, spot);
    // Or it gives to a neighbour that gives to its own first.
    if (at + 2U < inner.count && inner.rows[at + 2] <= kLeafShareMax - 2) {
      even_out(parent, at + 1, at + 2, spot);
      return even_out(parent, at, at + 1, spot);
    }
    if (at >= 2 && inner.rows[at - 2] <= kLeafShareMax - 2) {
      even_out(parent, at - 1, at - 2, spot);
      return even_out(parent, at, at - 1, spot);
    }
    make_child_room(parent);
  } else {
    make_root_above(spot.leaf, 1);
  }
  // Rows that come in order, at either end of the board, leave full leaves behind.
  if (spot.slot == kLeafRows && next_leaf(spot.leaf) == kNoLeaf) {
    return split_leaf(spot, kLeafRows - 1);
  }
  if (spot.slot == 0 && previous_leaf(spot.leaf) == kNoLeaf) return split_leaf(spot, 1);
  return split_between(spot);
}

// Two full leaves side by side become three that hold as many each.
RowTree::Spot RowTree::split_between(Spot spot) {
  const InnerNumber parent = leaves_[spot.leaf].parent;
  const Inner& inner = inners_[parent];
  const std::uint32_t at = slot_in_parent(inner, spot.leaf, leaves_[spot.leaf].slot_hint);
  if (at + 1U < inner.count) {
    const Spot to = split_leaf(spot, (kLeafRows + inner.rows[at + 1]) / 3);
    return even_out(parent, at + 1, at + 2, to);
  }
  if (at > 0) {
    const std::uint32_t give = (kLeafRows + inner.rows[at - 1]) / 3;
    const Spot to = split_leaf(spot, kLeafRows - give);
    return even_out(parent, at, at - 1, to);
  }
  return split_leaf(spot, kLeafRows / 2 + 1);
}

// The leaves in these slots, side by side, hold as many rows each.
RowTree::Spot RowTree::even_out(InnerNumber parent, std::uint32_t slot, std::uint32_t other,
                                Spot spot) {
  const std::uint32_t first = std::min(slot, other);
  const Inner& inner = inners_[parent];
  return share_with(parent, first, (inner.rows[first] + inner.rows[first + 1]) / 2, spot);
}

// As share_leaves does; and where a row goes then that was to go to `spot`.
RowTree::Spot RowTree::share_with(InnerNumber parent, std::uint32_t slot, std::uint32_t keep,
                                  Spot spot) {
  const LeafNumber left = inners_[parent].children[slot];
  const LeafNumber right = inners_[parent].children[slot + 1];
  const std::uint32_t left_rows = inners_[parent].rows[slot];
  share_leaves(parent, slot, keep);
  if (spot.leaf != left && spot.leaf != right) return spot;
  const std::uint32_t place = spot.slot + (spot.leaf == right ? left_rows : 0);
  return place <= keep ? Spot{left, place} : Spot{right, place - keep};
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
  return share_with(parent, at, keep, spot);
}

void RowTree::move_cell(const Leaf& from, std::uint8_t cell, LeafNumber to, std::uint8_t to_cell) {
  Leaf& leaf = leaves_[to];
  leaf.cells[to_cell] = from.cells[cell];
  numbers_.move(from.cells[cell].player, RowNumber(to, to_cell).bits);
}

// Moves rows between the leaves in this slot and the next, so that the first keeps so many. An
// empty second is left for the caller to remove.
void RowTree::share_leaves(InnerNumber parent, std::uint32_t slot, std::uint32_t keep) {
  Inner& inner = inners_[parent];
  const LeafNumber left_number = inner.children[slot];
  const LeafNumber right_number = inner.children[slot + 1];
  Leaf& left = leaves_[left_number];
  Leaf& right = leaves_[right_number];
  const std::uint32_t total = left.count + right.count;
  const bool left_first_starts = left.count > 0 ? left.first_starts : right.first_starts;

  // Rows go to free cells, which the slots behind the last one name; what they leave is free.
  if (keep < left.count) {
    const std::uint32_t moved = left.count - keep;
    for (std::uint32_t i = 0; i < moved; ++i) {
      move_cell(left, left.cell_of[keep + i], right_number, right.cell_of[right.count + i]);
    }
    std::rotate(right.cell_of, right.cell_of + right.count, right.cell_of + right.count + moved);
  } else {
    const std::uint32_t moved = keep - left.count;
    for (std::uint32_t i = 0; i < moved; ++i) {
      move_cell(right, right.cell_of[i], left_number, left.cell_of[left.count + i]);
    }
    std::rotate(right.cell_of, right.cell_of + moved, right.cell_of + right.count);
  }
  move_slots(left.scores, left.count, right.scores, right.count, keep);
  set_count(left, keep);
  set_count(right, total - keep);

  left.first_starts = left_first_starts;
  left.runs = static_cast<std::uint8_t>((left_first_starts ? 1U : 0U) +
                                        runs_within(left.scores, left.count));
  right.runs = 0;
  if (right.count > 0) {
    right.first_starts = right.scores[0] != left.scores[left.count - 1];
    right.runs = static_cast<std::uint8_t>((right.first_starts ? 1U : 0U) +
                                           runs_within(right.scores, right.count));
    inner.set_separator(slot + 1, right.place(0));
  }
  inner.rows[slot] = left.count;
  inner.runs[slot] = left.runs;
  inner.rows[slot + 1] = right.count;
  inner.runs[slot + 1] = right.runs;
  refresh_separator(left_number);
}

// For a leaf with few rows: it and its neighbours become one leaf fewer, or it takes some of
// theirs. Returns whether any row moved.
bool RowTree::mend_leaf(LeafNumber number) {
  const InnerNumber parent = leaves_[number].parent;
  if (parent == kNoNode) return false;
  const Inner& inner = inners_[parent];
  const std::uint32_t at = slot_in_parent(inner, number, leaves_[number].slot_hint);
  const bool has_left = at > 0;
  const bool has_right = at + 1U < inner.count;
  // The neighbour with fewer rows, so that merging comes before taking.
  const bool with_left = has_left && (!has_right || inner.rows[at - 1] <= inner.rows[at + 1]);
  const std::uint32_t first = with_left ? at - 1 : at;
  const std::uint32_t both = inner.rows[first] + inner.rows[first + 1];
  std::uint32_t emptied_slot = first + 1;
  if (both <= kLeafShareMax) {
    share_leaves(parent, first, both);
  } else if (has_left && has_right &&
             inner.rows[at - 1] + inner.rows[at] + inner.rows[at + 1] <= 2 * kLeafShareMax) {
    // The first takes what it can of the middle one, which takes in the third.
    share_leaves(parent, at - 1, std::min(inner.rows[at - 1] + inner.rows[at], kLeafShareMax));
    share_leaves(parent, at, inner.rows[at] + inner.rows[at + 1]);
    emptied_slot = at + 1;
  } else {
    if (leaves_[number].count >= kLeafRowsLow) return false;
    share_leaves(parent, first, both / 2);
    return true;
  }
  const LeafNumber emptied = inner.children[emptied_slot];
  remove_child(inners_[parent], emptied_slot);
  free_leaf(emptied);
  if (inners_[parent].count < kInnerRowsMin) mend_inner(parent);
  return true;
}

// Inner nodes.

void RowTree::make_root_above(std::uint32_t child, std::uint8_t level) {
  root_ = inners_.add();
  inners_[root_].level = level;
  add_child(root_, child);
  ++height_;
}

// Gives children to a neighbour, if one has room that lasts.
bool RowTree::share_children(InnerNumber number) {
  const InnerNumber parent = inners_[number].parent;
  if (parent == kNoNode) return false;
  const Inner& inner = inners_[parent];
  const std::uint32_t at = slot_in_parent(inner, number, inners_[number].slot_hint);
  const auto shares = [&](std::uint32_t first, std::uint32_t other) {
    const std::uint32_t children = inners_[inner.children[other]].count;
    if (children > kInnerShareMax) return false;
    share_inners(parent, first, (kInnerRows + children) / 2);
    return true;
  };
  return (at + 1U < inner.count && shares(at, at + 1)) || (at > 0 && shares(at - 1, at - 1));
}

// Makes room for one more child, from the top down, so that every count holds at each step.
void RowTree::make_child_room(InnerNumber number) {
  if (inners_[number].count < kInnerRows || share_children(number)) return;
  if (inners_[number].parent == kNoNode) {
    make_root_above(number, static_cast<std::uint8_t>(inners_[number].level + 1));
  } else {
    make_child_room(inners_[number].parent);
  }
  const InnerNumber right = inners_.add();
  inners_[right].level = inners_[number].level;
  const InnerNumber parent = inners_[number].parent;
  Inner& inner = inners_[parent];
  const std::uint32_t at = slot_in_parent(inner, number, inners_[number].slot_hint);
  open_child(inner, at + 1);
  inner.children[at + 1] = right;
  adopt(parent, at + 1);
  // The board's last nodes are where rows come in order: these leave full nodes behind too.
  const bool at_end = at + 2U == inner.count && inner.parent == kNoNode;
  share_inners(parent, at, at_end ? kInnerRows - kInnerRowsMin : kInnerRows / 2 + 1);
}

// Moves children between the inner nodes in this slot and the next, so that the first keeps so
// many.
void RowTree::share_inners(InnerNumber parent, std::uint32_t slot, std::uint32_t keep) {
  Inner& inner = inners_[parent];
  const InnerNumber left_number = inner.children[slot];
  const InnerNumber right_number = inner.children[slot + 1];
  Inner& left = inners_[left_number];
  Inner& right = inners_[right_number];
  const std::uint32_t total = left.count + right.count;
  const std::uint32_t left_was = left.count;
  const auto move = [&](auto* left_slots, auto* right_slots) {
    move_slots(left_slots, left.count, right_slots, right.count, keep);
  };
  move(left.scores, right.scores);
  move(left.ties, right.ties);
  move(left.players, right.players);
  move(left.children, right.children);
  move(left.rows, right.rows);
  move(left.runs, right.runs);
  set_count(left, keep);
  set_count(right, total - keep);
  for (std::uint32_t i = left_was; i < keep; ++i) adopt(left_number, i);
  for (std::uint32_t i = 0; i < right.count; ++i) adopt(right_number, i);

  const Sums left_sums = sums_of(left);
  const Sums right_sums = sums_of(right);
  inner.rows[slot] = left_sums.rows;
  inner.runs[slot] = left_sums.runs;
  inner.rows[slot + 1] = right_sums.rows;
  inner.runs[slot + 1] = right_sums.runs;
  if (right.count > 0) inner.set_separator(slot + 1, right.separator(0));
}

void RowTree::remove_child(Inner& inner, std::uint32_t slot) {
  const std::uint32_t behind = inner.count - slot - 1;
  const auto close = [&](auto* slots) {
    std::memmove(slots + slot, slots + slot + 1, behind * sizeof *slots);
  };
  close(inner.scores);
  close(inner.ties);
  close(inner.players);
  close(inner.children);
  close(inner.rows);
  close(inner.runs);
  set_count(inner, inner.count - 1U);
}

// For an inner node with few children, up to the root. A root with one child gives way to it.
void RowTree::mend_inner(InnerNumber number) {
  while (inners_[number].count < kInnerRowsMin) {
    const Inner& node = inners_[number];
    InnerNumber parent = node.parent;
    if (parent == kNoNode) {
      if (node.count > 1) return;
      root_ = node.children[0];
      (node.level == 1 ? leaves_[root_].parent : inners_[root_].parent) = kNoNode;
      if (node.level == 1) links_[root_] = LeafLink();
      --height_;
      free_inner(number);
      return;
    }
    const Inner& inner = inners_[parent];
    const std::uint32_t at = slot_in_parent(inner, number, node.slot_hint);
    const bool with_left = at > 0;
    const std::uint32_t first = with_left ? at - 1 : at;
    const std::uint32_t total =
        inners_[inner.children[first]].count + inners_[inner.children[first + 1]].count;
    if (total > kInnerShareMax) {
      share_inners(parent, first, total / 2);
      return;
    }
    share_inners(parent, first, total);
    const InnerNumber emptied = inner.children[first + 1];
    const InnerNumber last = inners_.size() - 1;
    remove_child(inners_[parent], first + 1);
    free_inner(emptied);
    number = parent == last ? emptied : parent;
  }
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
      numbers_.move(moved.player(i), RowNumber(number, moved.cell_of[i]).bits);
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

void RowTree::free_inner(InnerNumber number) {
  const InnerNumber last = inners_.size() - 1;
  if (number != last) {
    Inner& moved = inners_[number];
    moved = inners_[last];
    if (moved.parent == kNoNode) {
      root_ = number;
    } else {
      Inner& parent = inners_[moved.parent];
      parent.children[slot_in_parent(parent, last, moved.slot_hint)] = number;
    }
    for (std::uint32_t i = 0; i < moved.count; ++i) adopt(number, i);
  }
  inners_.drop_last();
}

}  // namespace laurel
