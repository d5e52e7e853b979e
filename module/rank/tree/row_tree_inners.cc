// Splitting, sharing and merging inner nodes, and keeping the pool dense.

#include <algorithm>
#include <cassert>
#include <iterator>

#include "rank/tree/row_tree.h"

namespace laurel {

namespace {

// Sets the count and fills the unused scores.
void set_count(Inner& inner, std::uint32_t count) {
  inner.count = static_cast<std::uint8_t>(count);
  std::fill_n(inner.scores + count, std::size(inner.scores) - count, kWorstScore);
  inner.note_steps();
}

}  // namespace

// Opens a slot for one more child in all arrays.
void RowTree::open_child(Inner& inner, std::uint32_t slot) {
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

RowTree::Sums RowTree::sums_of(const Inner& inner) const {
  Sums sums;
  for (std::uint32_t slot = 0; slot < inner.count; ++slot) {
    sums.rows += inner.rows[slot];
    sums.runs += inner.runs[slot];
  }
  return sums;
}

// Sets the parent of the child in this slot.
void RowTree::adopt(InnerNumber parent, std::uint32_t slot) {
  const Inner& inner = inners_[parent];
  const std::uint32_t child = inner.children[slot];
  InnerNumber& named = inner.level == 1 ? leaves_[child].parent : inners_[child].parent;
  std::uint8_t& hint = inner.level == 1 ? leaves_[child].slot_hint : inners_[child].slot_hint;
  named = parent;
  hint = static_cast<std::uint8_t>(slot);
  if (inner.level == 1) links_[child] = LeafLink(parent, slot);
}

void RowTree::make_root_above(std::uint32_t child, std::uint8_t level) {
  root_ = inners_.add();
  inners_[root_].level = level;
  add_child(root_, child);
  ++height_;
}

// Gives children to a neighbour, if one has at most kInnerShareMax.
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

// Makes room for one more child. Splits from the top down, so that all counts are right at each
// step.
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
  // Rows that are added in order at the end of the board leave full inner nodes behind too.
  const bool at_end = at + 2U == inner.count && inner.parent == kNoNode;
  share_inners(parent, at, at_end ? kInnerRows - kInnerRowsMin : kInnerRows / 2 + 1);
}

// Moves children between the inner nodes in this slot and the next, so that the first has `keep`.
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

// Merges or refills an inner node with few children, and then its ancestors. A root with one child
// is replaced by it.
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

// Moves the last inner node to the freed number.
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
