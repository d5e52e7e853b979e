// radix_sort.h - many keys of 32 bits in order, each with a number that it carries.
#pragma once

#include <cstdint>
#include <vector>

namespace laurel {

// A key in the upper half of 64 bits and what it carries in the lower.
using KeyedNumber = std::uint64_t;

inline KeyedNumber keyed_number(std::uint32_t key, std::uint32_t number) {
  return KeyedNumber{key} << 32 | number;
}
inline std::uint32_t key_of(KeyedNumber entry) { return static_cast<std::uint32_t>(entry >> 32); }
inline std::uint32_t number_of(KeyedNumber entry) { return static_cast<std::uint32_t>(entry); }

// Sorts by key. Those of one key stay in the order that they came in. O(n), some 20 ns each for ten
// million; takes the memory of the entries once more meanwhile.
void sort_by_key(std::vector<KeyedNumber>& entries);

}  // namespace laurel
