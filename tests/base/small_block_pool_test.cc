// A pool of small blocks, compared with what was requested from it.
#include "base/small_block_pool.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("blocks of the pool never overlap, in any order of taking and returning") {
  const std::uint32_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  SmallBlockPool blocks;
  struct Lent {
    unsigned char* block;
    std::size_t bytes;
    unsigned char mark;
  };
  std::vector<Lent> held;
  std::size_t refused = 0;
  for (int step = 0; step < 50'000; ++step) {
    const bool filling = step / 5'000 % 2 == 0;
    if (held.empty() || random() % 4 < (filling ? 3U : 1U)) {
      const std::size_t bytes = 1 + random() % SmallBlockPool::kBytesMax;
      auto* const block = static_cast<unsigned char*>(blocks.take(bytes));
      if (block == nullptr) {
        ++refused;
        continue;
      }
      REQUIRE(blocks.owns(block));
      REQUIRE(blocks.owns(block + bytes - 1));
      REQUIRE(reinterpret_cast<std::uintptr_t>(block) % 16 == 0);
      const auto mark = static_cast<unsigned char>(random());
      std::memset(block, mark, bytes);
      held.push_back({block, bytes, mark});
    } else {
      std::swap(held[random() % held.size()], held.back());
      const Lent last = held.back();
      held.pop_back();
      for (std::size_t i = 0; i < last.bytes; ++i) REQUIRE(last.block[i] == last.mark);
      blocks.give_back(last.block, last.bytes);
    }
  }
  CHECK(refused > 0);  // the region was full at times
}

TEST_CASE("a returned block is the next one of its size") {
  SmallBlockPool blocks;
  void* const first = blocks.take(60);
  void* const other = blocks.take(100);
  CHECK(first != other);
  blocks.give_back(first, 60);
  CHECK(blocks.take(100) != first);
  CHECK(blocks.take(64) == first);
  CHECK(SmallBlockPool::alike(60, 64));
  CHECK(!SmallBlockPool::alike(60, 65));
}

TEST_CASE("large blocks and foreign blocks do not belong to the pool") {
  SmallBlockPool blocks;
  CHECK(blocks.take(SmallBlockPool::kBytesMax + 1) == nullptr);
  const int outside = 0;
  CHECK(!blocks.owns(&outside));
  CHECK(!blocks.owns(nullptr));
}

}  // namespace laurel
