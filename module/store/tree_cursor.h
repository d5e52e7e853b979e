// tree_cursor.h - iterates over the leaves of a copy-on-write tree, in both directions.
//
//   cost     seek O(log n); a step O(1) on average; memory for one path.
//   threads  only reads pages: one thread per cursor, any number of cursors.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "store/store.h"
#include "store/tree_page.h"

namespace laurel {

class TreeCursor final : public Cursor {
 public:
  // REQUIRES: the pages below `root` do not change while the cursor is used.
  explicit TreeCursor(const TreePage* root) : root_(root) {}

  bool seek(std::string_view key) override;
  bool seek_before(std::string_view key) override;
  bool next() override;
  bool previous() override;
  std::string_view key() const override { return path_[0].page->key(path_[0].slot); }
  std::string_view value() const override { return path_[0].page->value(path_[0].slot); }

 private:
  // The path: on each level below the root, the page that the slot of the level above points to.
  struct Step {
    const TreePage* page = nullptr;
    std::size_t slot = 0;
  };

  void descend(std::string_view key);
  bool next_leaf();
  bool previous_leaf();

  const TreePage* root_;
  std::array<Step, kTreeLevelsMax> path_;  // by level
};

}  // namespace laurel
