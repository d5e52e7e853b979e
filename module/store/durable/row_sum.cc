#include "store/durable/row_sum.h"

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace laurel {

std::array<char, kRowSumBytes> row_sum(std::string_view key, std::string_view value) {
  const std::uint64_t hash =
      XXH3_64bits_withSeed(value.data(), value.size(), XXH3_64bits(key.data(), key.size()));
  std::array<char, kRowSumBytes> sum{};
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<char>(hash >> (8 * i));
  return sum;
}

void append_sum(std::string_view key, std::string& value) {
  const auto sum = row_sum(key, value);
  value.append(sum.data(), sum.size());
}

std::optional<std::string_view> checked(std::string_view key, std::string_view stored) {
  if (stored.size() < kRowSumBytes) return std::nullopt;
  const std::string_view value = stored.substr(0, stored.size() - kRowSumBytes);
  const auto sum = row_sum(key, value);
  if (stored.substr(value.size()) != std::string_view(sum.data(), sum.size())) return std::nullopt;
  return value;
}

}  // namespace laurel
