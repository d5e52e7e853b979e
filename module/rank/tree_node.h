// tree_node.h - the nodes of a tree of rows, and the pools that they live in.
//
// Scores are an array of their own, so that a search reads only what it compares. A node fills
// whole cache lines. An update moves scores of two leaves, which nobody has in cache: so a leaf is
// small. Inner nodes are in cache as a rule, and wide. Nodes are named by 32-bit numbers.
//
//   slot         a row's place in its leaf's order, a child's in its parent's.
//   cell         where what a row has besides its score lies in the leaf, in no order. A row keeps
//                its cell while it is in the leaf.
//   run          the rows of one score. A row starts a run when the row before it, in the order of
//                the whole board, has another score: counting starts counts distinct scores.
//   separator    the first row of a child, exactly: never one that has gone, for comparing it may
//                ask for its player's id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/block_heap.h"
#include "rank/cell_order.h"
#include "rank/player_numbers.h"
#include "rank/row_search.h"

namespace laurel {

using LeafNumber = std::uint32_t;
using InnerNumber = std::uint32_t;
inline constexpr LeafNumber kNoLeaf = 0xFFFFFFFFU;
inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFU;

inline constexpr std::uint32_t kLeafRows = 30;
inline constexpr std::uint32_t kInnerRows = 63;
// Of what is read several slots at once: what is in the last one is nobody's.
inline constexpr std::uint32_t kInnerSlots = kInnerRows + 1;

// Of scores a cache line has so many. A node's first line tells which of its lines to search.
inline constexpr std::uint32_t kLineScores = 8;
inline constexpr std::uint32_t kInnerSteps = kInnerRows / kLineScores;

inline constexpr std::uint32_t kLeafRowsMin = 22;   // three with fewer become two
inline constexpr std::uint32_t kLeafRowsLow = 16;   // one with fewer takes rows, or merges
inline constexpr std::uint32_t kInnerRowsMin = 16;  // the same of an inner node's children
// A node with more than this is as good as full: what makes it so would not last.
inline constexpr std::uint32_t kLeafShareMax = 28;
inline constexpr std::uint32_t kInnerShareMax = 56;

// What a row has besides its score, in twelve bytes.
struct Cell {
  Cell() = default;
  Cell(std::uint64_t tie, PlayerHandle player_) : player(player_) {
    std::memcpy(tie_bytes, &tie, sizeof tie);
  }
  std::uint64_t tie() const {
    std::uint64_t tie = 0;
    std::memcpy(&tie, tie_bytes, sizeof tie);
    return tie;
  }

  std::uint32_t tie_bytes[2];
  PlayerHandle player;
};
static_assert(sizeof(Cell) == 12);

// Only scores lie in order. What else a row has stays where it is, so that a row which comes or
// goes moves half of the scores, and a byte for each.
struct alignas(64) Leaf {
  Leaf() {
    std::iota(cell_of, cell_of + kCellSlots, std::uint8_t{0});
    std::fill_n(scores, kLeafRows, kWorstScore);
  }

  InnerNumber parent = kNoNode;
  std::uint8_t count = 0;
  std::uint8_t slot_hint = 0;        // the leaf's slot in its parent when it was last looked for
  std::uint8_t runs = 0;             // rows that start a run
  bool first_starts = true;          // whether the first row does
  std::uint8_t cell_of[kCellSlots];  // by slot; the slots behind the last row name free cells
  ScoreKey scores[kLeafRows];        // by slot
  Cell cells[kLeafRows];

  ScoreKey score(std::uint32_t slot) const { return scores[slot]; }
  std::uint64_t tie(std::uint32_t slot) const { return cells[cell_of[slot]].tie(); }
  PlayerHandle player(std::uint32_t slot) const { return cells[cell_of[slot]].player; }
  Place place(std::uint32_t slot) const { return {scores[slot], tie(slot), player(slot)}; }
  std::uint32_t slot_of(std::uint8_t cell) const { return slot_of_cell(cell_of, cell); }
  std::uint32_t better(ScoreKey score) const {
    // Two halves of a size that node_scores_better takes.
    constexpr std::size_t kHalf = kLeafRows / 2;
    const std::size_t at = scores[kHalf - 1] < score ? kHalf : 0;
    return static_cast<std::uint32_t>(at) + node_scores_better<kHalf>(scores + at, score);
  }
  std::uint32_t up_to(const Place& place, const RowOrder& order) const {
    return rows_up_to(*this, better(place.score), place, order);
  }
  // Whether rows with this score are in this leaf and in no other.
  bool surrounds(ScoreKey score) const {
    return count > 0 && scores[0] < score && score < scores[count - 1];
  }
  // The row of a slot whose cell is its own.
  void set(std::uint32_t slot, const Place& place) {
    scores[slot] = place.score;
    cells[cell_of[slot]] = Cell(place.tie, place.player);
  }
  // Behind the others, without counting runs. REQUIRES: count < kLeafRows.
  void append(const Place& place) { set(count++, place); }
  // Moves what is in one slot to the other, and all between by one.
  void move_up(std::uint32_t from, std::uint32_t to) {
    std::memmove(scores + from + 1, scores + from, (to - from) * sizeof scores[0]);
    rotate_up(cell_of, from, to);
  }
  void move_down(std::uint32_t from, std::uint32_t to) {
    std::memmove(scores + from, scores + from + 1, (to - from) * sizeof scores[0]);
    rotate_down(cell_of, from, to);
  }
  // Whether the row is a run by itself. REQUIRES: it has a row of this leaf on either side.
  bool is_run(std::uint32_t slot) const {
    return scores[slot] != scores[slot - 1] && scores[slot] != scores[slot + 1];
  }
  bool starts_run(std::uint32_t slot) const {
    return slot == 0 ? first_starts : scores[slot] != scores[slot - 1];
  }
};
static_assert(sizeof(Leaf) == 640);

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

// The number of a player who has a row: in which leaf it lies, and in which cell.
struct RowNumber {
  static constexpr unsigned kCellBits = 5;
  static_assert(kLeafRows <= 1U << kCellBits);
  static constexpr std::uint32_t kLeavesMax = kNoNumber >> kCellBits;

  explicit RowNumber(std::uint32_t number) : bits(number) {}
  RowNumber(LeafNumber leaf, std::uint8_t cell) : bits(leaf << kCellBits | cell) {}
  LeafNumber leaf() const { return bits >> kCellBits; }
  std::uint8_t cell() const { return bits & ((1U << kCellBits) - 1); }

  std::uint32_t bits;
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

// Nodes 0 to size() - 1 in chunks that do not move, but for the last: of a small tree it grows by a
// quarter at a time, for what it has too much others have not. A reference is valid until the next
// add.
template <typename Node, std::uint32_t kChunkShift = 6>
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
      resize_last((room_ - before_last) / 2);
    }
  }

 private:
  static constexpr std::uint32_t kChunkNodes = 1U << kChunkShift;
  static constexpr std::uint32_t kChunkFirst = 2;
  static constexpr std::size_t kChunksMany = 8;  // another one is an eighth at most

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
    resize_last(std::min(last + std::max(kChunkFirst, last / 4), kChunkNodes));
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
