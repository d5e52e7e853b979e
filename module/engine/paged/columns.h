// columns.h - arrays of integers as stored objects hold them: eight bytes each, little-endian.
//
// A loop over ByteReader::u64 would dominate the cost of loading an entry set. On little-endian
// machines these functions copy the whole array.
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

// If the reader has too few bytes, the numbers stay unchanged.
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
