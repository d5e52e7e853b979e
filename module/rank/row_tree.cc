#include "rank/row_tree.h"

#include <algorithm>
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

template <typename Node>
void prefetch_scores(const Node& node) {
  prefetch<0, offsetof(Node, ties)>(node);
}

void prefetch_counts(const Inner& inner) {
  prefetch<0, 64>(inner);
  prefetch<offsetof(Inner, children), offsetof(Inner, runs)>(inner);
}
void prefetch_players(const Leaf& leaf) { prefetch<offsetof(Leaf, players), sizeof(Leaf)>(leaf); }

// Likewise a leaf's lines that hold so many rows from a slot on.
template <typename T>
void prefetch_slots(const T* slots, std::uint32_t slot, std::size_t count) {
  const char* const first = reinterpret_cast<const char*>(slots + slot);
  const char* const end = reinterpret_cast<const char*>(slots + slot + count);
  for (const char* line = first; line < end; line += 64) __builtin_prefetch(line);
  __builtin_prefetch(end - 1);
}

void prefetch_rows(const Leaf& leaf, std::uint32_t slot, std::size_t count) {
  prefetch<0, 64>(leaf);
  prefetch_slots(leaf.scores, slot, count);
  prefetch_slots(leaf.ties, slot, count);
  prefetch_slots(leaf.players, slot, count);
}

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

// Spreads scores that differ in few bits.
std::size_t expected_slot(ScoreKey score) { return score * 0x9E3779B97F4A7C15U >> 58; }

// The child below which the row at position `left` is. Takes the rows before that child off `left`:
// eight children at once while they are too few.
std::uint32_t child_at(const Inner& inner, std::uint32_t& left) {
  std::uint32_t slot = 0;
  for (; slot + 8U <= inner.count; slot += 8) {
    const std::uint32_t eight = sum_before(inner.rows + slot, 8);
    if (left < eight) break;
    left -= eight;
  }
  for (; left >= inner.rows[slot]; ++slot) left -= inner.rows[slot];
  return slot;
}

}  // namespace

RowTree::RowTree() : root_(leaves_.add()) {}

// Ways through the tree.

LeafNumber RowTree::leaf_for(const Place& place, const RowOrder& order) const {
  // Where expect_scores came to. Rows may have gone elsewhere since: the leaf itself tells.
  const LeafNumber expected = expected_[expected_slot(place.score)];
  if (expected < leaves_.size() && leaves_[expected].surrounds(place.score)) return expected;
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    node = inner.children[inner.child_for(place, order)];
    if (level > 1) prefetch_scores(inners_[node]);
  }
  return node;
}

// The child's count tells whether the rows go on in the next leaf, before the leaf itself does.
RowCursor RowTree::from(std::size_t position, std::size_t rows) const {
  if (position >= size_) return {};
  const std::size_t best = leaves_[first_].count;
  if (position < best && rows <= best - position) {
    return {*this, first_, static_cast<std::uint32_t>(position)};
  }
  std::uint32_t node = root_;
  auto left = static_cast<std::uint32_t>(position);
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = child_at(inner, left);
    node = inner.children[slot];
    if (level > 1) {
      prefetch_counts(inners_[node]);
      continue;
    }
    const std::uint32_t here = inner.rows[slot] - left;
    prefetch_rows(leaves_[node], left, std::min<std::size_t>(rows, here));
    if (rows > here && slot + 1U < inner.count) {
      prefetch_rows(leaves_[inner.children[slot + 1]], 0,
                    std::min<std::size_t>(rows - here, kLeafRowsLow));
    }
  }
  return {*this, node, left};
}

RowCursor::RowCursor(const RowTree& tree, LeafNumber leaf, std::uint32_t slot)
    : slot_(slot), leaf_(leaf), tree_(&tree) {
  const Leaf& rows = tree.leaves_[leaf];
  rows_ = {rows.scores, rows.ties, rows.players, rows.count};
  first_starts_ = rows.first_starts;
}

void RowCursor::enter_next_leaf() {
  const LeafNumber next = tree_->next_leaf(leaf_);
  if (next != kNoLeaf) *this = RowCursor(*tree_, next, 0);
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

// Adds to what the parent counts below its child, modulo 2^32, so that a count goes down as well;
// then goes up to the parent.
void RowTree::count_and_climb(Climb& at, std::uint32_t rows, std::uint32_t runs) {
  Inner& inner = inners_[at.parent];
  const std::uint32_t slot = slot_in_parent(inner, at.child, *at.hint);
  *at.hint = static_cast<std::uint8_t>(slot);
  inner.rows[slot] += rows;
  inner.runs[slot] += runs;
  at = {at.parent, inner.parent, &inner.slot_hint};
}

void RowTree::add_above(Climb at, std::uint32_t rows, std::uint32_t runs) {
  while (at.parent != kNoNode) count_and_climb(at, rows, runs);
}

// All leaves lie equally deep: both ways come to the first node above both at the same step.
void RowTree::move_above(LeafNumber from, std::uint32_t gone, LeafNumber to, std::uint32_t come) {
  Climb left = climb_from(from);
  Climb right = climb_from(to);
  while (left.child != right.child) {
    count_and_climb(left, ~0U, 0U - gone);
    count_and_climb(right, 1, come);
  }
  if (gone != come) add_above(left, 0, come - gone);
}

void RowTree::set_first_starts(LeafNumber number, bool starts) {
  Leaf& leaf = leaves_[number];
  if (leaf.first_starts == starts) return;
  leaf.first_starts = starts;
  leaf.runs = static_cast<std::uint8_t>(starts ? leaf.runs + 1 : leaf.runs - 1);
  add_above(climb_from(number), 0, starts ? 1U : ~0U);
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
inline std::uint32_t RowTree::put_in(Leaf& leaf, Spot spot, const Place& place) {
  const auto [number, slot] = spot;
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
  if (slot == 0) {
    leaf.first_starts = starts;
    refresh_separator(number);
  }
  return runs;
}

// The same backwards.
inline std::uint32_t RowTree::take_out(Leaf& leaf, Spot spot) {
  const auto [number, slot] = spot;
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
  if (slot == 0 && leaf.count > 0) refresh_separator(number);
  return runs;
}

void RowTree::insert_at(Spot spot, const Place& place) {
  const std::uint32_t runs = put_in(leaves_[spot.leaf], spot, place);
  add_above(climb_from(spot.leaf), 1, runs);
}

void RowTree::erase_at(Spot spot) {
  const std::uint32_t runs = take_out(leaves_[spot.leaf], spot);
  add_above(climb_from(spot.leaf), ~0U, 0U - runs);
}

void RowTree::expect_leaf(PlayerHandle player) const {
  const LeafNumber number = map_.find(player);
  if (number != kNoLeaf) prefetch<0, sizeof(Leaf)>(leaves_[number]);
}

// All of them down by one level after the other, so that they wait for memory together.
void RowTree::expect_scores(std::span<const ScoreKey> scores) {
  assert(scores.size() <= kExpectedMax);
  std::array<std::uint32_t, kExpectedMax> nodes;
  nodes.fill(root_);
  for (std::uint32_t level = height_; level > 0; --level) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Inner& inner = inners_[nodes[i]];
      const std::uint32_t slot = inner.child_for_better(scores[i]);
      nodes[i] = inner.children[slot];
      if (level > 1) {
        prefetch_scores(inners_[nodes[i]]);
      } else {
        __builtin_prefetch(&inner.rows[slot], 1);
        __builtin_prefetch(&inner.runs[slot], 1);
        prefetch<0, sizeof(Leaf)>(leaves_[nodes[i]]);
      }
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) expected_[expected_slot(scores[i])] = nodes[i];
}

// The leaf where the row is, once there is room for it.
LeafNumber RowTree::insert(LeafNumber to, const Place& place, const RowOrder& order) {
  Spot spot{to, leaves_[to].up_to(place, order)};
  if (leaves_[to].count == kLeafRows) spot = make_room(spot);
  insert_at(spot, place);
  return spot.leaf;
}

// Where neither leaf has to give or take rows, what is counted above both changes once.
inline void RowTree::move(Spot old, LeafNumber to, const Place& place, const RowOrder& order) {
  Leaf& left = leaves_[old.leaf];
  Leaf& entered = leaves_[to];
  if (old.leaf == to || (left.count > kLeafRowsMin && entered.count < kLeafRows)) {
    const std::uint32_t gone = take_out(left, old);
    const std::uint32_t come = put_in(entered, {to, entered.up_to(place, order)}, place);
    move_above(old.leaf, gone, to, come);
    if (old.leaf != to) map_.move(place.player, to);
    return;
  }
  erase_at(old);
  if (left.count < kLeafRowsMin && mend_leaf(old.leaf)) to = leaf_for(place, order);
  map_.move(place.player, insert(to, place, order));
}

Put RowTree::put(const Place& place, const RowOrder& order) {
  // The old leaf's cache lines come while the way to the new one is found, and the new one's while
  // the old row is taken out. Of a row that was just found, and whose place was expected, they came
  // before.
  const bool was_found =
      found_.leaf < leaves_.size() && leaves_[found_.leaf].has(found_.slot, place.player);
  const LeafNumber from = was_found ? found_.leaf : map_.find(place.player);
  const bool is_new = from == kNoLeaf;
  if (!is_new && !was_found) {
    prefetch<0, 64>(leaves_[from]);
    prefetch_players(leaves_[from]);
  }
  const LeafNumber to = leaf_for(place, order);
  if (!was_found) prefetch<0, sizeof(Leaf)>(leaves_[to]);
  if (is_new) {
    map_.set(place.player, insert(to, place, order));
    ++size_;
    return Put::added;
  }
  const Spot old = was_found ? found_ : spot_of(place.player, from);
  if (leaves_[from].place(old.slot) == place) return Put::unchanged;
  move(old, to, place, order);
  return Put::moved;
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

std::size_t RowTree::sum_above(LeafNumber number,
                               std::uint32_t (Inner::*counts)[kInnerRows]) const {
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
  const LeafNumber number = map_.find(player);
  const Leaf& leaf = leaves_[number];
  prefetch_scores(leaf);  // before the slot is known
  const std::uint32_t slot = spot_of(player, number).slot;
  std::uint32_t start = slot;
  while (start > 0 && leaf.scores[start - 1] == leaf.scores[slot]) --start;
  if (leaf.starts_run(start)) return sum_above(number, &Inner::rows) + start;
  return better(leaf.scores[slot]);
}

std::size_t RowTree::not_worse_than(PlayerHandle player) const {
  const LeafNumber number = map_.find(player);
  const Leaf& leaf = leaves_[number];
  prefetch_scores(leaf);  // before the slot is known
  const std::uint32_t slot = spot_of(player, number).slot;
  std::uint32_t end = slot + 1;
  while (end < leaf.count && leaf.scores[end] == leaf.scores[slot]) ++end;
  if (end < leaf.count) return sum_above(number, &Inner::rows) + end;
  // The next score's first key: not worse than this one is better than that.
  const ScoreKey score = leaf.scores[slot];
  return score == std::numeric_limits<ScoreKey>::max() ? size_ : better(score + 1);
}

std::size_t RowTree::distinct_better_than(PlayerHandle player) const {
  const LeafNumber number = map_.find(player);
  const Leaf& leaf = leaves_[number];
  prefetch_scores(leaf);  // before the slot is known
  const std::uint32_t slot = spot_of(player, number).slot;
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

template <typename Pass>
const Leaf& RowTree::leaf_of_better(ScoreKey score, Pass pass) const {
  std::uint32_t node = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& inner = inners_[node];
    const std::uint32_t slot = inner.child_for_better(score);
    node = inner.children[slot];
    if (level > 1) {
      prefetch_scores(inners_[node]);
    } else {
      prefetch_scores(leaves_[node]);
    }
    pass(inner, slot);
  }
  return leaves_[node];
}

std::size_t RowTree::better(ScoreKey score) const {
  std::size_t rows = 0;
  const Leaf& leaf = leaf_of_better(
      score, [&](const Inner& inner, std::uint32_t slot) { rows += sum_before(inner.rows, slot); });
  return rows + leaf.better(score);
}

// Both down by one level after the other, so that they wait for memory together. Where they are in
// the same node, what is better than both is not counted.
std::size_t RowTree::between(ScoreKey first, ScoreKey last) const {
  std::size_t rows = 0;
  std::uint32_t low = root_;
  std::uint32_t high = root_;
  for (std::uint32_t level = height_; level > 0; --level) {
    const Inner& from = inners_[low];
    const Inner& to = inners_[high];
    const std::uint32_t begin = from.child_for_better(first);
    const std::uint32_t end = to.child_for_better(last);
    const bool is_shared = low == high;
    low = from.children[begin];
    high = to.children[end];
    if (level > 1) {
      prefetch_scores(inners_[low]);
      prefetch_scores(inners_[high]);
    } else {
      prefetch_scores(leaves_[low]);
      prefetch_scores(leaves_[high]);
    }
    if (is_shared) {
      rows += sum_before(to.rows + begin, end - begin);
    } else {
      rows += sum_before(to.rows, end);
      rows -= sum_before(from.rows, begin);
    }
  }
  return rows + leaves_[high].better(last) - leaves_[low].better(first);
}

std::size_t RowTree::runs_better(ScoreKey score) const {
  std::size_t runs = 0;
  const Leaf& leaf = leaf_of_better(
      score, [&](const Inner& inner, std::uint32_t slot) { runs += sum_before(inner.runs, slot); });
  const std::uint32_t slot = leaf.better(score);
  return slot == 0 ? runs : runs + (leaf.first_starts ? 1U : 0U) + runs_within(leaf.scores, slot);
}

std::size_t RowTree::bytes() const {
  return sizeof *this + leaves_.bytes() + inners_.bytes() + map_.bytes();
}

}  // namespace laurel
