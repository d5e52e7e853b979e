#include "base/arena.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace laurel {

namespace {

constexpr std::size_t kFirstBlockBytes = 4096;
constexpr std::size_t kBlockBytesMax = std::size_t{1} << 20;

}  // namespace

void Arena::add(std::size_t size) {
  const std::size_t usual =
      last_ == nullptr ? kFirstBlockBytes : std::min(last_->size * 2, kBlockBytesMax);
  const std::size_t block = std::max(usual, size);
  void* const memory = ::operator new(sizeof(Block) + block);
  const std::size_t before = last_ == nullptr ? 0 : last_->bytes_so_far;
  last_ = new (memory) Block{last_, block, 0, before + sizeof(Block) + block};
}

void Arena::drop_last() {
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(last_ + 1, last_->size);
#endif
  ::operator delete(std::exchange(last_, last_->before));
}

char* Arena::room(std::size_t size) {
  if (last_ == nullptr || last_->size - last_->used < size) add(size);
  char* const room = reinterpret_cast<char*>(last_ + 1) + last_->used;
  last_->used += size;
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(room, size);
#endif
  return room;
}

std::string_view Arena::keep(std::string_view bytes) {
  if (bytes.empty()) return {"", 0};
  char* const copy = room(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

}  // namespace laurel
