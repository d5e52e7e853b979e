// Prefetches what puts need, so that they wait for memory together and during other work.
#include <array>
#include <cassert>

#include "rank/prefetch.h"
#include "rank/tree/node_prefetch.h"
#include "rank/tree/row_tree.h"

namespace laurel {

// Prefetches the leaf for a new row, and the neighbour with which a full leaf would share its rows.
inline void RowTree::prefetch_entered(const Inner& parent, std::uint32_t slot) const {
  prefetch_lines<0, sizeof(Leaf)>(leaves_[parent.children[slot]]);
  if (parent.rows[slot] < usual_limits().rows) return;
  if (const auto other = sharing_neighbour(parent, slot, usual_limits().share)) {
    prefetch_lines<0, sizeof(Leaf)>(leaves_[parent.children[*other]]);
  }
}

// The descent for a single score. It prefetches all that a step may read, so that each step waits
// once.
LeafNumber RowTree::prefetch_path(ScoreKey score) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for_better(score);
    node = inner.children[slot];
    if (level > 1) {
      prefetch_way(inners_[node]);
    } else {
      prefetch_child(inner, slot);
      prefetch_entered(inner, slot);
    }
  }
  return node;
}

// Descends level by level for all scores, so that they wait for memory together. The lowest inner
// nodes are rarely in cache; of these only the lines that are read are prefetched, one by one.
void RowTree::prefetch_paths(std::span<const ScoreKey> scores, const RowOrder& order) {
  assert(scores.size() <= kPrefetchMax);
  expected_next_ = 0;
  expected_count_ = static_cast<std::uint32_t>(scores.size());
  if (scores.size() == 1) {
    const ScoreKey wanted = expected_as(scores[0], order);
    descents_[0] = {wanted, prefetch_path(wanted), 0};
    expected_on_way_ = 0;
    return;
  }
  expected_on_way_ = height_ == 0 ? 0 : expected_count_;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    descents_[i] = {expected_as(scores[i], order), root_, 0};
  }
  for (std::uint32_t level = height_; level > 1; --level) {
    for (Descent& at : on_the_way()) {
      const Inner& inner = inners_[at.node];
      at.node = inner.children[inner.child_for_better(at.score)];
      prefetch(&inners_[at.node]);
    }
  }
}

inline std::span<RowTree::Descent> RowTree::on_the_way() {
  return std::span(descents_).first(expected_on_way_);
}

// The descents continue to the line of scores that selects the child.
void RowTree::prefetch_players(std::span<const PlayerHandle> players) {
  for (const PlayerHandle player : players) numbers_.prefetch(player);
  for (Descent& at : on_the_way()) {
    const Inner& inner = inners_[at.node];
    at.slot = inner.line_of(at.score);
    prefetch(&inner.scores[at.slot]);
  }
}

void RowTree::prefetch_row_of(PlayerHandle player) const {
  const std::uint32_t number = numbers_.find(player);
  if (number == kNoNumber) return;
  const RowNumber row(number);
  prefetch_row(leaves_[row.leaf()], row.cell(), usual_form_);
}

// A single player's leaf, and the counts above it: one branch of its own, with nothing to set up.
void RowTree::prefetch_leaves(std::span<const PlayerHandle> players) {
  assert(players.size() <= kPrefetchMax);
  if (players.size() != 1) return prefetch_leaves_together(players);
  const std::uint32_t number = numbers_.find(players[0]);
  if (number == kNoNumber) return;
  const RowNumber row(number);
  prefetch_row(leaves_[row.leaf()], row.cell(), usual_form_);
  const LeafLink link = links_[row.leaf()];
  if (link.parent() == kNoNode) return;
  prefetch_to_write(&inners_[link.parent()]);
  prefetch_child(inners_[link.parent()], link.slot_hint());
}

// The descents continue to the child's counts, and then to the leaf.
[[gnu::noinline]] void RowTree::prefetch_leaves_together(std::span<const PlayerHandle> players) {
  std::array<const Leaf*, kPrefetchMax> leaves;
  std::size_t count = 0;
  for (const PlayerHandle player : players) {
    const std::uint32_t number = numbers_.find(player);
    if (number == kNoNumber) continue;
    const RowNumber row(number);
    leaves[count] = &leaves_[row.leaf()];
    prefetch_row(*leaves[count++], row.cell(), usual_form_);
  }
  for (Descent& at : on_the_way()) {
    const Inner& inner = inners_[at.node];
    at.slot = inner.child_for_better_from(at.slot, at.score);
    prefetch_child(inner, at.slot);
  }
  // Here all leaves are waited for together.
  for (const Leaf* leaf : std::span(leaves).first(count)) {
    if (leaf->parent == kNoNode) continue;
    const Inner& parent = inners_[leaf->parent];
    prefetch_to_write(&parent);
    prefetch_child(parent, leaf->slot_hint);
  }
  for (Descent& at : on_the_way()) {
    const Inner& inner = inners_[at.node];
    at.node = inner.children[at.slot];
    prefetch_entered(inner, at.slot);
  }
  expected_on_way_ = 0;
}

}  // namespace laurel
