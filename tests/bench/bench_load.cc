// The cost of a durable store for engines that keep their entries in memory: loading the rows that
// the store has, without the store's own part, and writing rows. 12-byte ids.

#include <memory>
#include <random>
#include <string_view>

#include <benchmark/benchmark.h>

#include "engine/ranked/ranked_engine.h"
#include "synthetic_rows.h"

namespace laurel {

namespace {

double bytes_a_member(const Players& players, const RankedEngine& engine) {
  return static_cast<double>(players.bytes() + engine.bytes()) / static_cast<double>(engine.size());
}

// The arguments are the number of members and the distribution of scores.
void load(benchmark::State& state) {
  const auto members = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    Players players(HashSecret::fixed(1));
    RankedEngine engine(players, Ties::earliest,
                        std::make_unique<SyntheticBuffer>(members, state.range(1)));
    engine.load([](std::size_t) {});
    state.PauseTiming();
    state.counters["bytes_a_member"] = bytes_a_member(players, engine);
    while (engine.dismantle(100'000)) {
    }
    state.ResumeTiming();
  }
}

// The benchmark's own part: generating the rows.
void making_up(benchmark::State& state) {
  const SyntheticBuffer buffer(static_cast<std::uint64_t>(state.range(0)), state.range(1));
  for (auto _ : state) {
    buffer.each([](std::string_view id, std::string_view row) {
      benchmark::DoNotOptimize(id);
      benchmark::DoNotOptimize(row);
    });
  }
}

struct Full {
  Full(std::uint32_t members, bool written) : size(members) {
    std::unique_ptr<WriteBuffer> buffer;
    if (written) buffer = std::make_unique<SyntheticBuffer>(0, kAnyDouble);
    engine = std::make_unique<RankedEngine>(players, Ties::earliest, std::move(buffer));
    for (std::uint32_t i = 0; i < size; ++i) put(Id(i));
  }
  void put(const Id& id) {
    engine->put({id, players.find(id)}, {.score = score_of(random, kAnyDouble), .at = ++now});
  }
  void put_any() { put(Id(random() % size)); }

  std::uint32_t size;
  std::mt19937_64 random{1};
  Players players{HashSecret::fixed(1)};
  std::unique_ptr<RankedEngine> engine;
  Time now = 0;
};

// Gives one player another score; the second argument says whether the row is written.
void update(benchmark::State& state) {
  Full full(static_cast<std::uint32_t>(state.range(0)), state.range(1) != 0);
  for (std::uint32_t i = 0; i < full.size; ++i) full.put_any();
  for (auto _ : state) full.put_any();
  state.counters["bytes_a_member"] = bytes_a_member(full.players, *full.engine);
}

// The memory of a loaded board after every player has moved.
void settled(benchmark::State& state) {
  const auto members = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    Players players(HashSecret::fixed(1));
    RankedEngine engine(players, Ties::earliest,
                        std::make_unique<SyntheticBuffer>(members, kAnyDouble));
    engine.load([](std::size_t) {});
    std::mt19937_64 random(2);
    for (std::uint64_t i = 0; i < members; ++i) {
      const OrderedId id(random() % members, members);
      engine.put({id, players.find(id)}, {.score = score_of(random, kAnyDouble), .at = 1});
    }
    state.counters["bytes_a_member"] = bytes_a_member(players, engine);
  }
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  for (const std::int64_t members : {1'000'000, 10'000'000}) {
    for (const std::int64_t spread : {kAnyDouble, kUpToAMillion, kAThousandTies}) {
      for (const bool loads : {false, true}) {
        benchmark::RegisterBenchmark(loads ? "load" : "making_up", loads ? load : making_up)
            ->Args({members, spread})
            ->Unit(benchmark::kMillisecond)
            ->Iterations(1);
      }
    }
  }
  benchmark::RegisterBenchmark("settled", settled)->Arg(1'000'000)->Iterations(1);
  for (const std::int64_t written : {0, 1, 0, 1}) {
    benchmark::RegisterBenchmark("update", update)->Args({1'000'000, written});
  }
  benchmark::RunSpecifiedBenchmarks();
}
