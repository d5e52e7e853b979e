// tree_memory.h - allocates, counts and frees the pages and long values of a tree and of all its
// copies.
//
//   hold     each pointer in a page, and each root pointer, holds one reference.
//   drop     releases a reference. The last one frees the page or value and drops what the page
//            points to.
//   threads  any: trees that share pages may be destroyed in different threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "store/tree_page.h"

namespace laurel {

class TreeMemory {
 public:
  // Both are created with one reference.
  TreePage* make_page(unsigned level);
  LongValue* make_value(std::string_view bytes);

  // Returns an exclusively owned version of the page: the page itself, or a copy if it has other
  // references.
  TreePage* own(TreePage* page);

  void drop(TreePage* page);
  // Drops the payload of a cell of a page on this level.
  void drop(unsigned level, const Payload& payload);
  // Frees a page with one reference without dropping its pointers, which were moved to another
  // page.
  void free(TreePage* page);

  // Memory in use, including the allocator's overhead.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  void free(LongValue* value);
  void add(std::size_t size);
  void subtract(std::size_t size);

  std::atomic<std::size_t> bytes_{0};
};

}  // namespace laurel
