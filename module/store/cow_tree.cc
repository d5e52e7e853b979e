#include "store/cow_tree.h"

#include <algorithm>
#include <cassert>

namespace laurel {

namespace {

// A page with fewer bytes is low and is merged with a neighbour if possible. Merged pages keep some
// room, so that the next insertion does not split them again.
constexpr std::size_t kLowBytes = TreePage::kRoom / 3;
constexpr std::size_t kMergedBytesMax = TreePage::kRoom / 4 * 3;

// The shortest string greater than `last` and not greater than `first`. REQUIRES: last < first.
std::string_view separator(std::string_view last, std::string_view first) {
  const std::size_t end = std::min(last.size(), first.size());
  const auto differs = std::mismatch(first.begin(), first.begin() + end, last.begin()).first;
  return first.substr(0, static_cast<std::size_t>(differs - first.begin()) + 1);
}

// The first child of a page gets all keys smaller than the second child's key.
void erase_child(TreePage& parent, std::size_t slot) {
  if (slot == 0 && parent.count() > 1) {
    parent.replace(0, parent.payload(1));
    slot = 1;
  }
  parent.erase(slot);
}

}  // namespace

CowTree::CowTree() : memory_(std::make_shared<TreeMemory>()), root_(memory_->make_page(0)) {}

CowTree::CowTree(const CowTree& tree)
    : memory_(tree.memory_), root_(tree.root_), size_(tree.size_) {
  root_->hold();
}

CowTree::~CowTree() { memory_->drop(root_); }

std::optional<std::string_view> CowTree::get(std::string_view key) const {
  const TreePage* page = root_;
  while (page->level() > 0) page = page->child(page->child_slot(key));
  const std::size_t slot = page->lower_bound(key);
  if (!page->has(slot, key)) return std::nullopt;
  return page->value(slot);
}

void CowTree::put(std::string_view key, std::string_view value) {
  assert(!key.empty() && key.size() <= kStoreKeyBytesMax);
  Payload payload{.bytes = value};
  if (value.size() > kInlineValueBytesMax) payload = {.pointer = memory_->make_value(value)};

  Path path = own_path(key);
  auto [leaf, slot] = path[0];
  const bool held = leaf->has(slot, key);
  if (held) {
    memory_->drop(0, leaf->payload(slot));
    if (leaf->replace(slot, payload)) return;
    leaf->erase(slot);
  } else {
    ++size_;
  }
  const bool shorter = held && leaf->used() < kLowBytes;
  insert(path, 0, key, payload);
  if (shorter) mend(path);
}

bool CowTree::erase(std::string_view key) {
  if (!get(key)) return false;  // no reason to copy pages if the key is absent
  const Path path = own_path(key);
  const auto [leaf, slot] = path[0];
  memory_->drop(0, leaf->payload(slot));
  leaf->erase(slot);
  --size_;
  mend(path);
  return true;
}

TreePage* CowTree::own_child(TreePage& parent, std::size_t slot) {
  TreePage* const child = parent.child(slot);
  TreePage* const owned = memory_->own(child);
  if (owned != child) parent.replace(slot, {.pointer = owned});
  return owned;
}

CowTree::Path CowTree::own_path(std::string_view key) {
  Path path;
  root_ = memory_->own(root_);
  TreePage* page = root_;
  for (unsigned level = root_->level(); level > 0; --level) {
    path[level] = {page, page->child_slot(key)};
    page = own_child(*page, path[level].slot);
  }
  path[0] = {page, page->lower_bound(key)};
  return path;
}

// Inserts a cell at the path's position on this level.
void CowTree::insert(Path& path, unsigned level, std::string_view key, const Payload& payload) {
  const auto [page, slot] = path[level];
  if (!page->insert(slot, key, payload)) divide(path, level, key, payload);
}

// As insert(), for a full page: the cells from some slot on move to a new page on its right.
void CowTree::divide(Path& path, unsigned level, std::string_view key, const Payload& payload) {
  const auto [left, slot] = path[level];
  if (left == root_) {
    grow();
    path[level + 1] = {root_, 0};
  }
  TreePage* const right = memory_->make_page(level);
  const auto [keep, stays] = left->division(slot, TreePage::cell_bytes(key, payload));
  right->append(*left, keep);
  left->truncate(keep);
  [[maybe_unused]] const bool fits =
      stays ? left->insert(slot, key, payload) : right->insert(slot - keep, key, payload);
  assert(fits);

  const std::string_view first = right->key(0);
  ++path[level + 1].slot;
  insert(path, level + 1, level > 0 ? first : separator(left->key(left->count() - 1), first),
         {.pointer = right});
  if (level > 0) {  // its first key moved up to the parent
    const Payload child = right->payload(0);
    right->erase(0);
    right->insert(0, {}, child);
  }
}

void CowTree::grow() {
  assert(root_->level() + 1 < kTreeLevelsMax);
  TreePage* const top = memory_->make_page(root_->level() + 1);
  top->insert(0, {}, {.pointer = root_});
  root_ = top;
}

// Called after a page of the path lost a cell: merges or removes low pages, from the leaf up.
void CowTree::mend(const Path& path) {
  for (unsigned level = 0; path[level].page != root_; ++level) {
    TreePage* const page = path[level].page;
    const Step& parent = path[level + 1];
    if (page->used() >= kLowBytes) return;
    if (page->count() == 0) {
      erase_child(*parent.page, parent.slot);
      memory_->free(page);
    } else if (!merge(parent)) {
      return;
    }
  }
  shrink();
}

bool CowTree::merge(const Step& parent) {
  const auto [page, slot] = parent;
  return (slot > 0 && merge_with_next(*page, slot - 1)) ||
         (slot + 1 < page->count() && merge_with_next(*page, slot));
}

bool CowTree::merge_with_next(TreePage& parent, std::size_t slot) {
  const std::string_view between = parent.key(slot + 1);
  if (parent.child(slot)->used() + parent.child(slot + 1)->used() + between.size() >
      kMergedBytesMax) {
    return false;
  }
  TreePage* const left = own_child(parent, slot);
  TreePage* const right = own_child(parent, slot + 1);
  if (left->level() > 0) {  // in upper pages a key is a lower bound of the keys below it
    left->insert(left->count(), between, right->payload(0));
    left->append(*right, 1);
  } else {
    left->append(*right, 0);
  }
  parent.erase(slot + 1);
  memory_->free(right);
  return true;
}

// If the root has one child, the child becomes the root.
void CowTree::shrink() {
  while (root_->level() > 0 && root_->count() == 1) {
    TreePage* const child = root_->child(0);
    child->hold();
    memory_->drop(root_);
    root_ = child;
  }
}

}  // namespace laurel
