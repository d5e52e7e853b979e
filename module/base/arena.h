// arena.h - a bump allocator for the bytes of one result.
//
//   owner    the caller: it keeps the arena together with the list of views into it.
//   views    are valid until clear() or the arena's destruction; further calls do not move them.
//   memory   blocks that grow from 4 KB to 1 MB. clear() keeps the first one for the next result.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

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
  }

  Block* last_ = nullptr;  // null: an empty arena has no memory
};

}  // namespace laurel
