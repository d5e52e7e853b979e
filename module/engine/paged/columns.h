// columns.h - whole numbers in a row as stored objects keep them: eight bytes each, little-endian.
//
// A loop over ByteReader::u64 would be most of what loading an entry set costs; these are copies
// where the machine is little-endian itself.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace laurel {

template <typename Number>
void write_column(ByteWriter& writer, std::span<const Number> numbers) {
  static_assert(sizeof(Number) == 8);
  if constexpr (std::endian::native == std::endian::little) {
    writer.bytes({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  } else {
    for (const Number number : numbers) writer.u64(static_cast<std::uint64_t>(number));
  }
}

// Leaves the numbers as they are when the reader has too few bytes.
template <typename Number>
void read_column(ByteReader& reader, std::span<Number> numbers) {
  static_assert(sizeof(Number) == 8);
  if constexpr (std::endian::native == std::endian::little) {
    const std::string_view bytes = reader.bytes(numbers.size_bytes());
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  } else {
    for (Number& number : numbers) number = static_cast<Number>(reader.u64());
  }
}

}  // namespace laurel
