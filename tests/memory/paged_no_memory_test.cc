// Paged boards of small objects without memory: their pages are written in the midst of changes.
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/memory_guarantee.h"
#include "engine/paged_fixture.h"
#include "long_form.h"
#include "small_heap.h"

namespace laurel::test {

namespace {

void play_history(bool durable, std::uint64_t seed) {
  CAPTURE(durable);
  CAPTURE(seed);
  PagedSizes sizes = small_sizes();
  sizes.cache_bytes = 32 * 1024;
  sizes.notes = 100;
  PagedBoard rich(sizes, Ties::earliest, durable);
  PagedBoard poor(sizes, Ties::earliest, durable);
  const MemoryReserve reserve;
  std::mt19937_64 random(seed);
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string player = fmt::format("player {}", random() % 400);
    const ScoreKey score = random() % 1000;
    const bool erases = random() % 5 == 0;
    const auto change = [&](PagedBoard& board) {
      if (erases) {
        board.engine->erase({player});
      } else {
        board.put(player, score, i);
      }
    };
    const std::size_t before = allocations();
    change(rich);
    const std::size_t needed = allocations() - before;
    {
      const MemoryGuarantee guaranteed;
      if (random() % 4 > 0) end_heap_after(random() % (needed + 1));
      change(poor);
      refused += heap_refused() ? 1 : 0;
      renew_heap();
    }
    REQUIRE(MemoryReserve::missing() < kMemoryReserveBlocks / 2);
    if (i % 50 == 0) {
      poor.engine->check();
      REQUIRE(rows_of(*poor.engine) == rows_of(*rich.engine));
    }
  }
  CHECK(refused > 0);
  CHECK(poor.store.batches > 1);
  poor.engine->write_back();
  poor.engine->check();
  REQUIRE(rows_of(*poor.reopened()) == rows_of(*rich.engine));
}

}  // namespace

TEST_CASE("a paged board without memory for its pages takes the change, and writes them later") {
  for (std::uint64_t seed = 0; seed < short_or_long<std::uint64_t>(3, 60); ++seed) {
    play_history(false, seed);
    play_history(true, seed);
  }
}

}  // namespace laurel::test
