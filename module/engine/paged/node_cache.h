// node_cache.h - the entry sets and manifests of a paged board, as far as they are in memory.
//
//   store      nodes lie in a space under 'o' and their number in 8 bytes, most significant first.
//   clean      as the store has it; the one that was used longest ago goes first when the cache
//              holds more than it may.
//   changed    newer than the store: stays in memory until a write has handed it over.
//   write      of all that is changed, as it is when the write begins, into one batch that is
//              filled little by little. Meanwhile nodes go on changing: one that the batch still
//              waits for is encoded before it does. What the batch has stays in memory until the
//              batch is written.
//   reference  to a node: valid until trim(), or until the node is taken. Loading another one moves
//              nothing.
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
  // Reads from `reader`: the space's store, or a snapshot of it. It and the counters outlive this.
  NodeCache(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
            EngineReads& reads)
      : space_(space), reader_(reader), ties_(ties), sizes_(sizes), reads_(reads) {}
  NodeCache(const NodeCache&) = delete;
  NodeCache& operator=(const NodeCache&) = delete;

  const PagedSizes& sizes() const { return sizes_; }

  // REQUIRES of these: there is a node of that number.
  const PagedNode& get(NodeNumber number) { return find(number)->node; }
  PagedNode& change(NodeNumber number);
  // Out of the cache, and with the next write out of the store.
  PagedNode take(NodeNumber number);
  void add(NodeNumber number, PagedNode node);

  // Lets go of clean nodes until the cache holds no more than it may.
  void trim();
  // Begins a write into the batch, which stays where it is until the write ends.
  // REQUIRES: none is at work.
  void begin_write(Batch& batch);
  // Adds up to so many nodes to the batch; whether any are left.
  bool write_some(std::size_t count);
  // The batch is in the store. REQUIRES: write_some left none.
  void end_write();
  // Lets go of up to so many nodes, changed or not, of a board that ends; whether any are left.
  bool forget_some(std::size_t count);

  std::size_t bytes() const { return bytes_; }
  std::size_t changed_bytes() const { return changed_bytes_; }  // without those of a write

  // For checks: the node without a trace in the cache or the counters, from `loaded` where it had
  // to be fetched.
  const PagedNode& peek(NodeNumber number, std::optional<PagedNode>& loaded) const;
  // Aborts unless every clean node is as the store has it.
  void check() const;

 private:
  enum class State : std::uint8_t {
    clean,
    changed,
    awaited,  // changed, by the write at work, and as it was when that began
    encoded,  // in the batch of the write at work as it is here, but not in the store
  };
  static constexpr std::size_t kStates = 4;
  struct Cached {
    NodeNumber number = kNoPagedNode;
    PagedNode node;
    State state = State::clean;
    std::size_t bytes = 0;  // of the node when it was last measured: before its last change
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

  std::array<std::list<Cached>, kStates> nodes_;  // by state; the last used clean one first
  std::unordered_map<NodeNumber, Place> places_;
  std::vector<NodeNumber> dropped_;  // since the last write began
  Batch* batch_ = nullptr;           // of the write at work
  std::size_t bytes_ = 0;
  std::size_t changed_bytes_ = 0;
};

}  // namespace laurel
