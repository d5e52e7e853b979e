// Compares RowWrites with a plain list.
#include "store/row_writes.h"

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

using Listed = std::vector<std::pair<std::string, std::optional<std::string>>>;

Listed list(const RowWrites& writes) {
  Listed listed;
  writes.each([&](std::string_view row, std::optional<std::string_view> value) {
    listed.emplace_back(row, value);
  });
  return listed;
}

std::string letters(std::mt19937_64& random, std::size_t most) {
  return std::string(random() % (most + 1), static_cast<char>('a' + random() % 26));
}

}  // namespace

TEST_CASE("writes and erasures of any size come back in call order") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    RowWrites writes;
    Listed expected;
    for (int i = 0; i < 500; ++i) {
      const std::string row = letters(random, random() % 50 == 0 ? kStoreKeyBytesMax : 20);
      if (random() % 5 == 0) {
        writes.erase(row);
        expected.emplace_back(row, std::nullopt);
      } else {
        const std::string value = letters(random, random() % 50 == 0 ? kStoreValueBytesMax : 60);
        writes.put(row, value);
        expected.emplace_back(row, value);
      }
    }
    REQUIRE(writes.size() == expected.size());
    REQUIRE(list(writes) == expected);
  }
}

TEST_CASE("an empty value is not an erasure, and an empty row is valid") {
  RowWrites writes;
  writes.put("", "");
  writes.put({}, {});  // null views
  writes.erase("");
  CHECK(list(writes) == Listed{{"", ""}, {"", ""}, {"", std::nullopt}});
}

TEST_CASE("the longest row and the longest value fit together") {
  const std::string row(kStoreKeyBytesMax, 'r');
  const std::string value(kStoreValueBytesMax, 'v');
  RowWrites writes;
  writes.put(row, value);
  CHECK(list(writes) == Listed{{row, value}});
}

TEST_CASE("no writes remain after clear() or a move") {
  RowWrites writes;
  writes.put("a", "1");
  const RowWrites taken = std::exchange(writes, RowWrites());
  CHECK(list(taken) == Listed{{"a", "1"}});
  CHECK(writes.empty());
  CHECK(writes.bytes() == 0);
  writes.put("b", "2");
  CHECK(list(writes) == Listed{{"b", "2"}});
  writes.clear();
  CHECK(writes.size() == 0);
  CHECK(list(writes).empty());
}

}  // namespace laurel
