#include "rank/tree/radix_sort.h"

#include <algorithm>
#include <array>

namespace laurel {

namespace {

constexpr int kDigitBits = 11;  // three digits make a key, and a digit's counts stay in cache
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;

// One stable pass by one digit, from `entries` to `out`. Returns false, and writes nothing, if all
// digits are equal.
bool sort_by_digit(const std::vector<KeyedNumber>& entries, std::vector<KeyedNumber>& out,
                   int shift) {
  const auto digit = [shift](KeyedNumber entry) { return (entry >> shift) & (kDigitValues - 1); };
  std::array<std::size_t, kDigitValues> next{};
  for (const KeyedNumber entry : entries) ++next[digit(entry)];
  if (next[digit(entries.front())] == entries.size()) return false;
  std::size_t before = 0;
  for (std::size_t& count : next) {
    const std::size_t here = count;
    count = before;
    before += here;
  }
  for (const KeyedNumber entry : entries) out[next[digit(entry)]++] = entry;
  return true;
}

}  // namespace

void sort_by_key(std::vector<KeyedNumber>& entries) {
  if (entries.empty()) return;
  std::vector<KeyedNumber> other(entries.size());
  for (int shift = 32; shift < 64; shift += kDigitBits) {
    if (sort_by_digit(entries, other, shift)) entries.swap(other);
  }
}

}  // namespace laurel
