#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/sharded/sharded_engine.h"
#include "ground.h"

namespace laurel {

TEST_CASE("S1-5: threads that enter shards write at once, to different ones or the same") {
  Ground ground;
  ShardedEngine engine({.engine = EngineKind::sharded, .shards = 3}, ground.context(), 1);
  constexpr int kThreads = 3;
  constexpr int kPlayersEach = 400;
  const auto write = [&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    Arena arena;
    for (int i = 0; i < 4000; ++i) {
      // Every thread counts up players of its own, and one that all share.
      const std::string id =
          i % 10 == 0 ? "shared" : fmt::format("t{}p{}", thread, random() % kPlayersEach);
      ShardedEngine::Shard& shard = engine.shard(engine.shard_of(id));
      const auto inside = shard.enter();
      const Player player = shard.look_up(id);
      const std::optional<EngineRow> row = shard.engine().find(player, arena);
      shard.engine().put(player, {.score = row ? row->score + 1 : 1, .at = i});
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(write, thread);
  for (std::thread& thread : threads) thread.join();

  engine.check();
  Arena arena;
  CHECK(engine.find(ground.player("shared"), arena)->score == kThreads * 400);
  std::vector<EngineRow> rows;
  engine.read(0, SIZE_MAX, arena, rows);
  ScoreKey sum = 0;
  for (const EngineRow& row : rows) sum += row.score;
  CHECK(sum == kThreads * 4000);
  CHECK(ground.reads.entries > 0);  // by the gather alone
}

}  // namespace laurel
