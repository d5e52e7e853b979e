#include <iterator>

#include "base/invariant.h"
#include "rank/tree/row_tree.h"

namespace laurel {

namespace {

void check_end(const Inner& inner) {
  for (std::uint32_t slot = inner.count; slot < std::size(inner.scores); ++slot) {
    must(inner.scores[slot] == kWorstScore, "a node's scores do not end with its rows");
  }
}

void check_rows(const Leaf& leaf) {
  leaf.visit([&]<typename Rows>(const Rows& rows) {
    must(leaf.count <= Rows::kRows, "a leaf has too many rows");
    for (std::uint32_t slot = leaf.count; slot < Rows::kRows; ++slot) {
      must(rows.in_order()[slot] == Rows::kWorst, "a leaf's scores do not end with its rows");
    }
    std::uint64_t named = 0;
    for (const std::uint8_t cell : rows.cell_of) named |= std::uint64_t{1} << cell;
    must(named == (std::uint64_t{1} << Rows::kSlots) - 1,
         "a leaf's slots do not name each cell once");
    for (std::uint32_t slot = 0; slot < leaf.count; ++slot) {
      must(rows.cell_of[slot] < Rows::kRows, "a slot names a cell that is none");
    }
  });
}

}  // namespace

RowTree::Sums RowTree::check_node(std::uint32_t number, unsigned level, InnerNumber parent,
                                  const RowOrder& order, std::optional<Place>& last) const {
  if (level == 0) {
    const Leaf& leaf = leaves_[number];
    must(leaf.parent == parent, "a leaf does not know its parent");
    must(links_[number].parent() == parent, "a leaf's link is not to its parent");
    must(leaf.count > 0 || parent == kNoNode, "a leaf is empty");
    check_rows(leaf);
    std::uint32_t runs = 0;
    for (std::uint32_t slot = 0; slot < leaf.count; ++slot) {
      const Place place = leaf.place(slot);
      must(numbers_.find(place.player) == RowNumber(number, leaf.cell_of(slot)).bits,
           "a player's number does not name the row's leaf and cell");
      if (last) {
        must(last->score <= place.score, "scores are out of order");
        must(last->score != place.score || order.stands_by(last->tie, last->player, place),
             "equal scores are out of order");
      }
      const bool starts = !last || last->score != place.score;
      must(leaf.starts_run(slot) == starts, "a leaf does not know whether its first row starts");
      runs += starts ? 1 : 0;
      last = place;
    }
    must(leaf.runs == runs, "a leaf's runs are miscounted");
    return {leaf.count, runs};
  }
  const Inner& inner = inners_[number];
  must(inner.parent == parent, "an inner node does not know its parent");
  must(inner.level == level, "an inner node does not know its level");
  must(inner.count >= (parent == kNoNode ? 2U : kInnerRowsMin), "an inner node is too small");
  check_end(inner);
  for (std::uint32_t i = 0; i < kInnerSteps; ++i) {
    must(inner.steps[i] == inner.scores[(i + 1) * kLineScores - 1], "a step is not its score");
  }
  Sums sums;
  for (std::uint32_t slot = 0; slot < inner.count; ++slot) {
    std::uint32_t leaf = inner.children[slot];
    for (unsigned below = level; below > 1; --below) leaf = inners_[leaf].children[0];
    const Place first = leaves_[leaf].place(0);
    const Place separator = inner.separator(slot);
    must(first.score == separator.score && first.tie == separator.tie &&
             first.player == separator.player,
         "a separator is not its child's first row");
    const Sums below = check_node(inner.children[slot], level - 1, number, order, last);
    must(inner.rows[slot] == below.rows, "rows are miscounted");
    must(inner.runs[slot] == below.runs, "runs are miscounted");
    sums.rows += below.rows;
    sums.runs += below.runs;
  }
  return sums;
}

void RowTree::check(const RowOrder& order) const {
  std::optional<Place> last;
  const Sums sums = check_node(root_, height_, kNoNode, order, last);
  must(previous_leaf(first_) == kNoLeaf, "the first leaf is not the first");
  must(sums.rows == size_, "the size is not the number of rows");
  must(size_ < 4096 || leaves_.size() * (WideRows::kRows / 2.0) <= static_cast<double>(size_) * 1.5,
       "leaves are too empty");
}

}  // namespace laurel
