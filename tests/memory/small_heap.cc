#include "small_heap.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

constexpr std::size_t kUsual = alignof(std::max_align_t);

constinit thread_local std::size_t asked = 0;
constinit thread_local std::size_t last = SIZE_MAX;  // the last allocation that the heap has
constinit thread_local std::size_t returned = 0;     // bytes since then
constinit thread_local bool refused = false;
constinit thread_local bool is_exempt = false;
constinit std::atomic<bool> others_ended = false;

bool has(std::size_t size) {
  if (others_ended && !is_exempt) return false;
  if (asked <= last) return true;
  if (size > returned) return false;
  returned -= size;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) {
  ++asked;
  for (;;) {
    if (has(size)) {
      void* const block =
          std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
      if (block != nullptr) return block;
    }
    refused = true;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void give_back(void* block) {
  if (block == nullptr) return;
  if (asked > last) returned += malloc_usable_size(block);
  std::free(block);
}

}  // namespace

// All forms, since a sanitizer has its own of those that a program does not replace.
void* operator new(std::size_t size) { return allocate(size, kUsual); }
void* operator new[](std::size_t size) { return allocate(size, kUsual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, kUsual);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { give_back(block); }

namespace laurel::test {

void end_heap_after(std::size_t allocations) {
  last = asked + allocations;
  returned = 0;
  refused = false;
}

void end_heap_of_others() {
  is_exempt = true;
  others_ended = true;
}

void renew_heap() {
  last = SIZE_MAX;
  refused = false;
  others_ended = false;
}

bool heap_refused() { return refused; }

std::size_t allocations() { return asked; }

}  // namespace laurel::test
