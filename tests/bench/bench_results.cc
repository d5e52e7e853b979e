// What a ranked board pays for what it keeps of results, beside what a submission costs without.
// The argument is the number of members.
//
//   plain       a result that moves its player
//   attempts    the same on a board with `attempts`
//   ids         the same with a new id, on a board that remembers a million of them: one goes for
//               each that comes
//   repeats     results with ids that were accepted before
//   hash, has, add
//               of a million ids, without a board
#include <memory>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "board/results/accepted_ids.h"
#include "board/spec/spec_change.h"
#include "members.h"
#include "registry/registry.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

constexpr std::uint64_t kNamed = 1 << 16;  // ids that are made before the measurement

class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 18281 * 86'400 * kSecond;
};

std::string name(std::uint64_t number) { return "match " + std::to_string(number) + "/player"; }

struct Full {
  Full(std::int64_t members, bool counts, bool has_ids)
      : size(static_cast<std::uint64_t>(members)) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    if (counts) (void)spec.set("attempts", 1e15);
    board = registry.get(*registry.open("b", spec));
    for (std::uint64_t i = 0; i < size; ++i) update({});
    if (!has_ids) return;
    for (std::uint64_t i = 0; i < kResultIdsMax; ++i) update(name(i));
  }
  void update(std::optional<std::string_view> id) {
    const Id player(random() % size);
    const Submission submission{
        .player = player, .score = static_cast<double>(random() % 10'000'000'000), .id = id};
    benchmark::DoNotOptimize(board->submit(WriteMode::submit, submission));
  }
  void make_names() {
    for (std::string& each : names) each = name(kResultIdsMax + made++);
  }

  std::uint64_t size;
  std::mt19937_64 random{1};
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  std::uint64_t made = 0;
  std::vector<std::string> names{kNamed};
};

void plain(benchmark::State& state) {
  Full full(state.range(0), false, false);
  for (auto _ : state) full.update({});
}

void attempts(benchmark::State& state) {
  Full full(state.range(0), true, false);
  for (auto _ : state) full.update({});
}

void ids(benchmark::State& state) {
  Full full(state.range(0), false, true);
  std::uint64_t i = 0;
  for (auto _ : state) {
    if (i++ % kNamed == 0) {
      state.PauseTiming();
      full.make_names();
      state.ResumeTiming();
    }
    full.update(full.names[i % kNamed]);
  }
}

void repeats(benchmark::State& state) {
  Full full(state.range(0), false, true);
  for (std::string& each : full.names) each = name(full.random() % kResultIdsMax);
  std::uint64_t i = 0;
  for (auto _ : state) full.update(full.names[i++ % kNamed]);
}

struct Ids {
  Ids() {
    for (std::uint64_t i = 0; i < kResultIdsMax; ++i) kept.add(kept.hash(name(i)), now);
    for (std::uint64_t i = 0; i < kNamed; ++i) names.push_back(name(kResultIdsMax + i));
  }

  Time now = 0;
  std::unique_ptr<Store> store = make_memory_store();
  Players players{HashSecret::fixed(1)};
  SpaceNumber last_space = 10;
  EngineReads reads;
  AcceptedIds kept{EngineContext{players, *store, last_space, reads}, Space(*store, 3)};
  std::vector<std::string> names;
};

void hash(benchmark::State& state) {
  Ids ids;
  std::uint64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(ids.kept.hash(ids.names[i++ % kNamed]));
}

void has(benchmark::State& state) {
  Ids ids;
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ids.kept.has(ids.kept.hash(ids.names[i++ % kNamed]), 1));
  }
}

void add(benchmark::State& state) {
  Ids ids;
  std::mt19937_64 random(1);
  for (auto _ : state) {
    ids.kept.add({random(), static_cast<std::uint32_t>(random())}, 1);
  }
  state.counters["bytes_an_id"] =
      static_cast<double>(ids.kept.bytes()) / static_cast<double>(ids.kept.size());
}

BENCHMARK(plain)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(attempts)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(ids)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(repeats)->Arg(10'000);
BENCHMARK(hash);
BENCHMARK(has);
BENCHMARK(add);

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
