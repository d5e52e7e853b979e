// tree_memory.h - the pages and long values of a tree and all its copies: made, counted, given
// back.
//
//   hold     whoever keeps a pointer in a page or as a root holds what it points at, once each.
//   drop     ends that. The last one frees the page or value, and drops what a page points at.
//   threads  any: trees that share pages may end in different threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "store/tree_page.h"

namespace laurel {

class TreeMemory {
 public:
  // Both are held once.
  TreePage* make_page(unsigned level);
  LongValue* make_value(std::string_view bytes);

  // In place of the page one that nobody else holds: itself, or a copy while others hold it.
  TreePage* own(TreePage* page);

  void drop(TreePage* page);
  // Drops what a cell of a page on this level holds.
  void drop(unsigned level, const Payload& payload);
  // Frees a page that is held once and whose pointers are kept elsewhere by now.
  void free(TreePage* page);

  // In use, what the allocator needs for itself included.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  void free(LongValue* value);
  void add(std::size_t size);
  void subtract(std::size_t size);

  std::atomic<std::size_t> bytes_{0};
};

}  // namespace laurel
