#include "store/durable/row_sum.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("checked() returns the value that append_sum() was given") {
  for (const std::string& value : {std::string(), std::string("x"), std::string(100'000, '\0')}) {
    std::string stored = value;
    append_sum("key", stored);
    CHECK(stored.size() == value.size() + kRowSumBytes);
    CHECK(checked("key", stored) == std::optional<std::string_view>(value));
  }
}

TEST_CASE("a flipped bit of a key, value or checksum is detected") {
  const std::string key = "SCORE#0000008420#p_alice";
  std::string stored = "forty bytes of a row, more or less so";
  append_sum(key, stored);
  for (std::size_t bit = 0; bit < stored.size() * 8; ++bit) {
    std::string flipped = stored;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    CHECK_FALSE(checked(key, flipped).has_value());
  }
  for (std::size_t bit = 0; bit < key.size() * 8; ++bit) {
    std::string flipped = key;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    CHECK_FALSE(checked(flipped, stored).has_value());
  }
}

TEST_CASE("bytes moved between key and value are detected") {
  std::string stored = "c";
  append_sum("ab", stored);
  CHECK_FALSE(checked("a", "b" + stored).has_value());
}

TEST_CASE("bytes shorter than a checksum are not a valid stored value") {
  CHECK_FALSE(checked("key", "").has_value());
  CHECK_FALSE(checked("key", "abc").has_value());
}

TEST_CASE("checksums have fixed values, since files outlive the program") {
  const std::string_view bytes("\x8e\x11\x11\x2e", kRowSumBytes);
  const auto sum = row_sum("key", "value");
  CHECK(std::string_view(sum.data(), sum.size()) == bytes);
}

}  // namespace laurel
