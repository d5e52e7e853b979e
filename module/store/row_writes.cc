#include "store/row_writes.h"

#include <algorithm>
#include <cassert>

namespace laurel {

namespace {

constexpr std::size_t kBlockMin = 256;
constexpr std::size_t kBlockMax = std::size_t{64} << 10;

}  // namespace

void RowWrites::put(std::string_view row, std::string_view value) {
  assert(value.size() <= kStoreValueBytesMax);
  char* const room = append(static_cast<Head>(value.size()), row, value.size());
  std::copy(value.begin(), value.end(), room);
}

void RowWrites::erase(std::string_view row) { append(kErases, row, 0); }

void RowWrites::clear() {
  blocks_.clear();
  size_ = 0;
  bytes_ = 0;
}

// Appends a write without its value; returns where to write the value.
char* RowWrites::append(Head value_field, std::string_view row, std::size_t value_size) {
  assert(row.size() <= kStoreKeyBytesMax);
  const std::size_t bytes = sizeof(Head) + row.size() + value_size;
  if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) add_block(bytes);
  Block& block = blocks_.back();
  char* const at = block.memory.get() + block.used;
  const Head head = value_field << kRowBits | static_cast<Head>(row.size());
  std::memcpy(at, &head, sizeof head);
  std::copy(row.begin(), row.end(), at + sizeof head);
  block.used += static_cast<std::uint32_t>(bytes);
  bytes_ += bytes;
  ++size_;
  return at + sizeof head + row.size();
}

void RowWrites::add_block(std::size_t room) {
  const std::size_t next = blocks_.empty() ? kBlockMin : std::size_t{blocks_.back().size} * 2;
  const std::size_t size = std::max(std::min(next, kBlockMax), room);
  blocks_.push_back(
      {std::make_unique_for_overwrite<char[]>(size), static_cast<std::uint32_t>(size), 0});
}

}  // namespace laurel
