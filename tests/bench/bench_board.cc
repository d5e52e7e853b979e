// What a whole board costs: submissions judged, moments given, changes counted; players by their id
// strings, random scores, 12-byte ids. The argument is the number of members.

#include <cmath>
#include <memory>
#include <random>

#include <benchmark/benchmark.h>

#include "board/registry.h"
#include "members.h"

namespace laurel {

namespace {

// A clock that costs nothing: what a clock costs is the host's.
class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 0;
};

// A full board. Kept between benchmarks, for filling it takes longer than they do.
struct Full {
  explicit Full(std::uint32_t members) : size(members) {
    SpecChange spec;
    (void)spec.set("keep", "latest");  // so that every submission moves its player
    board = registry.get(*registry.open("b", spec));
    for (std::uint32_t i = 0; i < size; ++i) submit(Id(i));
    for (std::uint32_t i = 0; i < size; ++i) submit(any_id());  // steady state
  }

  Id any_id() { return Id(random() % size); }
  double any_score() { return static_cast<double>(random() >> 11); }
  void submit(const Id& id) {
    benchmark::DoNotOptimize(board->submit(Act::submit, {.player = id, .score = any_score()}));
  }

  std::uint32_t size;
  std::mt19937_64 random{1};
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  Entries entries;
};

Full& full(const benchmark::State& state) {
  static std::unique_ptr<Full> kept;
  const auto members = static_cast<std::uint32_t>(state.range(0));
  if (!kept || kept->size != members) {
    kept.reset();
    kept = std::make_unique<Full>(members);
  }
  return *kept;
}

void update(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) kept.submit(kept.any_id());
  state.counters["bytes_a_member"] = static_cast<double>(kept.registry.stats().bytes) / kept.size;
}

void rank(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) benchmark::DoNotOptimize(kept.board->rank(kept.any_id(), {}));
}

void read_10(Full& kept, std::size_t first) {
  kept.entries.clear();
  kept.board->read(first, 10, kept.entries);
  benchmark::DoNotOptimize(kept.entries.data());
  benchmark::ClobberMemory();
}

void top_10(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) read_10(kept, 0);
}

void page_of_10(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) read_10(kept, kept.random() % kept.size);
}

void count_between(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) {
    const double a = kept.any_score();
    const double b = kept.any_score();
    benchmark::DoNotOptimize(kept.board->count({std::fmin(a, b), std::fmax(a, b)}));
  }
}

// Size by size, so that a full board serves all of its benchmarks.
[[maybe_unused]] const bool kRegistered = [] {
  for (const std::int64_t members : {100'000, 1'000'000, 10'000'000}) {
    benchmark::RegisterBenchmark("update", update)->Arg(members);
    benchmark::RegisterBenchmark("rank", rank)->Arg(members);
    benchmark::RegisterBenchmark("top_10", top_10)->Arg(members);
    benchmark::RegisterBenchmark("page_of_10", page_of_10)->Arg(members);
    benchmark::RegisterBenchmark("count_between", count_between)->Arg(members);
  }
  return true;
}();

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
