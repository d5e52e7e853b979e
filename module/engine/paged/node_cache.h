// node_cache.h - caches the entry sets and manifests of a paged board.
//
//   store      the key of a node in its space is 'o' and its number in 8 bytes, most significant
//              first.
//   clean      as in the store; the least recently used node is evicted first when the cache
//              exceeds its limit.
//   changed    newer than the store: stays in memory until a write has handed it over.
//   write      writes all changed nodes, as of the begin of the write, into one batch that is
//              filled in steps. Nodes may change meanwhile: a node that is not yet in the batch is
//              encoded before it changes. Encoded nodes stay in memory until the batch is written.
//   reference  to a node is valid until trim(), or until the node is taken. Loading another node
//              does not move it.
//   threads    one caller at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/paged/paged_node.h"

namespace laurel {

class NodeCache {
 public:
  // Reads from `reader`: the space's store, or a snapshot of it. The reader and the counters
  // outlive this object.
  NodeCache(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
            EngineReads& reads)
      : space_(space), reader_(reader), ties_(ties), sizes_(sizes), reads_(reads) {}
  NodeCache(const NodeCache&) = delete;
  NodeCache& operator=(const NodeCache&) = delete;

  const PagedSizes& sizes() const { return sizes_; }

  // REQUIRES for these functions: a node with that number exists.
  const PagedNode& get(NodeNumber number) { return find(number)->node; }
  PagedNode& change(NodeNumber number);
  // Removes the node from the cache, and with the next write from the store.
  PagedNode take(NodeNumber number);
  void add(NodeNumber number, PagedNode node);

  // Evicts clean nodes until the cache is within its limit.
  void trim();
  // Begins a write into the batch, which must not move until the write ends. REQUIRES: no other
  // write is in progress.
  void begin_write(Batch& batch);
  // Adds up to `count` nodes to the batch; returns true if any are left.
  bool write_some(std::size_t count);
  // To be called after the batch is in the store. REQUIRES: write_some returned false.
  void end_write();
  // Drops up to `count` nodes, also changed ones, of a board that ends; returns true if any are
  // left.
  bool forget_some(std::size_t count);

  std::size_t bytes() const { return bytes_; }
  // Without the nodes of a write in progress.
  std::size_t changed_bytes() const { return changed_bytes_; }

  // For checks: the node, without effect on the cache or the counters. If it must be fetched, it is
  // stored in `loaded`.
  const PagedNode& peek(NodeNumber number, std::optional<PagedNode>& loaded) const;
  // Aborts if a clean node differs from the store.
  void check() const;

 private:
  enum class State : std::uint8_t {
    clean,
    changed,
    awaited,  // changed, not yet in the batch, unchanged since the write began
    encoded,  // in the batch in its current form, but not in the store
  };
  static constexpr std::size_t kStates = 4;
  struct Cached {
    NodeNumber number = kNoPagedNode;
    PagedNode node;
    State state = State::clean;
    std::size_t bytes = 0;  // of the node when last measured: before its last change
  };
  using Place = std::list<Cached>::iterator;

  Place find(NodeNumber number);
  PagedNode load(NodeNumber number) const;
  void measure(Cached& cached);
  void move(Place place, State state);
  void encode(Place place);
  void remove(Place place);

  Space space_;
  const Reader& reader_;
  Ties ties_;
  PagedSizes sizes_;
  EngineReads& reads_;
  std::list<Cached>& nodes(State state) { return nodes_[static_cast<std::size_t>(state)]; }

  // By state; the most recently used clean node first.
  std::array<std::list<Cached>, kStates> nodes_;
  std::unordered_map<NodeNumber, Place> places_;
  std::vector<NodeNumber> dropped_;  // erased since the last write began
  Batch* batch_ = nullptr;           // of the write in progress
  std::size_t bytes_ = 0;
  std::size_t changed_bytes_ = 0;
};

}  // namespace laurel
