// row_writes.h - writes of rows under one prefix, in the order in which they were made.
//
//   memory   4 bytes a write in addition to its row and value, in blocks that double from 256 bytes
//            to 64 KB. Written bytes never move: no write copies earlier ones, even if many wait.
//   views    rows and values are valid until the writes are cleared or destroyed.
//   cost     put and erase append; occasionally they allocate a block.
//   threads  not thread-safe; one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/limits.h"

namespace laurel {

class RowWrites {
 public:
  // REQUIRES: row and value within the limits of the store's keys and values; a row may be empty.
  void put(std::string_view row, std::string_view value);
  // Erasing an absent row does nothing.
  void erase(std::string_view row);
  void clear();

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }    // writes
  std::size_t bytes() const { return bytes_; }  // of all writes

  // Calls take(row, value) for each write in call order; value is nullopt if the row is erased.
  template <typename Take>
  void each(Take take) const {
    for (const Block& block : blocks_) {
      const char* const end = block.memory.get() + block.used;
      for (const char* at = block.memory.get(); at != end;) {
        Head head = 0;
        std::memcpy(&head, at, sizeof head);
        at += sizeof head;
        const std::string_view row(at, head & kRowMask);
        at += row.size();
        if (head >> kRowBits == kErases) {
          take(row, std::optional<std::string_view>());
          continue;
        }
        const std::string_view value(at, head >> kRowBits);
        at += value.size();
        take(row, std::optional<std::string_view>(value));
      }
    }
  }

 private:
  // The size of the row in the low bits; above it the size of the value, or kErases.
  using Head = std::uint32_t;
  static constexpr unsigned kRowBits = 9;
  static constexpr Head kRowMask = (Head{1} << kRowBits) - 1;
  static constexpr Head kErases = ~Head{0} >> kRowBits;
  static_assert(kStoreKeyBytesMax <= kRowMask && kStoreValueBytesMax < kErases);

  struct Block {
    std::unique_ptr<char[]> memory;
    std::uint32_t size = 0;
    std::uint32_t used = 0;
  };

  char* append(Head value_field, std::string_view row, std::size_t value_size);
  void add_block(std::size_t room);

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace laurel
