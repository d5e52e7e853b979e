// counted_scores.h - scores in order, each as often as it was added, and how many are better than
// one of them.
//
// A counted tree of rows has moments and players too, and finds the row of a player. Where only the
// scores are counted, this takes half of the memory.
//
//   fill     a full node first evens out with a neighbour, and splits if that is almost full. A
//            node with few slots evens out or merges. So scores that come in any order fill about
//            three quarters of the leaves.
//   memory   512 bytes for each leaf of at most 63 scores: about 11 bytes a score.
//   cost     n = size(). Each call is O(log n) and changes O(1) nodes; take_apart() is O(1) for
//            each score.
//   threads  none of its own; one caller at a time.
//   source   as row_tree.h. Nodes are mended on the way down, so that one pass is enough.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rank/tree/row_search.h"

namespace laurel {

class CountedScores {
 public:
  CountedScores() = default;
  ~CountedScores();
  CountedScores(const CountedScores&) = delete;
  CountedScores& operator=(const CountedScores&) = delete;

  std::size_t size() const { return size_; }
  // REQUIRES: score < kWorstScore, and fewer than 2^32 scores.
  void add(ScoreKey score);
  // Removes the score once. REQUIRES: has(score).
  void remove(ScoreKey score);

  bool has(ScoreKey score) const { return count_equal(score) > 0; }
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_equal(ScoreKey score) const {
    return count_better(score + 1) - count_better(score);
  }
  // Prefetches the leaf that add() and remove() change.
  void prefetch(ScoreKey score) const;
  // Calls visit(score) for all, best first.
  template <typename Visit>
  void each(Visit visit) const {
    if (root_ != nullptr) each_below(root_, height_, visit);
  }

  // Removes up to about `scores` of them, the worst first. Returns whether any are left.
  bool take_apart(std::size_t scores);

  std::size_t bytes() const { return leaves_ * sizeof(Node) + inners_ * sizeof(Inner); }
  // Aborts if an invariant is broken. O(n); for tests.
  void check() const;

 private:
  static constexpr std::uint32_t kSlots = 63;
  static constexpr std::uint32_t kSlotsMin = kSlots / 3;  // a node with fewer is mended
  // A neighbour with more slots takes none: it would soon be full.
  static constexpr std::uint32_t kShareMax = kSlots - 8;
  static constexpr std::uint32_t kHeightMax = 8;  // inner nodes have at least kSlotsMin children

  // A leaf: its scores. An inner node: the best score below each child. The other slots have the
  // worst score.
  struct alignas(64) Node {
    std::uint32_t count = 0;
    ScoreKey scores[kSlots];
  };
  static_assert(sizeof(Node) == 512);
  struct Inner : Node {
    Node* children[kSlots];
    std::uint32_t sizes[kSlots];  // scores below each child
  };
  // A node on the way down, and the slot of the child that is next.
  struct Step {
    Inner* inner;
    std::uint32_t slot;
  };

  template <typename Visit>
  static void each_below(const Node* node, std::uint32_t height, Visit& visit) {
    for (std::uint32_t i = 0; i < node->count; ++i) {
      if (height == 0) {
        visit(node->scores[i]);
      } else {
        each_below(static_cast<const Inner*>(node)->children[i], height - 1, visit);
      }
    }
  }
  // The last child that begins with this score or a better one, or the first child.
  static std::uint32_t child_for(const Inner& inner, ScoreKey score) {
    const std::uint32_t begun = node_scores_better<kSlots>(inner.scores, score + 1);
    return begun - static_cast<std::uint32_t>(begun > 0);
  }
  static std::uint32_t size_below(const Node* node, std::uint32_t height);
  static void open_slot(Node& node, std::uint32_t slot);
  static void close_slot(Node& node, std::uint32_t slot);

  Node* make(std::uint32_t height);
  void free(Node* node, std::uint32_t height);
  void free_below(Node* node, std::uint32_t height);
  void grow();
  void make_room(Inner& parent, std::uint32_t slot, std::uint32_t height);
  void mend(Inner& parent, std::uint32_t slot, std::uint32_t height);
  void keep(Inner& parent, std::uint32_t left, std::uint32_t height, std::uint32_t slots);
  void drop_child(Inner& parent, std::uint32_t slot, std::uint32_t height);
  std::uint32_t check_below(const Node* node, std::uint32_t height, ScoreKey& last) const;

  Node* root_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t height_ = 0;  // levels of inner nodes
  std::size_t leaves_ = 0;
  std::size_t inners_ = 0;
};

}  // namespace laurel
