// node_cache.h - the entry sets and manifests of a paged board, as far as they are in memory.
//
//   store      nodes lie in a space under 'o' and their number in 8 bytes, most significant first.
//   clean      as the store has it; the one that was used longest ago goes first when the cache
//              holds more than it may.
//   changed    newer than the store: stays until write() has handed it over.
//   reference  to a node: valid until trim(), or until the node is taken. Loading another one moves
//              nothing.
//   threads    one caller at a time.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/paged/paged_node.h"

namespace laurel {

class NodeCache {
 public:
  // Reads from `reader`: the space's store, or a snapshot of it. It and the counters outlive this.
  NodeCache(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
            EngineReads& reads)
      : space_(space), reader_(reader), ties_(ties), sizes_(sizes), reads_(reads) {}
  NodeCache(const NodeCache&) = delete;
  NodeCache& operator=(const NodeCache&) = delete;

  const PagedSizes& sizes() const { return sizes_; }

  // REQUIRES of these: there is a node of that number.
  const PagedNode& get(NodeNumber number) { return find(number).node; }
  PagedNode& change(NodeNumber number);
  // Out of the cache, and with the next write out of the store.
  PagedNode take(NodeNumber number);
  void add(NodeNumber number, PagedNode node);

  // Lets go of clean nodes until the cache holds no more than it may.
  void trim();
  // Adds to the batch what is newer than the store, which thereby is clean.
  // REQUIRES: the batch is written before the next call.
  void write(Batch& batch);
  // Lets go of up to so many nodes, changed or not, of a board that ends; whether any are left.
  bool forget_some(std::size_t nodes);

  std::size_t bytes() const { return bytes_; }
  std::size_t changed_bytes() const { return changed_bytes_; }
  bool is_clean() const { return changed_.empty() && dropped_.empty(); }

  // For checks: the node without a trace in the cache or the counters, from `loaded` where it had
  // to be fetched.
  const PagedNode& peek(NodeNumber number, std::optional<PagedNode>& loaded) const;
  // Aborts unless every clean node is as the store has it.
  void check() const;

 private:
  struct Cached {
    NodeNumber number = kNoPagedNode;
    PagedNode node;
    bool changed = false;
    std::size_t bytes = 0;  // of the node when it was last measured: before its last change
  };
  using Place = std::list<Cached>::iterator;

  Cached& find(NodeNumber number);
  PagedNode load(NodeNumber number) const;
  void measure(Cached& cached);
  void remove(Place place);

  Space space_;
  const Reader& reader_;
  Ties ties_;
  PagedSizes sizes_;
  EngineReads& reads_;
  std::list<Cached> clean_;  // the last used first
  std::list<Cached> changed_;
  std::unordered_map<NodeNumber, Place> places_;
  std::vector<NodeNumber> dropped_;
  std::size_t bytes_ = 0;
  std::size_t changed_bytes_ = 0;
};

}  // namespace laurel
