// arena.h - a bump allocator for the bytes of one result.
//
//   owner    the caller: it keeps the arena together with the list of views into it.
//   views    are valid until clear() or the arena's destruction; further calls do not move them.
//   asan     under AddressSanitizer a use of a view after clear() is an error.
//   memory   blocks that grow from 4 KB to 1 MB. clear() keeps the first one for the next result.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace laurel {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept : last_(std::exchange(other.last_, nullptr)) {}
  Arena& operator=(Arena&& other) noexcept {
    std::swap(last_, other.last_);
    return *this;
  }
  ~Arena() { drop(); }

  // Copies the bytes.
  std::string_view keep(std::string_view bytes);
  // Allocates `size` bytes, which the caller fills.
  char* room(std::size_t size);
  // Gives back what the last room has from `end` on. REQUIRES: `end` is in that room or its end.
  void shorten(const char* end) {
    last_->used = static_cast<std::size_t>(end - reinterpret_cast<const char*>(last_ + 1));
  }
  void clear() {
    if (last_ != nullptr) keep_first();
  }
  // The memory of all blocks.
  std::size_t bytes() const { return last_ != nullptr ? last_->bytes_so_far : 0; }

 private:
  // The header of a block; its bytes follow it.
  struct Block {
    Block* before;
    std::size_t size;
    std::size_t used;
    std::size_t bytes_so_far;  // of this block and all earlier ones
  };

  void add(std::size_t size);
  void drop_last();
  void drop() {
    while (last_ != nullptr) drop_last();
  }
  void keep_first() {
    while (last_->before != nullptr) drop_last();
    last_->used = 0;
    close(*last_);
  }
  // Marks the block's unused bytes as such for AddressSanitizer.
  static void close(Block& block [[maybe_unused]]) {
#ifdef __SANITIZE_ADDRESS__
    char* const bytes = reinterpret_cast<char*>(&block + 1);
    ASAN_POISON_MEMORY_REGION(bytes + block.used, block.size - block.used);
#endif
  }

  Block* last_ = nullptr;  // null: an empty arena has no memory
};

}  // namespace laurel
