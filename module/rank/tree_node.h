// tree_node.h - the nodes of a tree of rows above its leaves, and the pools that all live in.
//
// Scores are an array of their own, so that a search reads only what it compares. A node fills
// whole cache lines. Inner nodes are in cache as a rule, and wide. Nodes are named by 32-bit
// numbers.
//
//   slot         a child's place in its parent's order.
//   separator    the first row of a child, exactly: never one that has gone, for comparing it may
//                ask for its player's id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/block_heap.h"
#include "rank/leaf.h"
#include "rank/row_search.h"

namespace laurel {

inline constexpr std::uint32_t kInnerRows = 63;
// Of what is read several slots at once: what is in the last one is nobody's.
inline constexpr std::uint32_t kInnerSlots = kInnerRows + 1;

// Of scores a cache line has so many. A node's first line tells which of its lines to search.
inline constexpr std::uint32_t kLineScores = 8;
inline constexpr std::uint32_t kInnerSteps = kInnerRows / kLineScores;

inline constexpr std::uint32_t kInnerRowsMin = 16;  // one with fewer takes children, or merges
// A node with more than this is as good as full: what makes it so would not last.
inline constexpr std::uint32_t kInnerShareMax = 56;

// What a leaf knows of its parent once more, small and apart: these are in cache, so that what is
// counted above a leaf can be read while the leaf itself is on its way.
class LeafLink {
 public:
  LeafLink() = default;  // a root's
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
  ScoreKey steps[kInnerSteps];  // the last score of each cache line of scores but the last
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
  // After scores moved.
  void note_steps() {
    for (std::uint32_t i = 0; i < kInnerSteps; ++i) steps[i] = scores[(i + 1) * kLineScores - 1];
  }
  // Where the better scores end: in which line, of which the steps tell, and at which slot.
  std::uint32_t line_of(ScoreKey score) const {
    return node_scores_better<kInnerSteps>(steps, score) * kLineScores;
  }
  std::uint32_t better_from(std::uint32_t line, ScoreKey score) const {
    return line + node_scores_better<kLineScores - 1>(scores + line, score);
  }
  std::uint32_t better_of(ScoreKey score) const { return better_from(line_of(score), score); }
  // The child below which the place is: the last that begins no later, or the first.
  std::uint32_t child_for(const Place& place, const RowOrder& order) const {
    const std::uint32_t better = better_of(place.score);
    const std::uint32_t begun =
        rows_up_to(RowsView{scores, ties, players, count}, better, place, order);
    return begun - static_cast<std::uint32_t>(begun > 0);
  }
  // The child in which the scores that are better end; the same once their line is known.
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

// Moves slots from one node's array to another's, and opens or closes the room for them.
template <typename T>
void move_slots(T* left, std::uint32_t left_count, T* right, std::uint32_t right_count,
                std::uint32_t keep) {
  if (keep < left_count) {
    const std::uint32_t moved = left_count - keep;
    std::memmove(right + moved, right, right_count * sizeof(T));
    std::memcpy(right, left + keep, moved * sizeof(T));
  } else {
    const std::uint32_t moved = keep - left_count;
    std::memcpy(left + left_count, right, moved * sizeof(T));
    std::memmove(right, right + moved, (right_count - moved) * sizeof(T));
  }
}

// Nodes 0 to size() - 1 in chunks that do not move, but for the last: of a small tree it begins
// with kChunkFirst nodes and grows by a quarter at a time, for what it has too much others have
// not. A reference is valid until the next add.
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
    // Down late, so that a tree around a boundary does not allocate at each turn.
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
  static constexpr std::uint32_t kChunkStep = 2;  // at least so many more
  static constexpr std::size_t kChunksMany = 8;   // another one is an eighth at most

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
    const std::uint32_t last = room_ & (kChunkNodes - 1);  // 0: the last chunk is whole
    if (last == 0) {
      const std::uint32_t nodes = chunks_.size() < kChunksMany ? kChunkFirst : kChunkNodes;
      chunks_.push_back(allocate(nodes));
      room_ += nodes;
      return;
    }
    resize_last(std::min(last + std::max(kChunkStep, last / 4), kChunkNodes));
  }

  // Moves the nodes of the last chunk to one of another size.
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
