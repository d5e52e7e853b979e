#include "store/tree_cursor.h"

namespace laurel {

// Moves to the key's slot in a leaf, or to its insertion point.
void TreeCursor::descend(std::string_view key) {
  const TreePage* page = root_;
  for (unsigned level = page->level(); level > 0; --level) {
    path_[level] = {page, page->child_slot(key)};
    page = page->child(path_[level].slot);
  }
  path_[0] = {page, page->lower_bound(key)};
}

bool TreeCursor::seek(std::string_view key) {
  descend(key);
  return path_[0].slot < path_[0].page->count() || next_leaf();
}

bool TreeCursor::seek_before(std::string_view key) {
  descend(key);
  return previous();
}

bool TreeCursor::next() { return ++path_[0].slot < path_[0].page->count() || next_leaf(); }

bool TreeCursor::previous() {
  if (path_[0].slot == 0) return previous_leaf();
  --path_[0].slot;
  return true;
}

// Goes up to the first page that has a next child, and down to that child's first entry. Only a
// root can be an empty leaf.
bool TreeCursor::next_leaf() {
  for (unsigned level = 1; level <= root_->level(); ++level) {
    Step& above = path_[level];
    if (above.slot + 1 == above.page->count()) continue;
    ++above.slot;
    for (; level > 0; --level) path_[level - 1] = {path_[level].page->child(path_[level].slot), 0};
    return true;
  }
  return false;
}

bool TreeCursor::previous_leaf() {
  for (unsigned level = 1; level <= root_->level(); ++level) {
    Step& above = path_[level];
    if (above.slot == 0) continue;
    --above.slot;
    for (; level > 0; --level) {
      const TreePage* const below = path_[level].page->child(path_[level].slot);
      path_[level - 1] = {below, below->count() - 1};
    }
    return true;
  }
  return false;
}

}  // namespace laurel
