// arena.h - bytes that live as long as the answer they belong to.
//
//   owner    whoever asked: an arena stands beside a list of views and keeps what they show.
//   views    stay where they are until clear() or the arena's end; more bytes move none of them.
//   memory   blocks that grow from 4 KB to 1 MB; clear() keeps the first for the next answer.
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

  // A copy of the bytes.
  std::string_view keep(std::string_view bytes);
  // Room for that many bytes, for the caller to fill.
  char* room(std::size_t size);
  void clear() {
    if (last_ != nullptr) keep_first();
  }
  // Memory in use.
  std::size_t bytes() const { return last_ != nullptr ? last_->bytes_so_far : 0; }

 private:
  // A block's head; its bytes lie behind it.
  struct Block {
    Block* before;
    std::size_t size;
    std::size_t used;
    std::size_t bytes_so_far;  // of this block and those before
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

  Block* last_ = nullptr;  // all that an arena without bytes has
};

}  // namespace laurel
