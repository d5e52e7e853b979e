// rolling_trees.h - the order of the players in each future bucket: a tree for each span of buckets
// that has players.
//
//   live     the spans that end no earlier than the running bucket. The number of live spans of a
//            level is slightly above the window's buckets divided by the span's length.
//   ended    spans that the running bucket has passed. They are set aside whole, and freed a few
//            rows at a time.
//   players  the caller of put() must hold the player until the row is erased or its span has
//            ended.
//   threads  not thread-safe; one caller at a time.
//   cost     n rows in a tree. put and erase O(log n); tree O(1); slide O(spans that end),
//            independent of their rows. 8 bytes for the slot of each live span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/rolling/span_tree.h"

namespace laurel {

class RollingTrees {
 public:
  // For windows of that many buckets. `players` outlives the trees.
  RollingTrees(const Players& players, Ties ties, int buckets);

  // The tree of a live span; null if it has no players.
  const SpanTree* tree(BucketSpan span) const;
  int levels() const { return static_cast<int>(rings_.size()); }

  // REQUIRES: the span is live; for erase: the player is in it.
  void put(BucketSpan span, const Row& row);
  void erase(BucketSpan span, PlayerHandle player);

  // Advances the running bucket: spans that end before `to` have ended. REQUIRES: from <= to.
  void slide(Bucket from, Bucket to);
  // Ends all spans.
  void drop_all();
  // Frees up to `rows` rows of ended spans; returns how many it freed.
  std::size_t free_some(std::size_t rows);
  bool any_ended() const { return !ended_.empty(); }

  // Rows placed, moved, erased and freed since construction: the total cost.
  std::uint64_t steps() const { return steps_; }
  std::size_t bytes() const;

  // Calls look(tree) for each live span that has players. For tests.
  template <typename Look>
  void for_each(Look look) const {
    for (const Ring& ring : rings_) {
      for (const TreePtr& tree : ring) {
        if (tree) look(*tree);
      }
    }
  }

 private:
  using TreePtr = std::unique_ptr<SpanTree>;
  // The live spans of a level, indexed by their index modulo the size, which is a power of two.
  using Ring = std::vector<TreePtr>;

  TreePtr& slot(BucketSpan span);
  const TreePtr& slot(BucketSpan span) const { return const_cast<RollingTrees*>(this)->slot(span); }
  void end(TreePtr& tree);

  const Players& players_;
  Ties ties_;
  std::vector<Ring> rings_;  // by level
  std::vector<TreePtr> ended_;
  std::uint64_t steps_ = 0;
};

}  // namespace laurel
