#include "rank/row_tree.h"

#include <cassert>
#include <cstddef>
#include <limits>

namespace laurel {

namespace {

// Asks for a node's cache lines from one array to another, so that a search in it waits for memory
// once and not at each step.
template <std::size_t kFrom, std::size_t kTo, typename Node>
void prefetch(const Node& node) {
  const char* line = reinterpret_cast<const char*>(&node);
  for (std::size_t offset = kFrom; offset < kTo; offset += 64) __builtin_prefetch(line + offset);
}

void prefetch_scores(const Inner& inner) { prefetch<0, 512>(inner); }
void prefetch_players(const Leaf& leaf) { prefetch<offsetof(Leaf, players), sizeof(Leaf)>(leaf); }

template <typename T>
void open_slot(T* slots, std::uint32_t slot, std::uint32_t count, T value) {
  std::memmove(slots + slot + 1, slots + slot, (count - slot) * sizeof(T));
  slots[slot] = value;
}

template <typename T>
void close_slot(T* slots, std::uint32_t slot, std::uint32_t count) {
  std::memmove(slots + slot, slots + slot + 1, (count - slot - 1) * sizeof(T));
}

std::uint32_t sum_before(const std::uint32_t* counts, std::uint32_t slot) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < slot; ++i) sum += counts[i];
  return sum;
}

}  // namespace

RowTree::RowTree() : root_(leaves_.add()) {}

// Ways through the tree.

LeafNumber RowTree::leaf_for(const Place& place, const RowOrder& order) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    node = inner.children[inner.child_for(place, order)];
    if (level > 1) prefetch_scores(inners_[node]);
  }
  return node;
}

RowTree::Spot RowTree::leaf_at(std::size_t position) const {
  if (position < leaves_[first_].count) return {first_, static_cast<std::uint32_t>(position)};
  std::uint32_t node = root_;
  auto left = static_cast<std::uint32_t>(position);
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    std::uint32_t slot = 0;
    for (; left >= inner.rows[slot]; ++slot) left -= inner.rows[slot];
    node = inner.children[slot];
  }
  return {node, left};
}

RowTree::Spot RowTree::spot_of(PlayerHandle player, LeafNumber leaf) const {
  assert(leaf != kNoLeaf && "asked for the place of a player who has none");
  return {leaf, leaves_[leaf].slot_of(player)};
}

std::uint32_t RowTree::slot_in_parent(const Inner& parent, std::uint32_t child,
                                      std::uint8_t hint) const {
  if (hint < parent.count && parent.children[hint] == child) return hint;
  return parent.slot_of(child);
}

LeafNumber RowTree::next_leaf(LeafNumber number) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint) + 1;
    if (slot < inner.count) {
      child = inner.children[slot];
      for (std::uint32_t level = inner.level; level > 1; --level)
        child = inners_[child].children[0];
      return child;
    }
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

LeafNumber RowTree::previous_leaf(LeafNumber number) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint);
    if (slot > 0) {
      child = inner.children[slot - 1];
      for (std::uint32_t level = inner.level; level > 1; --level) {
        child = inners_[child].children[inners_[child].count - 1];
      }
      return child;
    }
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

// The next leaf if this is its first row's score. Separators tell, so that the leaf itself is
// hardly ever touched.
LeafNumber RowTree::next_leaf_with(LeafNumber number, ScoreKey first) const {
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint) + 1;
    if (slot < inner.count) return inner.scores[slot] == first ? next_leaf(number) : kNoLeaf;
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return kNoLeaf;
}

// Rows that come and go.

// Adds to the counts above the leaf, modulo 2^32, so that a count goes down as well.
void RowTree::add_above(LeafNumber number, std::uint32_t rows, std::uint32_t runs) {
  std::uint32_t child = number;
  std::uint8_t* hint = &leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, *hint);
    *hint = static_cast<std::uint8_t>(slot);
    inner.rows[slot] += rows;
    inner.runs[slot] += runs;
    child = parent;
    hint = &inner.slot_hint;
    parent = inner.parent;
  }
}

void RowTree::set_first_starts(LeafNumber number, bool starts) {
  Leaf& leaf = leaves_[number];
  if (leaf.first_starts == starts) return;
  leaf.first_starts = starts;
  leaf.runs = static_cast<std::uint8_t>(starts ? leaf.runs + 1 : leaf.runs - 1);
  add_above(number, 0, starts ? 1U : ~0U);
}

void RowTree::refresh_separator(LeafNumber number) {
  const Place first = leaves_[number].place(0);
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    Inner& inner = inners_[parent];
    const std::uint32_t slot = slot_in_parent(inner, child, hint);
    inner.set_separator(slot, first);
    if (slot > 0) return;
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
}

// A row starts a run unless the one before it has its score. When it does and the one behind has
// its score, that one starts no longer; any other neighbour stays as it was.
void RowTree::insert_at(Spot spot, const Place& place) {
  const auto [number, slot] = spot;
  Leaf& leaf = leaves_[number];
  bool starts = true;
  if (slot > 0) {
    starts = leaf.scores[slot - 1] != place.score;
  } else {
    const LeafNumber before = previous_leaf(number);
    if (before != kNoLeaf) {
      starts = leaves_[before].scores[leaves_[before].count - 1] != place.score;
    }
  }
  std::uint32_t runs = starts ? 1 : 0;
  if (starts) {
    if (slot < leaf.count) {
      if (leaf.scores[slot] == place.score) runs = 0;
    } else {
      const LeafNumber behind = next_leaf_with(number, place.score);
      if (behind != kNoLeaf) set_first_starts(behind, false);
    }
  }
  open_slot(leaf.scores, slot, leaf.count, place.score);
  open_slot(leaf.ties, slot, leaf.count, place.tie);
  open_slot(leaf.players, slot, leaf.count, place.player);
  ++leaf.count;
  leaf.runs = static_cast<std::uint8_t>(leaf.runs + runs);
  add_above(number, 1, runs);
  if (slot == 0) {
    leaf.first_starts = starts;
    refresh_separator(number);
  }
}

// The same backwards.
void RowTree::erase_at(Spot spot) {
  const auto [number, slot] = spot;
  Leaf& leaf = leaves_[number];
  const ScoreKey score = leaf.scores[slot];
  const bool starts = leaf.starts_run(slot);
  std::uint32_t runs = starts ? 1 : 0;
  const bool has_next = slot + 1U < leaf.count;
  if (starts) {
    if (has_next) {
      if (leaf.scores[slot + 1] == score) runs = 0;
    } else {
      const LeafNumber behind = next_leaf_with(number, score);
      if (behind != kNoLeaf) set_first_starts(behind, true);
    }
  }
  if (slot == 0 && has_next) leaf.first_starts = starts || leaf.scores[1] != score;
  close_slot(leaf.scores, slot, leaf.count);
  close_slot(leaf.ties, slot, leaf.count);
  close_slot(leaf.players, slot, leaf.count);
  --leaf.count;
  leaf.scores[leaf.count] = kWorstScore;
  leaf.runs = static_cast<std::uint8_t>(leaf.runs - runs);
  add_above(number, ~0U, 0U - runs);
  if (slot == 0 && leaf.count > 0) refresh_separator(number);
}

std::optional<Place> RowTree::find(PlayerHandle player) const {
  const LeafNumber number = map_.find(player);
  if (number == kNoLeaf) return std::nullopt;
  return leaves_[number].place(spot_of(player, number).slot);
}

Put RowTree::put(const Place& place, const RowOrder& order) {
  // The old leaf's cache lines come while the way to the new one is found, and the new one's while
  // the old row is taken out.
  const LeafNumber from = map_.find(place.player);
  const bool is_new = from == kNoLeaf;
  if (!is_new) {
    prefetch<0, 64>(leaves_[from]);
    prefetch_players(leaves_[from]);
  }
  LeafNumber to = leaf_for(place, order);
  prefetch<0, sizeof(Leaf)>(leaves_[to]);
  if (is_new) {
    ++size_;
  } else {
    const Spot old = spot_of(place.player, from);
    if (leaves_[from].place(old.slot) == place) return Put::unchanged;
    if (from == to) {
      erase_at(old);
      insert_at({to, leaves_[to].up_to(place, order)}, place);
      return Put::moved;
    }
    erase_at(old);
    if (leaves_[from].count < kLeafRowsMin && mend_leaf(from)) to = leaf_for(place, order);
  }
  Spot spot{to, leaves_[to].up_to(place, order)};
  if (leaves_[to].count == kNodeRows) spot = make_room(spot);
  insert_at(spot, place);
  map_.set(place.player, spot.leaf);
  return is_new ? Put::added : Put::moved;
}

bool RowTree::erase(PlayerHandle player) {
  const LeafNumber number = map_.find(player);
  if (number == kNoLeaf) return false;
  erase_at(spot_of(player, number));
  map_.erase(player);
  --size_;
  if (leaves_[number].count < kLeafRowsMin) mend_leaf(number);
  return true;
}

// Counts.

std::size_t RowTree::sum_above(LeafNumber number, std::uint32_t (Inner::*counts)[kNodeRows]) const {
  std::size_t sum = 0;
  std::uint32_t child = number;
  std::uint8_t hint = leaves_[number].slot_hint;
  for (InnerNumber parent = leaves_[number].parent; parent != kNoNode;) {
    const Inner& inner = inners_[parent];
    sum += sum_before(inner.*counts, slot_in_parent(inner, child, hint));
    child = parent;
    hint = inner.slot_hint;
    parent = inner.parent;
  }
  return sum;
}

std::size_t RowTree::position(PlayerHandle player) const {
  const auto [number, slot] = spot_of(player, map_.find(player));
  return sum_above(number, &Inner::rows) + slot;
}

// A run begins and ends in one leaf as a rule; where it does not, its score is looked for.

std::size_t RowTree::better_than(PlayerHandle player) const {
  const auto [number, slot] = spot_of(player, map_.find(player));
  const Leaf& leaf = leaves_[number];
  std::uint32_t start = slot;
  while (start > 0 && leaf.scores[start - 1] == leaf.scores[slot]) --start;
  if (leaf.starts_run(start)) return sum_above(number, &Inner::rows) + start;
  return better(leaf.scores[slot]).rows;
}

std::size_t RowTree::not_worse_than(PlayerHandle player) const {
  const auto [number, slot] = spot_of(player, map_.find(player));
  const Leaf& leaf = leaves_[number];
  std::uint32_t end = slot + 1;
  while (end < leaf.count && leaf.scores[end] == leaf.scores[slot]) ++end;
  if (end < leaf.count) return sum_above(number, &Inner::rows) + end;
  // The next score's first key: not worse than this one is better than that.
  const ScoreKey score = leaf.scores[slot];
  return score == std::numeric_limits<ScoreKey>::max() ? size_ : better(score + 1).rows;
}

std::size_t RowTree::distinct_better_than(PlayerHandle player) const {
  const auto [number, slot] = spot_of(player, map_.find(player));
  const Leaf& leaf = leaves_[number];
  // Runs up to the player's own, which is not better.
  return sum_above(number, &Inner::runs) + (leaf.first_starts ? 1U : 0U) +
         runs_within(leaf.scores, slot + 1) - 1;
}

std::size_t RowTree::count_up_to(const Place& place, const RowOrder& order) const {
  std::size_t before = 0;
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for(place, order);
    before += sum_before(inner.rows, slot);
    node = inner.children[slot];
  }
  return before + leaves_[node].up_to(place, order);
}

RowTree::Better RowTree::better(ScoreKey score) const {
  Better better;
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for_better(score);
    better.rows += sum_before(inner.rows, slot);
    better.runs += sum_before(inner.runs, slot);
    node = inner.children[slot];
  }
  const Leaf& leaf = leaves_[node];
  const std::uint32_t slot = leaf.better(score);
  better.rows += slot;
  if (slot > 0) better.runs += (leaf.first_starts ? 1U : 0U) + runs_within(leaf.scores, slot);
  return better;
}

std::size_t RowTree::bytes() const {
  return sizeof *this + leaves_.bytes() + inners_.bytes() + map_.bytes();
}

}  // namespace laurel
