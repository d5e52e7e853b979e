#include "rank/tree/counted_tree.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace laurel {

CountedTree::CountedTree(const Players& players, Ties ties, std::size_t packed_max)
    : order_(players, ties), packed_max_(static_cast<std::uint16_t>(packed_max)) {
  assert(packed_max <= kPackedRowsMax);
}

void CountedTree::unpack() {
  auto tree = std::make_unique<RowTree>();
  tree->build(packed_.size(),
              [&](std::size_t i) { return packed_.at(static_cast<std::uint32_t>(i)); });
  tree_ = std::move(tree);
  packed_ = PackedRows{};
}

void CountedTree::pack() {
  PackedRows packed;
  RowCursor row = tree_->from(0, size());
  packed.build(size(), [&row](std::size_t) {
    const Place place = row.place();
    row.next();
    return place;
  });
  packed_ = std::move(packed);
  tree_.reset();
}

Put CountedTree::put_packed(const Place& place) {
  if (packed_.size() < packed_max_ || packed_.has(place.player)) {
    return packed_.put(place, order_);
  }
  unpack();
  return tree_->put(place, order_);
}

bool CountedTree::erase(PlayerHandle player) {
  if (!tree_) return packed_.erase(player);
  const bool erased = tree_->erase(player);
  if (tree_->size() < packed_max_ / 2U) pack();
  return erased;
}

void CountedTree::clear() {
  tree_.reset();
  packed_ = PackedRows{};
}

std::size_t CountedTree::position(PlayerHandle player) const {
  return tree_ ? tree_->position(player) : packed_.position(player);
}

std::size_t CountedTree::better_than(PlayerHandle player) const {
  return tree_ ? tree_->better_than(player) : packed_.better_than(player);
}

std::size_t CountedTree::not_worse_than(PlayerHandle player) const {
  return tree_ ? tree_->not_worse_than(player) : packed_.not_worse_than(player);
}

std::size_t CountedTree::distinct_better_than(PlayerHandle player) const {
  return tree_ ? tree_->distinct_better_than(player) : packed_.distinct_better_than(player);
}

std::size_t CountedTree::count_up_to(const Row& row) const {
  const Place place = order_.place(row);
  return tree_ ? tree_->count_up_to(place, order_) : packed_.count_up_to(place, order_);
}

std::size_t CountedTree::count_better(ScoreKey score) const {
  return tree_ ? tree_->better(score) : packed_.count_better(score);
}

std::size_t CountedTree::count_not_worse(ScoreKey score) const {
  // Keys are integers: not worse than this key is better than the next one.
  return score == std::numeric_limits<ScoreKey>::max() ? size() : count_better(score + 1);
}

std::size_t CountedTree::distinct_better(ScoreKey score) const {
  return tree_ ? tree_->runs_better(score) : packed_.distinct_better(score);
}

std::size_t CountedTree::count_between(ScoreKey best, ScoreKey worst) const {
  if (tree_ && worst != std::numeric_limits<ScoreKey>::max())
    return tree_->between(best, worst + 1);
  return count_not_worse(worst) - count_better(best);
}

RowCursor CountedTree::from(std::size_t first, std::size_t rows) const {
  if (tree_) return tree_->from(first, rows);
  if (first >= packed_.size()) return {};
  return {packed_, static_cast<std::uint32_t>(first)};
}

std::size_t CountedTree::read(std::size_t first, std::span<Row> out) const {
  RowCursor rows = from(first, out.size());
  std::size_t count = 0;
  for (; count < out.size() && !rows.at_end(); rows.next()) out[count++] = order_.row(rows.place());
  return count;
}

std::size_t CountedTree::bytes() const {
  return sizeof *this + (tree_ ? tree_->bytes() : packed_.bytes());
}

void CountedTree::check() const {
  if (tree_) {
    tree_->check(order_);
  } else {
    packed_.check(order_);
  }
}

}  // namespace laurel
