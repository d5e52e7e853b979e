// row_sum.h - the checksum after every value of the durable store: four bytes that show that the
// key and the value were written together.
//
//   stored  the value, then the checksum: the low 32 bits, little-endian, of XXH3 over the value,
//           seeded with XXH3 over the key. One in 2^32 damaged rows passes.
//   finds   accidental damage, not forgery: a program that can write the file can write checksums.
//   cost    about ten nanoseconds for a row of 40 bytes.
//   source  XXH3, Yann Collet: xxHash, xxhash.h.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace laurel {

inline constexpr std::size_t kRowSumBytes = 4;

std::array<char, kRowSumBytes> row_sum(std::string_view key, std::string_view value);

// Appends the checksum to a value to be stored under the key.
void append_sum(std::string_view key, std::string& value);

// The value without its checksum, as a view of `stored`; nullopt if the checksum is wrong.
std::optional<std::string_view> checked(std::string_view key, std::string_view stored);

}  // namespace laurel
