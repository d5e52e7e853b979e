// The costs and benefits of sharding: tops, pages and updates of a million rows over several
// shards, and threads on shards of their own. 12-byte ids, random players and scores. The first
// argument is the number of shards; `reads` is how many rows a list read from them, `wait_ns` how
// long a write waits for its shard.

#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/engine_factory.h"
#include "engine/sharded/fetch_size.h"
#include "engine/sharded/sharded_engine.h"
#include "members.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

constexpr std::uint32_t kMembers = 1'000'000;

struct Board {
  explicit Board(std::size_t shards)
      : engine({.engine = EngineKind::sharded, .shards = shards},
               {players, *store, last_space, reads}, 1, make_score_engine) {
    for (std::uint32_t i = 0; i < kMembers; ++i) put(Id(i));
    // Steady state: every player has moved once on average.
    for (std::uint32_t i = 0; i < kMembers; ++i) put(any_id());
  }

  Id any_id() { return Id(random() % kMembers); }
  void put(const Id& id) { engine.put({id, kNoPlayer}, {.score = random(), .at = ++now}); }

  std::mt19937_64 random{1};
  Players players{HashSecret::fixed(1)};
  std::unique_ptr<Store> store = make_memory_store();
  SpaceNumber last_space = 0;
  EngineReads reads;
  ShardedEngine engine;
  Time now = 0;
};

// Kept between benchmarks, because filling it takes longer than they do.
Board& board_of(const benchmark::State& state) {
  static std::unique_ptr<Board> board;
  const auto shards = static_cast<std::size_t>(state.range(0));
  if (!board || board->engine.shards() != shards) {
    board.reset();
    board = std::make_unique<Board>(shards);
  }
  board->reads = {};
  return *board;
}

// Reads lists from the position that `first` returns; the second argument is their length.
template <typename First>
void read(benchmark::State& state, First first) {
  Board& board = board_of(state);
  Arena arena;
  std::vector<EngineRow> rows;
  for (auto _ : state) {
    rows.clear();
    board.engine.read(first(board), static_cast<std::size_t>(state.range(1)), arena, rows);
    benchmark::DoNotOptimize(rows.data());
  }
  const auto reads = static_cast<double>(board.reads.entries);
  state.counters["reads"] = reads / static_cast<double>(state.iterations());
}

void top(benchmark::State& state) {
  read(state, [](Board&) { return std::size_t{0}; });
}

void page(benchmark::State& state) {
  read(state, [](Board& board) { return board.random() % (kMembers - 10); });
}

void top_once(benchmark::State& state) {
  Board& board = board_of(state);
  Arena arena;
  std::vector<EngineRow> rows;
  for (auto _ : state) {
    rows.clear();
    benchmark::DoNotOptimize(
        board.engine.read_once(static_cast<std::size_t>(state.range(1)), 1 - 1e-6, arena, rows));
  }
}

void update(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) board.put(board.any_id());
}

void rank(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    const Id id = board.any_id();
    benchmark::DoNotOptimize(board.engine.rank({id, kNoPlayer}, Ranking::competition));
  }
}

// Runs the work in a shard and returns when it is done, by this thread or another.
template <typename Work>
void do_in(ShardedEngine::Shard& shard, const Work& work) {
  struct Request final : FlatCombiningLock::Request {
    explicit Request(const Work& work_in) : work(work_in) {}
    void run() noexcept override { work(); }
    const Work& work;
  };
  Request request(work);
  shard.lock().post(request);
  shard.lock().work();
  shard.lock().wait(request);
}

// Threads that write to any shard: the time of one write including the wait, and the rate of all.
void update_together(benchmark::State& state) {
  static Board* board = nullptr;
  if (state.thread_index() == 0) board = &board_of(state);
  std::mt19937_64 random(static_cast<std::uint64_t>(state.thread_index()) + 7);
  std::int64_t taken = 0;
  for (auto _ : state) {
    const Id id(random() % kMembers);
    ShardedEngine::Shard& shard = board->engine.shard(board->engine.shard_of(id));
    const auto start = std::chrono::steady_clock::now();
    do_in(shard, [&] { shard.engine().put(shard.look_up(id), {.score = random(), .at = 1}); });
    taken += (std::chrono::steady_clock::now() - start).count();
  }
  state.counters["call_ns"] =
      benchmark::Counter(static_cast<double>(taken) / static_cast<double>(state.iterations()),
                         benchmark::Counter::kAvgThreads);
  state.SetItemsProcessed(state.iterations());
}

// Updates of two shards: by one thread, or by one for each. A thread enters its shard once for
// each batch of 64.
void batches(benchmark::State& state) {
  static Board* board = nullptr;
  static std::vector<std::vector<Id>> ids;
  if (state.thread_index() == 0) {
    board = &board_of(state);
    ids.assign(2, {});
    for (std::uint32_t i = 0; i < kMembers; ++i) {
      ids[board->engine.shard_of(Id(i))].push_back(Id(i));
    }
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(state.thread_index()) + 7);
  auto number = static_cast<std::size_t>(state.thread_index());
  for (auto _ : state) {
    ShardedEngine::Shard& shard = board->engine.shard(number);
    do_in(shard, [&] {
      for (int i = 0; i < 64; ++i) {
        const Id& id = ids[number][random() % ids[number].size()];
        shard.engine().put(shard.look_up(id), {.score = random(), .at = 1});
      }
    });
    if (state.threads() == 1) number = 1 - number;
  }
  state.SetItemsProcessed(state.iterations() * 64);
}

void size_of_fetch(benchmark::State& state) {
  const auto shards = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(fetch_size(n, shards, 0.5));
}

}  // namespace

}  // namespace laurel

// Registered shard by shard, so that each board is filled once.
int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  for (const std::int64_t shards : {1, 2, 4, 16, 64}) {
    for (const std::int64_t n : {10, 100, 1000}) {
      benchmark::RegisterBenchmark("top", top)->Args({shards, n});
      benchmark::RegisterBenchmark("top_once", top_once)->Args({shards, n});
    }
    benchmark::RegisterBenchmark("page", page)->Args({shards, 10});
    benchmark::RegisterBenchmark("rank", rank)->Args({shards});
    benchmark::RegisterBenchmark("update", update)->Args({shards});
    benchmark::RegisterBenchmark("update_together", update_together)
        ->Args({shards})
        ->Threads(2)
        ->UseRealTime();
    if (shards != 2) continue;
    for (const int threads : {1, 2}) {
      benchmark::RegisterBenchmark("batches", batches)
          ->Args({shards})
          ->Threads(threads)
          ->UseRealTime();
    }
  }
  for (const std::int64_t shards : {10, 1024}) {
    for (const std::int64_t n : {1000, 100'000}) {
      benchmark::RegisterBenchmark("fetch_size", size_of_fetch)->Args({shards, n});
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
