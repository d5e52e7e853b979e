// cow_tree.h - a map of byte strings that is copied in no time.
//
//   form     a B+tree of pages. A copy of the tree shares all of them; whoever writes first copies
//            the pages on its way, root to leaf, that another tree still shows, and changes the
//            others in place. Values longer than kInlineValueBytesMax are shared one by one, so
//            that a page's copy does not copy them.
//   fill     random insertions leave pages some 70 % full, insertions in order, up or down, full
//            ones. A page less than a third full merges with a neighbour where both are three
//            quarters of a page; an empty one goes.
//   views    of keys and values are valid until the next change of the tree.
//   threads  one caller at a time for each tree; trees that share pages may be read, written and
//            ended each by a thread of its own.
//   cost     n = size(). get, put, erase O(log n); the first write after a copy some pages more.
//            A copy O(1); its end O(pages that it was the last to show).
//   source   copy-on-write B-trees by reference counts: O. Rodeh, "B-trees, shadowing, and clones",
//            2008. Separators cut short: R. Bayer, K. Unterauer, "Prefix B-trees", 1977.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "store/tree_memory.h"
#include "store/tree_page.h"

namespace laurel {

class CowTree {
 public:
  CowTree();
  ~CowTree();
  CowTree(const CowTree& tree);
  CowTree& operator=(const CowTree&) = delete;

  std::size_t size() const { return size_; }
  std::optional<std::string_view> get(std::string_view key) const;

  // REQUIRES of both: 1 to kStoreKeyBytesMax bytes of key, no view of the tree.
  void put(std::string_view key, std::string_view value);
  bool erase(std::string_view key);

  // For a cursor; valid until the next change.
  const TreePage* root() const { return root_; }
  // Of this tree and all that share pages with it.
  std::size_t bytes() const { return memory_->bytes(); }

  // Aborts, saying what, unless everything holds that must between two calls. O(n); for tests.
  void check() const;

 private:
  // The way from the root to a leaf, by level: the slot in each page that the next is in, and in
  // the leaf the one where the key is or would be.
  struct Step {
    TreePage* page = nullptr;
    std::size_t slot = 0;
  };
  using Path = std::array<Step, kTreeLevelsMax>;

  TreePage* own_child(TreePage& parent, std::size_t slot);
  Path own_path(std::string_view key);
  void insert(Path& path, unsigned level, std::string_view key, const Payload& payload);
  void divide(Path& path, unsigned level, std::string_view key, const Payload& payload);
  void grow();
  void mend(const Path& path);
  bool merge(const Step& parent);
  bool merge_with_next(TreePage& parent, std::size_t slot);
  void shrink();
  // How many entries are below; all their keys are at least `low` and, if given, less than `high`.
  std::size_t check_page(const TreePage& page, std::string_view low,
                         std::optional<std::string_view> high) const;

  std::shared_ptr<TreeMemory> memory_;
  TreePage* root_;
  std::size_t size_ = 0;
};

}  // namespace laurel
