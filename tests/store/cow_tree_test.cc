#include "store/cow_tree.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "allocated.h"
#include "base/limits.h"
#include "entries.h"
#include "store/tree_cursor.h"

namespace laurel {

namespace {

constexpr std::size_t kEntries = 100'000;

// 40 bytes, like a key of a padded board.
std::string key_of(std::size_t number) {
  return fmt::format("space  2#SCORE#{:010}#p_{:010}", number, number);
}

std::vector<std::size_t> shuffled(std::size_t count, unsigned seed) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(seed));
  return numbers;
}

std::unique_ptr<CowTree> filled(const std::vector<std::size_t>& numbers) {
  auto tree = std::make_unique<CowTree>();
  const std::string value(20, 'v');
  for (const std::size_t number : numbers) tree->put(key_of(number), value);
  return tree;
}

double bytes_an_entry(const CowTree& tree) {
  return static_cast<double>(tree.bytes()) / static_cast<double>(tree.size());
}

void compare(const CowTree& tree, const Map& map) {
  tree.check();
  REQUIRE(tree.size() == map.size());
  TreeCursor cursor(tree.root());
  bool stands = cursor.seek("");
  for (const auto& [key, value] : map) {
    REQUIRE(stands);
    REQUIRE(cursor.key() == key);
    REQUIRE(cursor.value() == value);
    stands = cursor.next();
  }
  REQUIRE_FALSE(stands);
}

}  // namespace

TEST_CASE("copies of a tree change independently") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    // Long keys with a long common prefix make separators long and the tree deep.
    const std::string stem(seed % 2 == 0 ? 0 : kStoreKeyBytesMax - 10, 's');
    struct Twin {
      std::unique_ptr<CowTree> tree = std::make_unique<CowTree>();
      Map map;
    };
    std::vector<Twin> twins(4);
    for (int step = 0; step < 8000; ++step) {
      CAPTURE(step);
      Twin& twin = twins[random() % twins.size()];
      const std::string key = stem + fmt::format("{}", random() % 1500);
      if (random() % 500 == 0) {
        Twin& other = twins[random() % twins.size()];
        twin = Twin{std::make_unique<CowTree>(*other.tree), other.map};
      } else if (random() % 5 < (step < 4000 ? 1U : 3U)) {
        REQUIRE(twin.tree->erase(key) == (twin.map.erase(key) == 1));
      } else {
        const std::string value(random() % 20 == 0 ? random() % 1000 : random() % 30, 'v');
        twin.tree->put(key, value);
        twin.map.insert_or_assign(key, value);
      }
      if (step % 1000 == 999) {
        for (const Twin& each : twins) compare(*each.tree, each.map);
      }
    }
  }
}

TEST_CASE("ascending and descending insertions leave full pages") {
  const std::vector<std::size_t> random_order = shuffled(kEntries, 1);
  std::vector<std::size_t> up(kEntries);
  std::iota(up.begin(), up.end(), std::size_t{0});
  const std::vector<std::size_t> down(up.rbegin(), up.rend());

  for (const std::vector<std::size_t>* order : {&std::as_const(up), &down}) {
    const auto tree = filled(*order);
    tree->check();
    CHECK(bytes_an_entry(*tree) < 75);
  }
  const auto tree = filled(random_order);
  tree->check();
  CHECK(bytes_an_entry(*tree) < 105);

  // A run in the middle of existing entries: in a gap between two of them.
  const std::size_t bytes = tree->bytes();
  const std::string value(20, 'v');
  for (std::size_t i = 0; i < 10'000; ++i) {
    tree->put(key_of(kEntries / 2) + fmt::format("+{:08}", i), value);
    tree->put(key_of(kEntries / 3) + fmt::format("+{:08}", 10'000 - i), value);
  }
  tree->check();
  CHECK(static_cast<double>(tree->bytes() - bytes) / 20'000 < 85);
}

TEST_CASE("erasing entries frees memory in any order") {
  for (const unsigned seed : {0U, 1U}) {
    CAPTURE(seed);
    std::vector<std::size_t> order = shuffled(kEntries, 2);
    const auto tree = filled(order);
    if (seed == 0) std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < kEntries / 10 * 9; ++i) REQUIRE(tree->erase(key_of(order[i])));
    tree->check();
    CHECK(bytes_an_entry(*tree) < 190);
    for (std::size_t i = kEntries / 10 * 9; i < kEntries; ++i) tree->erase(key_of(order[i]));
    tree->check();
    CHECK(tree->size() == 0);
    CHECK(tree->bytes() == CowTree().bytes());
  }
}

TEST_CASE("replacing values by short ones frees memory") {
  CowTree tree;
  const std::size_t count = 10'000;
  for (std::size_t i = 0; i < count; ++i) tree.put(key_of(i), std::string(200, 'v'));
  for (std::size_t i = 0; i < count; ++i) tree.put(key_of(i), "");
  tree.check();
  CHECK(bytes_an_entry(tree) < 150);
}

TEST_CASE("bytes() matches the allocator's count within a tenth") {
  const std::size_t before = allocated();
  const auto tree = filled(shuffled(kEntries, 3));
  for (std::size_t i = 0; i < 1000; ++i) tree->put(key_of(i), std::string(300 + i, 'v'));
  for (std::size_t i = 0; i < 100; ++i) tree->put(key_of(i), std::string(kStoreValueBytesMax, 'v'));
  const auto copy = std::make_unique<CowTree>(*tree);
  for (std::size_t i = 0; i < 1000; ++i) tree->put(key_of(i * 50), "new");
  const auto truth = static_cast<double>(allocated() - before);
  CHECK(static_cast<double>(tree->bytes()) == doctest::Approx(truth).epsilon(0.1));
}

TEST_CASE("a copy needs no memory, the first write after it a path of pages, the next write none") {
  const auto tree = filled(shuffled(kEntries, 4));
  const std::size_t before = tree->bytes();
  auto copy = std::make_unique<CowTree>(*tree);
  CHECK(tree->bytes() == before);

  const std::string other(20, 'w');
  tree->put(key_of(77), other);
  const std::size_t path = tree->bytes() - before;
  CHECK(path >= kTreePageBytes * 2);
  CHECK(path <= kTreePageBytes * 5);
  tree->put(key_of(77), std::string(20, 'x'));
  tree->put(key_of(78), other);
  CHECK(tree->bytes() == before + path);
  CHECK(copy->get(key_of(77)) == std::string(20, 'v'));

  copy.reset();
  CHECK(tree->bytes() == before);
  tree->put(key_of(77), other);
  CHECK(tree->bytes() == before);
}

TEST_CASE("erasing an absent key copies no page") {
  const auto tree = filled(shuffled(1000, 5));
  const CowTree copy(*tree);
  const std::size_t before = tree->bytes();
  CHECK_FALSE(tree->erase("nobody"));
  CHECK(tree->bytes() == before);
}

TEST_CASE("long values are shared when their page is copied") {
  CowTree tree;
  for (std::size_t i = 0; i < 20; ++i) tree.put(key_of(i), std::string(kStoreValueBytesMax, 'v'));
  const char* const value = tree.get(key_of(3))->data();
  const CowTree copy(tree);
  const std::size_t before = tree.bytes();
  tree.put(key_of(100), "short");
  CHECK(tree.bytes() < before + 2 * kTreePageBytes);
  CHECK(tree.get(key_of(3))->data() == value);
  CHECK(copy.get(key_of(3))->data() == value);
  tree.erase(key_of(3));
  CHECK(copy.get(key_of(3)) == std::string(kStoreValueBytesMax, 'v'));
}

TEST_CASE("a copy outlives the original tree") {
  auto tree = filled(shuffled(1000, 6));
  CowTree copy(*tree);
  tree.reset();
  copy.check();
  CHECK(copy.get(key_of(999)) == std::string(20, 'v'));
  copy.put("new", "1");
  CHECK(copy.size() == 1001);
}

TEST_CASE("all memory is freed when the last tree ends") {
  const std::size_t before = allocated();
  {
    const auto tree = filled(shuffled(5000, 7));
    const auto copy = std::make_unique<CowTree>(*tree);
    for (std::size_t i = 0; i < 5000; i += 3) tree->put(key_of(i), std::string(i % 1000, 'n'));
    for (std::size_t i = 0; i < 5000; i += 2) tree->erase(key_of(i));
  }
  CHECK(allocated() == before);
}

}  // namespace laurel
