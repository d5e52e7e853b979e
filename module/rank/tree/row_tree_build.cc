// Builds a tree level by level.

#include <algorithm>
#include <cassert>

#include "rank/tree/row_tree.h"

namespace laurel {

namespace {

// The number of nodes for `below` rows or children, evenly filled to about seven eighths of their
// room, as in a tree that grew. Full nodes would all split at the first inserts.
std::size_t nodes_for(std::size_t below, std::size_t room) {
  const std::size_t built = room * 7 / 8 + 1;
  return below <= room ? 1 : (below + built - 1) / built;
}

}  // namespace

// The number of rows in the next leaf, if `left` rows are left.
std::size_t RowTree::rows_for_leaf(std::size_t left, LeafForm form) {
  const std::size_t leaves = nodes_for(left, limits_of(form).rows);
  return (left + leaves - 1) / leaves;
}

// Fills a leaf with the first of these rows. Returns how many fit in the form that they need.
std::size_t RowTree::build_leaf(std::size_t begin, std::span<const Place> places,
                                std::size_t left) {
  LeafExtent extent;
  for (const Place& place : places) extent.add(place);
  const LeafFraming framing = extent.framing();
  const std::size_t some = std::min(places.size(), rows_for_leaf(left, framing.form));
  if (begin > 0) add_leaf();
  usual_form_ = framing.form;
  leaves_[leaves_.size() - 1].assign(framing, places.first(some));
  return some;
}

// Builds the player numbers and the inner nodes for the filled leaves.
void RowTree::raise(std::size_t rows) {
  assert(size_ == 0 && "only an empty tree is built");
  assert(leaves_.size() < RowNumber::kLeavesMax && "too many rows");
  size_ = rows;
  count_runs();
  numbers_.add_all([this](auto take) {
    for (LeafNumber number = 0; number < leaves_.size(); ++number) {
      const Leaf& leaf = leaves_[number];
      for (std::uint32_t slot = 0; slot < leaf.count; ++slot) {
        take(leaf.player(slot), RowNumber(number, leaf.cell_of(slot)).bits);
      }
    }
  });
  std::uint32_t first = 0;
  for (std::size_t below = leaves_.size(); below > 1;) {
    const std::size_t parents = nodes_for(below, kInnerRows);
    ++height_;
    const InnerNumber first_parent = inners_.size();
    for (std::size_t i = 0; i < parents; ++i) {
      const InnerNumber parent = inners_.add();
      inners_[parent].level = static_cast<std::uint8_t>(height_);
      const std::size_t end = (i + 1) * below / parents;
      for (std::size_t child = i * below / parents; child < end; ++child) {
        add_child(parent, first + static_cast<std::uint32_t>(child));
      }
    }
    first = first_parent;
    below = parents;
  }
  root_ = first;
}

void RowTree::count_runs() {
  for (LeafNumber number = 0; number < leaves_.size(); ++number) {
    Leaf& leaf = leaves_[number];
    if (number > 0) leaf.first_starts = leaves_[number - 1].last_score() != leaf.score(0);
    leaf.runs =
        static_cast<std::uint8_t>((leaf.first_starts ? 1U : 0U) + leaf.runs_within(leaf.count));
  }
}

// Adds a child behind the others.
void RowTree::add_child(InnerNumber parent, std::uint32_t child) {
  Inner& inner = inners_[parent];
  const std::uint32_t slot = inner.count++;
  inner.children[slot] = child;
  if (inner.level == 1) {
    const Leaf& leaf = leaves_[child];
    inner.rows[slot] = leaf.count;
    inner.runs[slot] = leaf.runs;
    inner.set_separator(slot, leaf.place(0));
  } else {
    const Sums sums = sums_of(inners_[child]);
    inner.rows[slot] = sums.rows;
    inner.runs[slot] = sums.runs;
    inner.set_separator(slot, inners_[child].separator(0));
  }
  adopt(parent, slot);
}

}  // namespace laurel
