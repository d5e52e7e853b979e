#include "engine/paged/paged_tree.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "engine/paged/columns.h"

namespace laurel {

namespace {

constexpr std::string_view kHeadKey = "h";

}  // namespace

PagedTree::PagedTree(const Space& space, const Reader& reader, Ties ties, const PagedSizes& sizes,
                     EngineReads& reads)
    : space_(space), ties_(ties), cache_(space, reader, ties, sizes, reads) {
  const std::optional<std::string_view> form = space_.get(reader, kHeadKey);
  if (!form) return;
  std::array<std::uint64_t, 6> numbers{};
  ByteReader bytes(*form);
  read_column(bytes, std::span<std::uint64_t>(numbers));
  assert(bytes.ok() && bytes.at_end() && "a head cannot be decoded");
  head_ = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

void PagedTree::begin_write(Batch& batch) {
  cache_.begin_write(batch);
  if (!changed_) return;
  const std::array<std::uint64_t, 6> numbers = {head_.root, head_.last,      head_.layers,
                                                head_.rows, head_.manifests, head_.entry_sets};
  std::string form;
  ByteWriter writer(form, sizeof numbers);
  write_column(writer, std::span<const std::uint64_t>(numbers));
  space_.put(batch, kHeadKey, form);
  changed_ = false;
}

PagedLayout PagedTree::layout() const {
  PagedLayout layout{head_.layers, head_.manifests, head_.entry_sets, std::nullopt};
  if (head_.root != kNoPagedNode)
    layout.lowest = cache_.get(head_.root).summary(head_.root).last.score;
  return layout;
}

// Walks from the root down to an entry set. slot_in returns the number of a node's rows that are
// before the target; if all of them are, the walk takes the last child.
template <typename SlotIn, typename Visit>
void PagedTree::walk(SlotIn slot_in, Visit visit) const {
  cache_.trim();
  NodeNumber number = head_.root;
  while (number != kNoPagedNode) {
    const PagedNode& node = cache_.get(number);
    std::size_t slot = slot_in(node.rows());
    if (node.is_manifest()) slot = std::min(slot, node.size() - 1);
    visit(number, node, slot);
    number = node.is_manifest() ? node.child(slot).node : kNoPagedNode;
  }
}

template <typename SlotIn>
std::uint64_t PagedTree::count(SlotIn slot_in) const {
  std::uint64_t rows = 0;
  walk(slot_in, [&](NodeNumber, const PagedNode& node, std::size_t slot) {
    rows += node.rows_before(slot);
  });
  return rows;
}

std::uint64_t PagedTree::rows_before(const EngineRow& place) const {
  return count([&](const RowList& rows) { return rows.count_before(place, ties_); });
}

std::uint64_t PagedTree::rows_better(ScoreKey score) const {
  return count([&](const RowList& rows) { return rows.count_better(score); });
}

std::uint64_t PagedTree::rows_not_worse(ScoreKey score) const {
  return count([&](const RowList& rows) { return rows.count_not_worse(score); });
}

// The first score in a child may equal the last score of the children before it. The manifest shows
// that, but it matters only if a row of the child is counted.
std::uint64_t PagedTree::distinct_better(ScoreKey score) const {
  std::uint64_t distinct = 0;
  bool repeats = false;
  walk([&](const RowList& rows) { return rows.count_better(score); },
       [&](NodeNumber, const PagedNode& node, std::size_t slot) {
         if (slot == 0) return;
         distinct += node.distinct_before(slot) - (repeats ? 1 : 0);
         repeats = node.repeats(slot);
       });
  return distinct;
}

PagedTree::Path PagedTree::path_to(const EngineRow& place) const {
  Path path;
  walk([&](const RowList& rows) { return rows.count_before(place, ties_); },
       [&](NodeNumber number, const PagedNode&, std::size_t slot) {
         path.push_back({number, slot});
       });
  return path;
}

bool PagedTree::ends_board(const Path& path) const {
  return std::all_of(path.begin(), path.end(), [&](const Step& step) {
    const PagedNode& node = cache_.get(step.node);
    return step.slot + (node.is_manifest() ? 1 : 0) == node.size();
  });
}

void PagedTree::insert(const EngineRow& row) {
  if (head_.root == kNoPagedNode) {
    head_.root = add(PagedNode(PagedNode::Kind::entry_set, cache_.sizes()));
    head_.layers = 1;
  }
  Path path = path_to(row);
  Change change = Change::insert;
  if (ends_board(path)) change = Change::insert_last;
  if (std::all_of(path.begin(), path.end(), [](const Step& step) { return step.slot == 0; })) {
    change = Change::insert_first;
  }
  cache_.change(path.back().node).insert(path.back().slot, row);
  ++head_.rows;
  settle(std::move(path), change);
}

void PagedTree::erase(const EngineRow& row) {
  Path path = path_to(row);
  PagedNode& entry_set = cache_.change(path.back().node);
  assert(entry_set.rows()[path.back().slot].player == row.player);
  entry_set.erase(path.back().slot);
  --head_.rows;
  settle(std::move(path), Change::erase);
}

void PagedTree::read(std::size_t first, std::size_t n, Arena& arena,
                     std::vector<EngineRow>& out) const {
  if (first >= size() || n == 0) return;
  cache_.trim();
  const PagedNode* node = &cache_.get(head_.root);
  while (node->is_manifest()) {
    std::size_t slot = 0;
    while (first >= node->child(slot).rows) first -= node->child(slot++).rows;
    node = &cache_.get(node->child(slot).node);
  }
  for (std::size_t slot = first;; slot = 0) {
    for (; slot < node->size() && n > 0; ++slot, --n) {
      EngineRow& row = out.emplace_back(node->rows()[slot]);
      row.player = arena.keep(row.player);
      if (row.data) row.data = arena.keep(*row.data);
    }
    const NodeNumber next = node->next();
    if (n == 0 || next == kNoPagedNode) return;
    cache_.trim();
    node = &cache_.get(next);
  }
}

}  // namespace laurel
