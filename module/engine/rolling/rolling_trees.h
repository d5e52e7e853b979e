// rolling_trees.h - who stands where in every bucket to come: a tree for each span of buckets that
// has anybody.
//
//   live     the spans that end no earlier than the running bucket; on each level they are a few
//            more than the window's buckets divided by the span's.
//   ended    spans that the running bucket has left behind. They are swapped out whole and freed
//            some rows at a time.
//   players  whoever puts a row in holds its player until the row is erased or its span has ended.
//   threads  none of its own; one caller at a time.
//   cost     n rows in a tree. put and erase O(log n); tree O(1); slide O(spans that end), whatever
//            is in them. A slot is 8 bytes for each live span.
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

  // The tree of a live span; null when nobody stands there.
  const SpanTree* tree(BucketSpan span) const;
  int levels() const { return static_cast<int>(rings_.size()); }

  // REQUIRES: the span is live; of erase, that the player stands there.
  void put(BucketSpan span, const Row& row);
  void erase(BucketSpan span, PlayerHandle player);

  // The running bucket moves on: spans that end before `to` have ended. REQUIRES: from <= to.
  void slide(Bucket from, Bucket to);
  // All spans have ended.
  void drop_all();
  // Frees up to `rows` rows of ended spans; how many it freed.
  std::size_t free_some(std::size_t rows);
  bool any_ended() const { return !ended_.empty(); }

  // Rows ever placed, moved, erased and freed: what everything has cost.
  std::uint64_t steps() const { return steps_; }
  std::size_t bytes() const;

  // Calls look(tree) for each live span that has anybody. For tests.
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
  // The live spans of a level by index modulo size, which is a power of two.
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
