#include "base/arena.h"

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("an arena copies the bytes, and later calls do not move them") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Arena arena;
    std::vector<std::string> originals;
    std::vector<std::string_view> kept;
    for (int i = 0; i < 500; ++i) {
      const std::size_t size = random() % 50 == 0 ? random() % 100'000 : random() % 200;
      originals.push_back(std::string(size, static_cast<char>(random() % 256)));
      kept.push_back(arena.keep(originals.back()));
      REQUIRE(kept.back().data() != originals.back().data());
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      CAPTURE(i);
      REQUIRE(kept[i] == originals[i]);
    }
  }
}

TEST_CASE("an unused arena has no memory, and empty bytes need none") {
  Arena arena;
  CHECK(arena.keep("").empty());
  CHECK(arena.keep("").data() != nullptr);
  CHECK(arena.bytes() == 0);
}

TEST_CASE("allocations of an arena do not overlap") {
  Arena arena;
  std::vector<char*> rooms;
  for (int i = 0; i < 300; ++i) {
    rooms.push_back(arena.room(100));
    std::memset(rooms.back(), i % 256, 100);
  }
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const std::string expected(100, static_cast<char>(i % 256));
    REQUIRE(std::string_view(rooms[static_cast<std::size_t>(i)], 100) == expected);
  }
}

TEST_CASE("bytes larger than any block get a block of their own") {
  Arena arena;
  const std::string large(std::size_t{3} << 20, 'x');
  CHECK(arena.keep(large) == large);
  CHECK(arena.keep("y") == "y");
  CHECK(arena.bytes() >= large.size());
}

TEST_CASE("an arena has at most three times the memory of its bytes") {
  Arena arena;
  const std::string bytes(100, 'x');
  std::size_t kept = 0;
  for (int i = 0; i < 50'000; ++i) {
    arena.keep(bytes);
    kept += bytes.size();
    if (kept > 8192) REQUIRE(arena.bytes() <= 3 * kept);
  }
}

TEST_CASE("a cleared arena keeps its first block and frees the others") {
  Arena arena;
  const char* const first = arena.keep("first").data();
  const std::size_t block = arena.bytes();
  for (int i = 0; i < 1000; ++i) arena.keep(std::string(100, 'x'));
  CHECK(arena.bytes() > block);
  arena.clear();
  CHECK(arena.bytes() == block);
  CHECK(arena.keep("again").data() == first);
  CHECK(arena.bytes() == block);
}

}  // namespace laurel
