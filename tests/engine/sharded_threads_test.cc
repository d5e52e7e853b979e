#include <atomic>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/engine_factory.h"
#include "engine/sharded/sharded_engine.h"
#include "engine_fixture.h"

namespace laurel {

namespace {

// Runs a function behind a lock, in the thread that enters first.
template <typename Work>
class Behind final : public FlatCombiningLock::Request {
 public:
  explicit Behind(Work work) : work_(std::move(work)) {}
  void run() noexcept override { work_(); }

 private:
  Work work_;
};

template <typename Work>
void do_behind(FlatCombiningLock& lock, Work work) {
  Behind request(std::move(work));
  lock.post(request);
  lock.work();
  lock.wait(request);
}

}  // namespace

TEST_CASE("S1-5: threads may write to the same shard or to different shards at once") {
  Ground ground;
  ShardedEngine engine({.engine = EngineKind::sharded, .shards = 3}, ground.context(), 1,
                       make_score_engine);
  constexpr int kThreads = 3;
  constexpr int kPlayersEach = 400;
  const auto write = [&](int thread) {
    std::mt19937_64 random(static_cast<std::uint64_t>(thread));
    Arena arena;
    for (int i = 0; i < 4000; ++i) {
      // Each thread counts up its own players, and one that all threads share.
      const std::string id =
          i % 10 == 0 ? "shared" : fmt::format("t{}p{}", thread, random() % kPlayersEach);
      ShardedEngine::Shard& shard = engine.shard(engine.shard_of(id));
      do_behind(shard.lock(), [&] {
        const Player player = shard.look_up(id);
        const std::optional<EngineRow> row = shard.engine().find(player, arena);
        shard.engine().put(player, {.score = row ? row->score + 1 : 1, .at = i});
      });
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
  CHECK(ground.reads.entries > 0);  // from the gather only
}

TEST_CASE("the thread in a shard runs the requests of other threads before it leaves") {
  FlatCombiningLock lock;
  std::vector<std::thread::id> ran;
  std::atomic<bool> is_inside = false;
  std::atomic<bool> has_posted = false;
  Behind others([&] { ran.push_back(std::this_thread::get_id()); });
  std::thread other([&] {
    is_inside.wait(false);
    lock.post(others);
    CHECK_FALSE(lock.work());
    has_posted = true;
    has_posted.notify_one();
    lock.wait(others);
  });
  Behind mine([&] {
    is_inside = true;
    is_inside.notify_one();
    has_posted.wait(false);
    ran.push_back(std::this_thread::get_id());
  });
  lock.post(mine);
  CHECK(lock.work());
  CHECK(ran == std::vector{std::this_thread::get_id(), std::this_thread::get_id()});
  other.join();
}

TEST_CASE("a thread works for other threads for a bounded number of rounds") {
  // Each request posts another one, like a thread that posts again and again.
  struct Endless final : FlatCombiningLock::Request {
    void run() noexcept override {
      if (++*runs < 1000) lock->post(*next);
    }
    FlatCombiningLock* lock = nullptr;
    int* runs = nullptr;
    Endless* next = nullptr;
  };
  FlatCombiningLock lock;
  int runs = 0;
  std::deque<Endless> requests(1000);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].lock = &lock;
    requests[i].runs = &runs;
    requests[i].next = &requests[(i + 1) % requests.size()];
  }
  lock.post(requests.front());
  CHECK(lock.work());
  CHECK(runs > 1);
  CHECK(runs < 1000);
  // A thread that waits for the remaining requests is asked to run them.
  int turns = 0;
  while (runs < 1000) {
    lock.wait(requests[static_cast<std::size_t>(runs)]);
    REQUIRE(++turns < 1000);
  }
}

TEST_CASE("requests of many threads run one at a time, and each runs once") {
  constexpr int kThreads = 4;
  constexpr int kRequests = 5000;
  FlatCombiningLock lock;
  int done = 0;  // changed by the thread inside
  std::atomic<int> inside = 0;
  std::atomic<int> together = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRequests; ++i) {
        do_behind(lock, [&] {
          if (++inside > 1) ++together;
          ++done;
          --inside;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(done == kThreads * kRequests);
  CHECK(together == 0);
}

}  // namespace laurel
