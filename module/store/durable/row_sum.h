// row_sum.h - the sum behind every value of the durable store: four bytes that say whether key and
// value are those that were written together.
//
//   stored    the value, then the sum: the low 32 bits, little-endian, of XXH3 over the value with
//             XXH3 over the key as its seed. One in 2^32 damaged rows passes.
//   finds     accidents, not forgers: whoever can write the file can write sums.
//   cost      some ten nanoseconds for a row of 40 bytes.
//   source    XXH3, Yann Collet: xxHash, xxhash.h.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace laurel {

inline constexpr std::size_t kRowSumBytes = 4;

std::array<char, kRowSumBytes> row_sum(std::string_view key, std::string_view value);

// Makes a value what is stored under the key.
void append_sum(std::string_view key, std::string& value);

// The value of what is stored under the key; nothing if it is not what was written. A view of
// `stored`.
std::optional<std::string_view> checked(std::string_view key, std::string_view stored);

}  // namespace laurel
