// paged_tree.h - the order of a paged board: entry sets under manifests, as many layers as it
// takes.
//
//   layer      of nodes that are equally far from the root. Entry sets are the lowest one; a board
//              of up to one entry set's rows has no manifest, an empty one no node.
//   head       root, layers and counts, in the space under 'h'.
//   split      a node that runs full is replaced by two of new numbers; a set that grew at an end
//              of the board, where rows come in order, stays full, and the new row begins another.
//   merge      a node below a third of its weight is merged with a neighbour, or they share evenly.
//              Only the first and the last entry set may be smaller: they begin with one row.
//   reads      a count, and the start of a page, look at as many nodes as there are layers; a page
//              at one more for each entry set that it goes on to: each knows the next one.
//   views      of rows' ids are valid until the next call.
//   cost       O(layers) nodes a call, and what lies inside a node.
//   threads    one caller at a time, const calls included: they share the cache.
//   source     "Massive sorted sets": rank as the sum of lengths before and the place inside.
//              Differs from it in total counts at every level. For the counts of distinct scores
//              each manifest knows how many there are below a child and with which it begins and
//              ends, so that scores across an edge count once, and no child knows its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/paged/node_cache.h"

namespace laurel {

// How a paged board lies in the store.
struct PagedLayout {
  std::size_t layers = 0;
  std::size_t manifests = 0;
  std::size_t entry_sets = 0;
  std::optional<ScoreKey> lowest;  // the last row's; nothing on an empty board
};

class PagedTree {
 public:
  // The tree whose head is in the space, or an empty one. Nothing is written before a write.
  PagedTree(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
            EngineReads& reads);

  std::size_t size() const { return head_.rows; }
  PagedLayout layout() const;

  // REQUIRES: the player has no row here.
  void insert(const EngineRow& row);
  // REQUIRES: the row is here.
  void erase(const EngineRow& row);

  std::uint64_t rows_before(const EngineRow& place) const;
  std::uint64_t rows_better(ScoreKey score) const;
  std::uint64_t rows_not_worse(ScoreKey score) const;
  std::uint64_t distinct_better(ScoreKey score) const;
  void read(std::size_t first, std::size_t n, Arena& arena, std::vector<EngineRow>& out) const;

  // Begins to write what is newer than the store, as it is now, into the batch, which stays where
  // it is until the write ends. REQUIRES: no write is at work.
  void begin_write(Batch& batch);
  // Adds up to so many nodes to the batch; whether any are left. The tree may change in between.
  bool write_some(std::size_t nodes) { return cache_.write_some(nodes); }
  // The batch is in the store. REQUIRES: write_some left none.
  void end_write() { cache_.end_write(); }
  // Of a board that ends: lets go of nodes in memory; whether any are left.
  bool forget_some(std::size_t nodes) { return cache_.forget_some(nodes); }

  std::size_t bytes() const { return cache_.bytes(); }
  std::size_t changed_bytes() const { return cache_.changed_bytes(); }

  // Aborts, saying what, unless everything holds that must between two calls. O(n); for tests.
  void check() const;

 private:
  struct Head {
    NodeNumber root = kNoPagedNode;
    NodeNumber last = kNoPagedNode;  // the last number given
    std::uint64_t layers = 0;
    std::uint64_t rows = 0;
    std::uint64_t manifests = 0;
    std::uint64_t entry_sets = 0;
  };
  // A node on the way to a row, and the slot in it where the way goes on or the row is.
  struct Step {
    NodeNumber node = kNoPagedNode;
    std::size_t slot = 0;
  };
  using Path = std::vector<Step>;
  enum class Change : std::uint8_t { insert, insert_first, insert_last, erase };

  // paged_tree.cc: ways through the tree.
  template <typename SlotIn, typename Visit>
  void walk(SlotIn slot_in, Visit visit) const;
  template <typename SlotIn>
  std::uint64_t count(SlotIn slot_in) const;
  Path path_to(const EngineRow& place) const;
  bool ends_board(const Path& path) const;

  // paged_tree_balance.cc: nodes that come and go.
  void settle(Path path, Change change);
  void settle_root();
  void grow(Path& path);
  void split(const Path& path, std::size_t layer, Change change);
  void mend(const Path& path, std::size_t layer);
  void link_before(const Path& path, std::size_t layer, NodeNumber number);
  NodeNumber add(PagedNode node);
  PagedNode take(NodeNumber number);

  // paged_tree_check.cc
  struct Seen;
  void check_node(NodeNumber number, std::size_t layers, Seen& seen) const;
  void check_child(const PagedNode& manifest, std::size_t slot, std::size_t layers,
                   Seen& seen) const;
  void check_rows(const PagedNode& entry_set, Seen& seen) const;

  Space space_;
  Ties ties_;
  mutable NodeCache cache_;
  Head head_;
  bool changed_ = false;  // the head is newer than the store
};

}  // namespace laurel
