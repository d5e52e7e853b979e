#include "engine/rolling/rolling_trees.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace laurel {

RollingTrees::RollingTrees(const Players& players, Ties ties, int buckets)
    : players_(players), ties_(ties) {
  for (int level = 0; level <= level_within(buckets); ++level) {
    // A window that is not aligned reaches into one more span at either end.
    rings_.emplace_back(std::bit_ceil((static_cast<unsigned>(buckets) >> level) + 2));
  }
}

RollingTrees::TreePtr& RollingTrees::slot(BucketSpan span) {
  Ring& ring = rings_[static_cast<std::size_t>(span.level)];
  return ring[static_cast<std::size_t>(span.index) & (ring.size() - 1)];
}

const SpanTree* RollingTrees::tree(BucketSpan span) const {
  const TreePtr& tree = slot(span);
  return tree && tree->span() == span ? tree.get() : nullptr;
}

void RollingTrees::put(BucketSpan span, const Row& row) {
  TreePtr& tree = slot(span);
  if (!tree) tree = std::make_unique<SpanTree>(span, players_, ties_);
  assert(tree->span() == span && "a row is put into a live span");
  tree->put(row);
  ++steps_;
}

void RollingTrees::erase(BucketSpan span, PlayerHandle player) {
  TreePtr& tree = slot(span);
  assert(tree && tree->span() == span && "the player stands in the span");
  [[maybe_unused]] const bool erased = tree->erase(player);
  assert(erased && "the player stands in the span");
  if (tree->size() == 0) tree.reset();
  ++steps_;
}

void RollingTrees::slide(Bucket from, Bucket to) {
  for (int level = 0; level < levels(); ++level) {
    const auto size = static_cast<Bucket>(rings_[static_cast<std::size_t>(level)].size());
    const Bucket first = from >> level;
    const Bucket past = std::min(to >> level, first + size);
    for (Bucket index = first; index < past; ++index) end(slot({level, index}));
  }
}

void RollingTrees::drop_all() {
  for (Ring& ring : rings_) {
    for (TreePtr& tree : ring) end(tree);
  }
}

void RollingTrees::end(TreePtr& tree) {
  if (tree) ended_.push_back(std::move(tree));
}

std::size_t RollingTrees::free_some(std::size_t rows) {
  std::size_t freed = 0;
  while (freed < rows && !ended_.empty()) {
    freed += ended_.back()->free_some(rows - freed);
    if (ended_.back()->size() == 0) ended_.pop_back();
  }
  steps_ += freed;
  return freed;
}

std::size_t RollingTrees::bytes() const {
  std::size_t bytes = sizeof *this + ended_.capacity() * sizeof(TreePtr);
  const auto bytes_of = [](const SpanTree& tree) {
    return sizeof tree - sizeof(CountedTree) + tree.rows().bytes();
  };
  for (const Ring& ring : rings_) bytes += sizeof ring + ring.size() * sizeof(TreePtr);
  for (const TreePtr& tree : ended_) bytes += bytes_of(*tree);
  for_each([&](const SpanTree& tree) { bytes += bytes_of(tree); });
  return bytes;
}

}  // namespace laurel
