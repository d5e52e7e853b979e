#include <string>

#include "base/invariant.h"
#include "engine/paged/paged_tree.h"

namespace laurel {

// The state of the check, which visits nodes in the board's order.
struct PagedTree::HeldEntry {
  std::uint64_t manifests = 0;
  std::uint64_t entry_sets = 0;
  std::uint64_t rows = 0;
  std::uint64_t distinct = 0;
  NodeNumber next = kNoPagedNode;  // the link of the previous entry set
  bool low_set = false;            // an entry set other than the first was low
  RowList last;                    // a copy of the last row
};

namespace {

bool same_place(const EngineRow& a, const EngineRow& b) {
  return a.score == b.score && a.at == b.at && a.player == b.player && a.data == b.data;
}

}  // namespace

void PagedTree::check_node(NodeNumber number, std::size_t layers, HeldEntry& seen) const {
  std::optional<PagedNode> loaded;
  const PagedNode& node = cache_.peek(number, loaded);
  const PagedSizes& sizes = cache_.sizes();
  must(node.is_manifest() == (layers > 1), "a node is in the wrong layer");
  must(!node.overfull(), "a node is too full");
  must(node.encode().size() <= sizes.object_bytes, "a node has too many bytes");
  must(node.size() <= (node.is_manifest() ? sizes.manifest_rows : sizes.entry_set_rows),
       "a node has too many rows");
  must(node.rows().in_order(ties_), "rows are out of order");
  if (node.is_manifest()) {
    ++seen.manifests;
    must(node.size() >= 2, "a manifest has one child");
    must(!node.low() || number == head_.root, "a manifest is too low");
    for (std::size_t slot = 0; slot < node.size(); ++slot) check_child(node, slot, layers, seen);
  } else {
    must(seen.entry_sets == 0 || seen.next == number, "an entry set does not name the next");
    must(!seen.low_set, "an entry set in the middle is too low");
    seen.low_set = node.low() && seen.entry_sets > 0;
    seen.next = node.next();
    ++seen.entry_sets;
    check_rows(node, seen);
  }
}

// Checks that a manifest's record of a child matches the child.
void PagedTree::check_child(const PagedNode& manifest, std::size_t slot, std::size_t layers,
                            HeldEntry& seen) const {
  const Child& known = manifest.child(slot);
  const std::uint64_t rows_before = seen.rows;
  check_node(known.node, layers - 1, seen);
  must(known.rows == seen.rows - rows_before, "rows are miscounted");

  std::optional<PagedNode> loaded;
  const NodeSummary summary = cache_.peek(known.node, loaded).summary(known.node);
  must(known.rows == summary.child.rows, "a node does not know its rows");
  must(known.distinct == summary.child.distinct, "distinct scores are miscounted");
  must(known.first == summary.child.first, "a manifest does not know a child's first score");
  must(same_place(manifest.rows()[slot], summary.last),
       "a manifest does not know a child's last row");
}

void PagedTree::check_rows(const PagedNode& entry_set, HeldEntry& seen) const {
  must(entry_set.size() > 0, "an entry set is empty");
  const EngineRow first = entry_set.rows()[0];
  must(seen.rows == 0 || seen.last.count_before(first, ties_) == 1, "entry sets are out of order");
  seen.distinct += entry_set.distinct();
  if (seen.rows > 0 && seen.last.score(0) == first.score) --seen.distinct;
  seen.rows += entry_set.size();
  seen.last = RowList();
  seen.last.insert(0, entry_set.rows()[entry_set.size() - 1]);
  std::uint64_t distinct = 0;
  for (std::size_t slot = 0; slot < entry_set.size(); ++slot) {
    const bool equal = slot > 0 && entry_set.rows().score(slot) == entry_set.rows().score(slot - 1);
    distinct += equal ? 0 : 1;
  }
  must(entry_set.distinct() == distinct, "the scores of an entry set are miscounted");
}

void PagedTree::check() const {
  HeldEntry seen;
  if (head_.root != kNoPagedNode) {
    check_node(head_.root, head_.layers, seen);
    std::optional<PagedNode> loaded;
    must(cache_.peek(head_.root, loaded).distinct() == seen.distinct,
         "distinct scores are miscounted over all");
  }
  must((head_.layers == 0) == (head_.root == kNoPagedNode), "the layers are not the tree's");
  must(seen.next == kNoPagedNode, "the last entry set names another");
  must(seen.rows == head_.rows, "the size is not the number of rows");
  must(seen.manifests == head_.manifests, "manifests are miscounted");
  must(seen.entry_sets == head_.entry_sets, "entry sets are miscounted");
  cache_.check();
}

}  // namespace laurel
