// cow_tree.h - a map of byte strings that can be copied in constant time.
//
//   form     a B+tree of pages. A copy of the tree shares all pages. A write copies those pages on
//            its path from the root to the leaf that another tree also uses, and changes the others
//            in place. Values longer than kInlineValueBytesMax are shared individually, so that
//            copying a page does not copy them.
//   fill     random insertions leave pages about 70 % full; insertions in ascending or descending
//            order leave full pages. A page less than a third full merges with a neighbour if both
//            together fill at most three quarters of a page. An empty page is removed.
//   views    keys and values are valid until the next change of the tree.
//   threads  one caller at a time for each tree; trees that share pages may be read, written and
//            destroyed in different threads.
//   cost     n = size(). get, put, erase O(log n); the first write after a copy copies a few pages.
//            Copying O(1); destruction O(pages that no other tree uses).
//   source   copy-on-write B-trees by reference counts: O. Rodeh, "B-trees, shadowing, and clones",
//            2008. Shortened separators: R. Bayer, K. Unterauer, "Prefix B-trees", 1977.
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

  // REQUIRES for both: the key has 1 to kStoreKeyBytesMax bytes and is not a view of the tree; nor
  // is the value.
  void put(std::string_view key, std::string_view value);
  bool erase(std::string_view key);

  // For a cursor; valid until the next change.
  const TreePage* root() const { return root_; }
  // Memory of this tree and of all trees that share pages with it.
  std::size_t bytes() const { return memory_->bytes(); }

  // Aborts with a message if an invariant is violated. O(n); for tests.
  void check() const;

 private:
  // The path from the root to a leaf, indexed by level: in each page the slot of the next page, and
  // in the leaf the slot of the key, or its insertion point.
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
  // The number of entries below the page. Checks that all keys are at least `low` and, if `high` is
  // given, less than `high`.
  std::size_t check_page(const TreePage& page, std::string_view low,
                         std::optional<std::string_view> high) const;

  std::shared_ptr<TreeMemory> memory_;
  TreePage* root_;
  std::size_t size_ = 0;
};

}  // namespace laurel
