// Reading a tree: cursors and counts.
#include <algorithm>
#include <cassert>
#include <limits>

#include "rank/simd.h"
#include "rank/tree/node_prefetch.h"
#include "rank/tree/row_tree.h"

namespace laurel {

namespace {

// The sum of the first `slots` of a node's counts. The last eight are masked instead of a loop over
// the rest, whose end would be mispredicted.
// REQUIRES: the array is readable up to a multiple of 8 slots.
std::uint32_t sum_before(const std::uint32_t* counts, std::uint32_t slots) {
  constexpr std::uint32_t kAll = ~0U;
  static constexpr std::uint32_t kMasks[16] = {kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll};
  const auto four = [](const std::uint32_t* at) { return simd::load<simd::U32x4>(at); };
  simd::U32x4 low = {};
  simd::U32x4 high = {};
  for (; slots >= 8; slots -= 8, counts += 8) {
    low += four(counts);
    high += four(counts + 4);
  }
  const std::uint32_t* const masks = kMasks + 8 - slots;
  low += four(counts) & four(masks);
  high += four(counts + 4) & four(masks + 4);
  return simd::sum_of_lanes(low + high);
}

std::uint32_t sum_of_eight(const std::uint32_t* counts) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 8; ++i) sum += counts[i];
  return sum;
}

// The sum of the slots from `begin` to `end` - 1. REQUIRES: as sum_before().
std::uint32_t sum_between(const std::uint32_t* counts, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t first = begin / 8 * 8;
  return sum_before(counts + first, end - first) - sum_before(counts + first, begin - first);
}

// The child with the row at position `left`. Subtracts the rows before that child from `left`,
// first for eight children at a time.
std::uint32_t child_at(const Inner& inner, std::uint32_t& left) {
  std::uint32_t slot = 0;
  for (; slot + 8U <= inner.count; slot += 8) {
    const std::uint32_t eight = sum_of_eight(inner.rows + slot);
    if (left < eight) break;
    left -= eight;
  }
  for (; left >= inner.rows[slot]; ++slot) left -= inner.rows[slot];
  return slot;
}

}  // namespace

// The child's count tells whether the rows continue in the next leaf, without reading the leaf.
RowCursor RowTree::from(std::size_t position, std::size_t rows) const {
  if (position >= size_) return {};
  const std::size_t best = leaves_[first_].count;
  if (position < best && rows <= best - position) {
    return {*this, first_, static_cast<std::uint32_t>(position)};
  }
  std::uint32_t node = root_;
  auto left = static_cast<std::uint32_t>(position);
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = child_at(inner, left);
    node = inner.children[slot];
    if (level > 1) {
      prefetch_counts(inners_[node]);
      continue;
    }
    prefetch_lines<0, sizeof(Leaf)>(leaves_[node]);
    if (rows > inner.rows[slot] - left && slot + 1U < inner.count) {
      prefetch_lines<0, sizeof(Leaf)>(leaves_[inner.children[slot + 1]]);
    }
  }
  return {*this, node, left};
}

RowCursor::RowCursor(const RowTree& tree, LeafNumber leaf, std::uint32_t slot)
    : leaf_(&tree.leaves_[leaf]), count_(leaf_->count), slot_(slot), number_(leaf), tree_(&tree) {}

void RowCursor::enter_next_leaf() {
  const LeafNumber next = tree_->next_leaf(number_);
  if (next != kNoLeaf) *this = RowCursor(*tree_, next, 0);
}

// Counts.

// Does not read the leaf.
std::size_t RowTree::sum_above(LeafNumber number,
                               std::uint32_t (Inner::*counts)[kInnerSlots]) const {
  std::size_t sum = 0;
  std::uint32_t child = number;
  std::uint8_t hint = links_[number].slot_hint();
  for (InnerNumber parent = links_[number].parent(); parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    sum += sum_before(inner.*counts, slot_in_parent(inner, child, hint));
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return sum;
}

std::size_t RowTree::position(PlayerHandle player) const {
  const RowNumber row = row_of(player);
  prefetch_scores(leaves_[row.leaf()]);
  const std::size_t above = sum_above(row.leaf(), &Inner::rows);
  return above + spot_of(row).slot;
}

// The counts above the leaf are summed while the leaf is fetched. A run is usually in one leaf; if
// it is not, a search for its score follows.

std::size_t RowTree::better_than(PlayerHandle player) const {
  const RowNumber row = row_of(player);
  const Leaf& leaf = leaves_[row.leaf()];
  prefetch_scores(leaf);
  const std::size_t above = sum_above(row.leaf(), &Inner::rows);
  const std::uint32_t slot = spot_of(row).slot;
  std::uint32_t start = slot;
  while (start > 0 && leaf.same_score(start - 1, slot)) --start;
  if (leaf.starts_run(start)) return above + start;
  return better(leaf.score(slot));
}

std::size_t RowTree::not_worse_than(PlayerHandle player) const {
  const RowNumber row = row_of(player);
  const Leaf& leaf = leaves_[row.leaf()];
  prefetch_scores(leaf);
  const std::size_t above = sum_above(row.leaf(), &Inner::rows);
  const std::uint32_t slot = spot_of(row).slot;
  std::uint32_t end = slot + 1;
  while (end < leaf.count && leaf.same_score(end, slot)) ++end;
  if (end < leaf.count) return above + end;
  // Keys are integers: not worse than this key is better than the next one.
  const ScoreKey score = leaf.score(slot);
  return score == std::numeric_limits<ScoreKey>::max() ? size_ : better(score + 1);
}

std::size_t RowTree::distinct_better_than(PlayerHandle player) const {
  const RowNumber row = row_of(player);
  const Leaf& leaf = leaves_[row.leaf()];
  prefetch_scores(leaf);
  const std::size_t above = sum_above(row.leaf(), &Inner::runs);
  const std::uint32_t slot = spot_of(row).slot;
  // The runs up to the player's own, less that one.
  return above + (leaf.first_starts ? 1U : 0U) + leaf.runs_within(slot + 1) - 1;
}

std::size_t RowTree::count_up_to(const Place& place, const RowOrder& order) const {
  std::size_t before = 0;
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for(place, order);
    before += sum_before(inner.rows, slot);
    node = inner.children[slot];
  }
  return before + leaves_[node].up_to(place, order);
}

template <typename Pass>
const Leaf& RowTree::leaf_of_better(ScoreKey score, Pass pass) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for_better(score);
    node = inner.children[slot];
    if (level > 1) {
      prefetch_way(inners_[node]);
    } else {
      prefetch_scores(leaves_[node]);
    }
    pass(inner, slot);
  }
  return leaves_[node];
}

std::size_t RowTree::better(ScoreKey score) const {
  std::size_t rows = 0;
  const Leaf& leaf = leaf_of_better(
      score, [&](const Inner& inner, std::uint32_t slot) { rows += sum_before(inner.rows, slot); });
  return rows + leaf.better(score);
}

// Both searches descend level by level, so that they wait for memory together. In a shared node,
// the children before both are not summed.
std::size_t RowTree::between(ScoreKey first, ScoreKey last) const {
  std::size_t rows = 0;
  std::uint32_t low = root_;
  std::uint32_t high = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& from = inners_[low];
    const Inner& to = inners_[high];
    const std::uint32_t begin = from.child_for_better(first);
    const std::uint32_t end = to.child_for_better(last);
    const bool is_shared = low == high;
    low = from.children[begin];
    high = to.children[end];
    if (level > 1) {
      prefetch_way(inners_[low]);
      prefetch_way(inners_[high]);
    } else {
      prefetch_scores(leaves_[low]);
      prefetch_scores(leaves_[high]);
    }
    if (is_shared) {
      rows += sum_between(to.rows, begin, end);
    } else {
      rows += sum_before(to.rows, end);
      rows -= sum_before(from.rows, begin);
    }
  }
  return rows + leaves_[high].better(last) - leaves_[low].better(first);
}

std::size_t RowTree::runs_better(ScoreKey score) const {
  std::size_t runs = 0;
  const Leaf& leaf = leaf_of_better(
      score, [&](const Inner& inner, std::uint32_t slot) { runs += sum_before(inner.runs, slot); });
  const std::uint32_t slot = leaf.better(score);
  return slot == 0 ? runs : runs + (leaf.first_starts ? 1U : 0U) + leaf.runs_within(slot);
}

std::size_t RowTree::bytes() const {
  return sizeof *this + leaves_.bytes() + links_.bytes() + inners_.bytes() + numbers_.bytes();
}

}  // namespace laurel
