// tree_node.h - the inner nodes of a tree of rows, and the pools of all nodes.
//
// Scores are a separate array, so that a search reads only what it compares. A node fills whole
// cache lines. Inner nodes are usually in cache, so they are wide. Nodes have 32-bit numbers.
//
//   slot         the index of a child in its parent.
//   separator    the first row of a child. It is always a present row, because comparing it may
//                read its player's id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/block_heap.h"
#include "rank/tree/leaf.h"
#include "rank/tree/node_slots.h"
#include "rank/tree/row_search.h"

namespace laurel {

inline constexpr std::uint32_t kInnerRows = 63;
// The size of arrays that are read several slots at once; the last slot is not used.
inline constexpr std::uint32_t kInnerSlots = kInnerRows + 1;

// Scores in a cache line. The steps in a node's first line select the line to search.
inline constexpr std::uint32_t kLineScores = 8;
inline constexpr std::uint32_t kInnerSteps = kInnerRows / kLineScores;

inline constexpr std::uint32_t kInnerRowsMin = 16;  // a node with fewer takes children or merges
// A node with more takes no children: it would soon be full.
inline constexpr std::uint32_t kInnerShareMax = 56;

// A copy of a leaf's parent and slot hint. The links of all leaves are a small array that stays in
// cache, so the counts above a leaf can be read while the leaf is fetched.
class LeafLink {
 public:
  LeafLink() = default;  // for a root
  LeafLink(InnerNumber parent, std::uint32_t slot) : bits_(parent << kSlotBits | slot) {}

  InnerNumber parent() const { return bits_ == kNoNode ? kNoNode : bits_ >> kSlotBits; }
  std::uint8_t slot_hint() const { return bits_ % (1U << kSlotBits); }

 private:
  static constexpr unsigned kSlotBits = 6;
  static_assert(kInnerRows < 1U << kSlotBits);

  std::uint32_t bits_ = kNoNode;
};

struct alignas(64) Inner {
  Inner() {
    std::fill_n(scores, kInnerRows, kWorstScore);
    note_steps();
  }

  InnerNumber parent = kNoNode;
  std::uint8_t count = 0;
  std::uint8_t slot_hint = 0;
  std::uint8_t level = 0;  // 1: the children are leaves
  std::uint8_t unused = 0;
  ScoreKey steps[kInnerSteps];  // the last score of each line of scores, except the last line
  ScoreKey scores[kInnerRows];  // the children's separators, in three arrays
  std::uint64_t ties[kInnerRows];
  PlayerHandle players[kInnerSlots];
  std::uint32_t children[kInnerSlots];
  std::uint32_t rows[kInnerSlots];  // below each child
  std::uint32_t runs[kInnerSlots];  // rows that start a run, below each child

  void set_separator(std::uint32_t slot, const Place& first) {
    scores[slot] = first.score;
    if ((slot + 1) % kLineScores == 0) steps[slot / kLineScores] = first.score;
    ties[slot] = first.tie;
    players[slot] = first.player;
  }
  Place separator(std::uint32_t slot) const { return {scores[slot], ties[slot], players[slot]}; }
  // Updates the steps after scores were moved.
  void note_steps() {
    for (std::uint32_t i = 0; i < kInnerSteps; ++i) steps[i] = scores[(i + 1) * kLineScores - 1];
  }
  // The number of better scores: rounded down to a line, which the steps tell, and exact.
  std::uint32_t line_of(ScoreKey score) const {
    return node_scores_better<kInnerSteps>(steps, score) * kLineScores;
  }
  std::uint32_t better_from(std::uint32_t line, ScoreKey score) const {
    return line + node_scores_better<kLineScores - 1>(scores + line, score);
  }
  std::uint32_t better_of(ScoreKey score) const { return better_from(line_of(score), score); }
  // The child that contains the place: the last one that begins at or before it, or the first.
  std::uint32_t child_for(const Place& place, const RowOrder& order) const {
    const std::uint32_t better = better_of(place.score);
    const std::uint32_t begun =
        rows_up_to(RowsView{scores, ties, players, count}, better, place, order);
    return begun - static_cast<std::uint32_t>(begun > 0);
  }
  // The child in which the better scores end. The second form starts at their line.
  std::uint32_t child_for_better(ScoreKey score) const {
    return child_for_better_from(line_of(score), score);
  }
  std::uint32_t child_for_better_from(std::uint32_t line, ScoreKey score) const {
    const std::uint32_t begun = better_from(line, score);
    return begun - static_cast<std::uint32_t>(begun > 0);
  }
  std::uint32_t slot_of(std::uint32_t child) const {
    return node_slot_of<kInnerRows>(children, count, child);
  }
};
static_assert(sizeof(Inner) == 2112 && offsetof(Inner, scores) == 64);

// Nodes 0 to size() - 1, in chunks. Only the last chunk can move: in a small tree it begins with
// kChunkFirst nodes and grows by a quarter at a time, which saves memory on many small boards. A
// reference is valid until the next add() or drop_last().
template <typename Node, std::uint32_t kChunkShift = 6, std::uint32_t kChunkFirst = 2>
class NodePool {
  static_assert(std::is_trivially_copyable_v<Node>);

 public:
  NodePool() = default;
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;
  ~NodePool() {
    while (!chunks_.empty()) give_last();
  }

  Node& operator[](std::uint32_t number) {
    return chunks_[number >> kChunkShift][number & (kChunkNodes - 1)];
  }
  const Node& operator[](std::uint32_t number) const {
    return chunks_[number >> kChunkShift][number & (kChunkNodes - 1)];
  }

  std::uint32_t size() const { return size_; }
  std::size_t bytes() const { return room_ * sizeof(Node) + chunks_.capacity() * sizeof(Node*); }

  std::uint32_t add() {
    if (size_ == room_) grow();
    new (&(*this)[size_]) Node;
    return size_++;
  }

  void drop_last() {
    --size_;
    // Shrinks late, so that a size that changes around a boundary does not allocate each time.
    const std::uint32_t before_last = static_cast<std::uint32_t>(chunks_.size() - 1) * kChunkNodes;
    if (before_last > 0 && size_ + kChunkNodes / 2 <= before_last) {
      give_last();
    } else if (size_ >= before_last && room_ - before_last > kChunkFirst &&
               size_ - before_last <= (room_ - before_last) / 4) {
      resize_last(std::max((room_ - before_last) / 2, kChunkFirst));
    }
  }

 private:
  static constexpr std::uint32_t kChunkNodes = 1U << kChunkShift;
  static constexpr std::uint32_t kChunkStep = 2;  // the smallest growth of a chunk, in nodes
  static constexpr std::size_t kChunksMany = 8;   // from here on a whole chunk is at most an eighth

  static Node* allocate(std::uint32_t nodes) {
    static_assert(alignof(Node) <= BlockHeap::kAlignment);
    return static_cast<Node*>(block_heap().take(nodes * sizeof(Node)));
  }

  void give_last() {
    const std::uint32_t before_last = static_cast<std::uint32_t>(chunks_.size() - 1) * kChunkNodes;
    block_heap().give(chunks_.back(), (room_ - before_last) * sizeof(Node));
    chunks_.pop_back();
    room_ = before_last;
  }

  void grow() {
    const std::uint32_t last = room_ & (kChunkNodes - 1);  // 0: the last chunk has its full size
    if (last == 0) {
      const std::uint32_t nodes = chunks_.size() < kChunksMany ? kChunkFirst : kChunkNodes;
      chunks_.push_back(allocate(nodes));
      room_ += nodes;
      return;
    }
    resize_last(std::min(last + std::max(kChunkStep, last / 4), kChunkNodes));
  }

  // Moves the nodes of the last chunk to a chunk of another size.
  void resize_last(std::uint32_t nodes) {
    const std::uint32_t before_last = static_cast<std::uint32_t>(chunks_.size() - 1) * kChunkNodes;
    Node* other = allocate(nodes);
    std::memcpy(static_cast<void*>(other), chunks_.back(), (size_ - before_last) * sizeof(Node));
    give_last();
    chunks_.push_back(other);
    room_ = before_last + nodes;
  }

  std::vector<Node*> chunks_;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace laurel
