#include "store/tree_memory.h"

#include <cstring>
#include <new>

namespace laurel {

namespace {

// An allocator keeps a word of overhead for a block and rounds up to two words.
std::size_t page_block_bytes(std::size_t size) {
  constexpr std::size_t kWord = sizeof(void*);
  return (size + kWord + 2 * kWord - 1) / (2 * kWord) * (2 * kWord);
}

std::size_t value_bytes(std::size_t size) { return sizeof(LongValue) + size; }

}  // namespace

void TreeMemory::add(std::size_t size) {
  bytes_.fetch_add(page_block_bytes(size), std::memory_order_relaxed);
}

void TreeMemory::subtract(std::size_t size) {
  bytes_.fetch_sub(page_block_bytes(size), std::memory_order_relaxed);
}

TreePage* TreeMemory::make_page(unsigned level) {
  add(sizeof(TreePage));
  return new TreePage(level);
}

LongValue* TreeMemory::make_value(std::string_view bytes) {
  const std::size_t size = value_bytes(bytes.size());
  add(size);
  auto* const value = new (::operator new(size)) LongValue(bytes.size());
  std::memcpy(value->room(), bytes.data(), bytes.size());
  return value;
}

TreePage* TreeMemory::own(TreePage* page) {
  if (page->single()) return page;
  add(sizeof(TreePage));
  auto* const copy = new TreePage(*page);
  for (std::size_t slot = 0; slot < copy->count(); ++slot) {
    if (Counted* const pointer = copy->payload(slot).pointer) pointer->hold();
  }
  drop(page);
  return copy;
}

void TreeMemory::drop(TreePage* page) {
  if (!page->release()) return;
  for (std::size_t slot = 0; slot < page->count(); ++slot) {
    drop(page->level(), page->payload(slot));
  }
  free(page);
}

void TreeMemory::drop(unsigned level, const Payload& payload) {
  if (payload.pointer == nullptr) return;
  if (level > 0) {
    drop(static_cast<TreePage*>(payload.pointer));
  } else if (payload.pointer->release()) {
    free(static_cast<LongValue*>(payload.pointer));
  }
}

void TreeMemory::free(TreePage* page) {
  subtract(sizeof(TreePage));
  delete page;
}

void TreeMemory::free(LongValue* value) {
  subtract(value_bytes(value->bytes().size()));
  value->~LongValue();
  ::operator delete(value);
}

}  // namespace laurel
