#include "rank/tree/counted_scores.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "base/block_heap.h"
#include "base/invariant.h"
#include "rank/prefetch.h"
#include "rank/tree/node_slots.h"

namespace laurel {

CountedScores::~CountedScores() {
  if (root_ != nullptr) free_below(root_, height_);
}

// ---- nodes

CountedScores::Node* CountedScores::make(std::uint32_t height) {
  Node* node = nullptr;
  if (height == 0) {
    node = new (block_heap().take(sizeof(Node))) Node;
    ++leaves_;
  } else {
    node = new (block_heap().take(sizeof(Inner))) Inner;
    ++inners_;
  }
  std::fill_n(node->scores, kSlots, kWorstScore);
  return node;
}

void CountedScores::free(Node* node, std::uint32_t height) {
  block_heap().give(node, height == 0 ? sizeof(Node) : sizeof(Inner));
  --(height == 0 ? leaves_ : inners_);
}

void CountedScores::free_below(Node* node, std::uint32_t height) {
  for (std::uint32_t i = 0; height > 0 && i < node->count; ++i) {
    free_below(static_cast<Inner*>(node)->children[i], height - 1);
  }
  free(node, height);
}

std::uint32_t CountedScores::size_below(const Node* node, std::uint32_t height) {
  if (height == 0) return node->count;
  const std::uint32_t* const sizes = static_cast<const Inner*>(node)->sizes;
  std::uint32_t size = 0;
  for (std::uint32_t i = 0; i < node->count; ++i) size += sizes[i];
  return size;
}

// In a leaf, or the scores of an inner node.
void CountedScores::open_slot(Node& node, std::uint32_t slot) {
  std::memmove(node.scores + slot + 1, node.scores + slot, (node.count - slot) * sizeof(ScoreKey));
  ++node.count;
}

void CountedScores::close_slot(Node& node, std::uint32_t slot) {
  --node.count;
  std::memmove(node.scores + slot, node.scores + slot + 1, (node.count - slot) * sizeof(ScoreKey));
  node.scores[node.count] = kWorstScore;
}

// Divides the slots of the child `left` and of the next one: the left one has `slots` of them.
void CountedScores::keep(Inner& parent, std::uint32_t left, std::uint32_t height,
                         std::uint32_t slots) {
  Node& one = *parent.children[left];
  Node& other = *parent.children[left + 1];
  const std::uint32_t both = one.count + other.count;
  move_slots(one.scores, one.count, other.scores, other.count, slots);
  if (height > 0) {
    auto& one_inner = static_cast<Inner&>(one);
    auto& other_inner = static_cast<Inner&>(other);
    move_slots(one_inner.children, one.count, other_inner.children, other.count, slots);
    move_slots(one_inner.sizes, one.count, other_inner.sizes, other.count, slots);
  }
  one.count = slots;
  other.count = both - slots;
  for (Node* const node : {&one, &other}) {
    std::fill(node->scores + node->count, node->scores + kSlots, kWorstScore);
  }
  const std::uint32_t size = parent.sizes[left] + parent.sizes[left + 1];
  parent.sizes[left] = size_below(&one, height);
  parent.sizes[left + 1] = size - parent.sizes[left];
  if (other.count > 0) parent.scores[left + 1] = other.scores[0];
}

// REQUIRES: the child is empty.
void CountedScores::drop_child(Inner& parent, std::uint32_t slot, std::uint32_t height) {
  free(parent.children[slot], height);
  const std::size_t behind = parent.count - slot - 1;
  std::memmove(parent.children + slot, parent.children + slot + 1, behind * sizeof(Node*));
  std::memmove(parent.sizes + slot, parent.sizes + slot + 1, behind * sizeof *parent.sizes);
  close_slot(parent, slot);
}

// The root becomes the only child of a new one.
void CountedScores::grow() {
  assert(height_ < kHeightMax);
  auto* const above = static_cast<Inner*>(make(height_ + 1));
  above->count = 1;
  above->scores[0] = root_->scores[0];
  above->children[0] = root_;
  above->sizes[0] = static_cast<std::uint32_t>(size_);
  root_ = above;
  ++height_;
}

// Makes room in a full child, whose height is given. REQUIRES: the parent is not full.
void CountedScores::make_room(Inner& parent, std::uint32_t slot, std::uint32_t height) {
  const auto slots_of = [&](std::uint32_t child) { return parent.children[child]->count; };
  const std::uint32_t before = slot > 0 ? slots_of(slot - 1) : kSlots;
  const std::uint32_t behind = slot + 1 < parent.count ? slots_of(slot + 1) : kSlots;
  if (std::min(before, behind) <= kShareMax) {
    const std::uint32_t left = before <= behind ? slot - 1 : slot;
    keep(parent, left, height, (slots_of(left) + slots_of(left + 1)) / 2);
    return;
  }
  Node* const other = make(height);
  const std::size_t moved = parent.count - slot - 1;
  open_slot(parent, slot + 1);
  std::memmove(parent.children + slot + 2, parent.children + slot + 1, moved * sizeof(Node*));
  std::memmove(parent.sizes + slot + 2, parent.sizes + slot + 1, moved * sizeof *parent.sizes);
  parent.children[slot + 1] = other;
  parent.sizes[slot + 1] = 0;
  keep(parent, slot, height, kSlots / 2);
}

// Fills a child that has few slots from a neighbour, or merges them. REQUIRES: the parent has two
// children.
void CountedScores::mend(Inner& parent, std::uint32_t slot, std::uint32_t height) {
  const std::uint32_t left = slot > 0 ? slot - 1 : slot;
  const std::uint32_t both = parent.children[left]->count + parent.children[left + 1]->count;
  const bool merges = both <= kShareMax;
  keep(parent, left, height, merges ? both : both / 2);
  if (merges) drop_child(parent, left + 1, height);
}

// ---- changes

void CountedScores::add(ScoreKey score) {
  assert(score < kWorstScore);
  if (root_ == nullptr) root_ = make(0);
  if (root_->count == kSlots) grow();
  Node* node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    auto& inner = static_cast<Inner&>(*node);
    std::uint32_t slot = child_for(inner, score);
    if (inner.children[slot]->count == kSlots) {
      make_room(inner, slot, height - 1);
      slot = child_for(inner, score);
    }
    inner.scores[slot] = std::min(inner.scores[slot], score);
    ++inner.sizes[slot];
    node = inner.children[slot];
  }
  const std::uint32_t slot = node_scores_better<kSlots>(node->scores, score + 1);
  open_slot(*node, slot);
  node->scores[slot] = score;
  ++size_;
}

void CountedScores::remove(ScoreKey score) {
  assert(has(score) && "a score is removed that was not added");
  Step way[kHeightMax];
  Node* node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    auto& inner = static_cast<Inner&>(*node);
    std::uint32_t slot = child_for(inner, score);
    if (inner.children[slot]->count <= kSlotsMin && inner.count > 1) {
      mend(inner, slot, height - 1);
      slot = child_for(inner, score);
    }
    --inner.sizes[slot];
    way[height - 1] = {&inner, slot};
    node = inner.children[slot];
  }
  const std::uint32_t slot = node_scores_better<kSlots>(node->scores, score);
  close_slot(*node, slot);
  --size_;
  for (std::uint32_t i = 0; slot == 0 && i < height_; ++i) {
    way[i].inner->scores[way[i].slot] = node->scores[0];
    if (way[i].slot > 0) break;
  }
  while (height_ > 0 && root_->count == 1) {
    Node* const only = static_cast<Inner*>(root_)->children[0];
    free(root_, height_--);
    root_ = only;
  }
  if (size_ == 0) free(std::exchange(root_, nullptr), 0);
}

bool CountedScores::take_apart(std::size_t scores) {
  while (size_ > 0 && scores > 0) {
    Step way[kHeightMax];
    Node* node = root_;
    for (std::uint32_t height = height_; height > 0; --height) {
      auto& inner = static_cast<Inner&>(*node);
      way[height - 1] = {&inner, inner.count - 1};
      node = inner.children[inner.count - 1];
    }
    const std::size_t gone = node->count;
    size_ -= gone;
    scores -= std::min(scores, gone);
    std::uint32_t height = 0;
    for (; height < height_; ++height) {
      drop_child(*way[height].inner, way[height].slot, height);
      if (way[height].inner->count > 0) break;
    }
    for (std::uint32_t i = height + 1; i < height_; ++i) {
      way[i].inner->sizes[way[i].slot] -= static_cast<std::uint32_t>(gone);
    }
    if (size_ > 0) continue;
    free(std::exchange(root_, nullptr), height_);
    height_ = 0;
  }
  return size_ > 0;
}

// ---- reading

std::size_t CountedScores::count_better(ScoreKey score) const {
  if (root_ == nullptr) return 0;
  std::size_t better = 0;
  const Node* node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    const auto& inner = static_cast<const Inner&>(*node);
    // All children before the last one that begins with a better score have only better scores.
    const std::uint32_t begun = node_scores_better<kSlots>(inner.scores, score);
    if (begun == 0) return better;
    for (std::uint32_t i = 0; i + 1 < begun; ++i) better += inner.sizes[i];
    node = inner.children[begun - 1];
  }
  return better + node_scores_better<kSlots>(node->scores, score);
}

void CountedScores::prefetch(ScoreKey score) const {
  if (root_ == nullptr) return;
  const Node* node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    const auto& inner = static_cast<const Inner&>(*node);
    node = inner.children[child_for(inner, score)];
  }
  const auto* const lines = reinterpret_cast<const char*>(node);
  for (std::size_t at = 0; at < sizeof(Node); at += 64) prefetch_to_write(lines + at);
}

std::uint32_t CountedScores::check_below(const Node* node, std::uint32_t height,
                                         ScoreKey& last) const {
  must(node->count > 0 && node->count <= kSlots, "a node is empty or too full");
  for (std::uint32_t i = node->count; i < kSlots; ++i) {
    must(node->scores[i] == kWorstScore, "a node's scores do not end with its slots");
  }
  std::uint32_t size = 0;
  for (std::uint32_t i = 0; i < node->count; ++i) {
    must(node->scores[i] >= last, "scores are out of order");
    if (height == 0) {
      last = node->scores[i];
      ++size;
      continue;
    }
    const auto& inner = static_cast<const Inner&>(*node);
    must(inner.children[i]->scores[0] == inner.scores[i], "a child begins with another score");
    const std::uint32_t below = check_below(inner.children[i], height - 1, last);
    must(below == inner.sizes[i], "the number of scores below a child is wrong");
    size += below;
  }
  return size;
}

void CountedScores::check() const {
  ScoreKey last = 0;
  const std::size_t size = root_ == nullptr ? 0 : check_below(root_, height_, last);
  must(size == size_, "the number of scores is wrong");
}

}  // namespace laurel
