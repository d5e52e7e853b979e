#include "base/arena.h"

#include <algorithm>
#include <cstring>

namespace laurel {

namespace {

constexpr std::size_t kFirstBlockBytes = 4096;
constexpr std::size_t kBlockBytesMax = std::size_t{1} << 20;

}  // namespace

char* Arena::room(std::size_t size) {
  if (blocks_.empty() || blocks_.back().size - used_ < size) {
    const std::size_t usual =
        blocks_.empty() ? kFirstBlockBytes : std::min(blocks_.back().size * 2, kBlockBytesMax);
    const std::size_t block = std::max(usual, size);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(block), block});
    bytes_ += block;
    used_ = 0;
  }
  char* const room = blocks_.back().memory.get() + used_;
  used_ += size;
  return room;
}

std::string_view Arena::keep(std::string_view bytes) {
  if (bytes.empty()) return {"", 0};
  char* const copy = room(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

void Arena::keep_first() {
  blocks_.erase(blocks_.begin() + 1, blocks_.end());
  bytes_ = blocks_.front().size;
}

}  // namespace laurel
