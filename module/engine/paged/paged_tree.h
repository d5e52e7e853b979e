// paged_tree.h - the order of a paged board: entry sets under manifests, in any number of layers.
//
//   layer    the nodes at the same distance from the root. Entry sets are the lowest layer. A board
//            whose rows fit into one entry set has no manifest; an empty board has no node.
//   head     root, layers and counts, in the space under 'h'.
//   split    a full node is replaced by two nodes with new numbers. But if the rows come in order
//            at an end of the board, the entry set there stays full, and the new row begins another
//            one.
//   merge    a node below a third of its maximum weight is merged with a neighbour, or they share
//            their rows evenly. Only the first and the last entry set may be smaller, since they
//            begin with one row.
//   reads    a count, and the start of a page, access one node on each layer. A page also accesses
//            each further entry set that it extends to; an entry set stores the number of the next
//            one.
//   views    of rows' ids are valid until the next call.
//   cost     O(layers) nodes a call, plus the work in a node.
//   threads  one caller at a time, const calls included: they share the cache.
//   source   "Massive sorted sets": the rank is the sum of the lengths before a node and the place
//            inside it. Unlike there, each level has total counts. For counts of distinct scores a
//            manifest stores for each child the number of distinct scores and its first and last
//            score. So a score across an edge counts once, and children do not know their
//            neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/paged/node_cache.h"
#include "engine/paged/paged_layout.h"

namespace laurel {

class PagedTree {
 public:
  // The tree whose head is in the space, or an empty one. Only a write changes the store.
  PagedTree(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
            EngineReads& reads);

  std::size_t size() const { return head_.rows; }
  PagedLayout layout() const;

  // REQUIRES: the player has no row in the tree.
  void insert(const EngineRow& row);
  // REQUIRES: the row is in the tree.
  void erase(const EngineRow& row);

  std::uint64_t rows_before(const EngineRow& place) const;
  std::uint64_t rows_better(ScoreKey score) const;
  std::uint64_t rows_not_worse(ScoreKey score) const;
  std::uint64_t distinct_better(ScoreKey score) const;
  void read(std::size_t first, std::size_t n, Arena& arena, std::vector<EngineRow>& out) const;

  // Begins to write all nodes that are newer than the store, as they are now, into the batch, which
  // must not move until the write ends. REQUIRES: no other write is in progress.
  void begin_write(Batch& batch);
  // Adds up to `nodes` nodes to the batch; returns true if any are left. The tree may change in
  // between.
  bool write_some(std::size_t nodes) { return cache_.write_some(nodes); }
  // To be called after the batch is in the store. REQUIRES: write_some returned false.
  void end_write() { cache_.end_write(); }
  // Drops nodes in memory, of a board that ends; returns true if any are left.
  bool forget_some(std::size_t nodes) { return cache_.forget_some(nodes); }

  std::size_t bytes() const { return cache_.bytes(); }
  std::size_t changed_bytes() const { return cache_.changed_bytes(); }

  // Aborts with a message if an invariant is violated. O(n); for tests.
  void check() const;

 private:
  struct Head {
    NodeNumber root = kNoPagedNode;
    NodeNumber last = kNoPagedNode;  // the last number used
    std::uint64_t layers = 0;
    std::uint64_t rows = 0;
    std::uint64_t manifests = 0;
    std::uint64_t entry_sets = 0;
  };
  // A node on the path to a row, and the slot of the next node or of the row.
  struct Step {
    NodeNumber node = kNoPagedNode;
    std::size_t slot = 0;
  };
  using Path = std::vector<Step>;
  enum class Change : std::uint8_t { insert, insert_first, insert_last, erase };

  // paged_tree.cc: paths through the tree.
  template <typename SlotIn, typename Visit>
  void walk(SlotIn slot_in, Visit visit) const;
  template <typename SlotIn>
  std::uint64_t count(SlotIn slot_in) const;
  Path path_to(const EngineRow& place) const;
  bool ends_board(const Path& path) const;

  // paged_tree_balance.cc: adding and removing nodes.
  void settle(Path path, Change change);
  void settle_root();
  void grow(Path& path);
  void split(const Path& path, std::size_t layer, Change change);
  void mend(const Path& path, std::size_t layer);
  void link_before(const Path& path, std::size_t layer, NodeNumber number);
  NodeNumber add(PagedNode node);
  PagedNode take(NodeNumber number);

  // paged_tree_check.cc
  struct HeldEntry;
  void check_node(NodeNumber number, std::size_t layers, HeldEntry& seen) const;
  void check_child(const PagedNode& manifest, std::size_t slot, std::size_t layers,
                   HeldEntry& seen) const;
  void check_rows(const PagedNode& entry_set, HeldEntry& seen) const;

  Space space_;
  Ties ties_;
  mutable NodeCache cache_;
  Head head_;
  bool changed_ = false;  // the head is newer than the store
};

}  // namespace laurel
