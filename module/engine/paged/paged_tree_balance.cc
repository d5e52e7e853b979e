#include <cassert>

#include "engine/paged/paged_tree.h"

namespace laurel {

namespace {

// If rows come in order, the full part stays full. The parts of a manifest must not be low, since
// they would be mended at once.
std::size_t slot_to_split(const PagedNode& node, bool first, bool last) {
  if (node.is_manifest()) return node.slot_at(first ? 3 : last ? 5 : 4);
  if (first) return 1;
  return last ? node.size() - 1 : node.slot_at(4);
}

}  // namespace

NodeNumber PagedTree::add(PagedNode node) {
  ++(node.is_manifest() ? head_.manifests : head_.entry_sets);
  cache_.add(++head_.last, std::move(node));
  return head_.last;
}

PagedNode PagedTree::take(NodeNumber number) {
  PagedNode node = cache_.take(number);
  --(node.is_manifest() ? head_.manifests : head_.entry_sets);
  return node;
}

// Goes from the changed entry set up to the root: fixes a node that is overfull or low, and updates
// each manifest's summaries of its children before the manifest itself is checked.
void PagedTree::settle(Path path, Change change) {
  changed_ = true;
  for (std::size_t layer = path.size(); layer-- > 1;) {
    const NodeNumber number = path[layer].node;
    const PagedNode& node = cache_.get(number);
    if (node.overfull()) {
      split(path, layer, change);
    } else if (node.low() && (node.is_manifest() || change == Change::erase)) {
      mend(path, layer);
    } else {
      cache_.change(path[layer - 1].node).set(path[layer - 1].slot, node.summary(number));
    }
  }
  if (cache_.get(head_.root).overfull()) {
    grow(path);
    split(path, 1, change);
  }
  settle_root();
}

void PagedTree::grow(Path& path) {
  PagedNode root(PagedNode::Kind::manifest, cache_.sizes());
  root.insert(0, cache_.get(head_.root).summary(head_.root));
  head_.root = add(std::move(root));
  ++head_.layers;
  path.insert(path.begin(), {head_.root, 0});
}

void PagedTree::settle_root() {
  const PagedNode& root = cache_.get(head_.root);
  if (root.size() > (root.is_manifest() ? 1U : 0U)) return;
  const NodeNumber child = root.is_manifest() ? root.child(0).node : kNoPagedNode;
  take(head_.root);
  head_.root = child;
  --head_.layers;
}

void PagedTree::split(const Path& path, std::size_t layer, Change change) {
  PagedNode left = take(path[layer].node);
  PagedNode right = left.split_off(
      slot_to_split(left, change == Change::insert_first, change == Change::insert_last));
  const bool is_manifest = left.is_manifest();
  const NodeNumber right_number = add(std::move(right));
  if (!is_manifest) left.set_next(right_number);
  const NodeNumber left_number = add(std::move(left));
  if (!is_manifest) link_before(path, layer, left_number);

  const auto [parent_number, slot] = path[layer - 1];
  PagedNode& parent = cache_.change(parent_number);
  parent.set(slot, cache_.get(left_number).summary(left_number));
  parent.insert(slot + 1, cache_.get(right_number).summary(right_number));
}

// Updates the link of the entry set before the one at the end of the path.
void PagedTree::link_before(const Path& path, std::size_t layer, NodeNumber number) {
  while (layer > 0 && path[layer - 1].slot == 0) --layer;
  if (layer == 0) return;
  const auto [manifest, slot] = path[layer - 1];
  NodeNumber before = cache_.get(manifest).child(slot - 1).node;
  for (;;) {
    const PagedNode& node = cache_.get(before);
    if (!node.is_manifest()) break;
    before = node.child(node.size() - 1).node;
  }
  cache_.change(before).set_next(number);
}

// Merges a node with the previous node, or the first one with the next; if both together are too
// full, they share the rows evenly.
void PagedTree::mend(const Path& path, std::size_t layer) {
  PagedNode& parent = cache_.change(path[layer - 1].node);
  assert(parent.size() >= 2 && "a manifest with one child");
  const std::size_t slot = path[layer - 1].slot > 0 ? path[layer - 1].slot - 1 : 0;
  const NodeNumber left_number = parent.child(slot).node;
  const NodeNumber right_number = parent.child(slot + 1).node;
  PagedNode& left = cache_.change(left_number);
  PagedNode& right = cache_.change(right_number);
  left.absorb(right);
  if (left.settled()) {
    take(right_number);
    parent.erase(slot + 1);
  } else {
    right = left.split_off(left.slot_at(4));
    if (!left.is_manifest()) left.set_next(right_number);
    parent.set(slot + 1, right.summary(right_number));
  }
  parent.set(slot, left.summary(left_number));
}

}  // namespace laurel
