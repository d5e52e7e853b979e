// The cost of a rolling board: activity, ranks, lists and a new bucket; 12-byte ids, random
// amounts. The arguments are the window's buckets, the number of players, and whether they play
// daily: if so, each was active in every bucket of the window, otherwise in one of them.

#include <memory>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/rolling/activity_codec.h"
#include "engine/rolling/rolling_engine.h"
#include "members.h"
#include "store/store.h"

namespace laurel {

namespace {

constexpr Bucket kToday = 20'000;

// A rolling board writes nothing to a store.
class NoStore final : public Store {
 public:
  std::optional<std::string_view> get(std::string_view) const override { return std::nullopt; }
  std::unique_ptr<Cursor> cursor() const override { return nullptr; }
  std::size_t size() const override { return 0; }
  void write(const Batch&) override {}
  bool erase_some(std::string_view, std::size_t) override { return false; }
  std::shared_ptr<const Reader> snapshot() const override { return nullptr; }
  std::size_t bytes() const override { return 0; }
};

EngineSpec spec_of(int buckets) {
  EngineSpec spec;
  spec.window.buckets = buckets;
  return spec;
}

// A full board. Kept between benchmarks, because filling it takes longer than they do.
struct Full {
  Full(int window, std::uint32_t members, bool plays_daily)
      : buckets(window), size(members), daily(plays_daily), engine(spec_of(window), context(), 1) {
    turn(kToday);
    for (std::uint32_t i = 0; i < size; ++i) {
      const Id id(i);
      engine.unpack(player(id), pack_activity(++moment, activity_of(i), {}));
    }
    free_what_ended();
  }

  EngineContext context() { return {players, store, last_space, reads}; }
  ScoreKey any_amount() { return *form.key(static_cast<double>(random() % 1'000'000)); }
  std::vector<Amount> activity_of(std::uint32_t i) {
    const Bucket oldest = kToday - buckets + 1;
    if (!daily) return {{oldest + static_cast<Bucket>(i) % buckets, any_amount()}};
    std::vector<Amount> amounts;
    for (Bucket day = oldest; day <= kToday; ++day) amounts.push_back({day, any_amount()});
    return amounts;
  }
  Id any_id() { return Id(random() % size); }
  Player player(const Id& id) const { return {id, players.find(id)}; }
  void turn(Bucket day) {
    today = day;
    engine.advance(today * kDay);
  }
  void free_what_ended() {
    for (std::uint64_t before = ~0ULL; before != engine.steps();) {
      before = engine.steps();
      turn(today);
    }
  }
  void add(const Id& id, Bucket bucket) {
    const Activity activity{bucket, any_amount(), ++moment, {}};
    const Player adding = player(id);
    benchmark::DoNotOptimize(engine.sum_with(adding, activity));
    engine.add(adding, activity);
  }

  int buckets;
  std::uint32_t size;
  bool daily;
  Bucket today = kToday;
  Time moment = 0;
  std::mt19937_64 random{1};
  ScoreForm form{Order::desc, std::nullopt};
  Players players{HashSecret::fixed(1)};
  NoStore store;
  SpaceNumber last_space = 0;
  EngineReads reads;
  RollingEngine engine;
};

Full& full(const benchmark::State& state) {
  static std::unique_ptr<Full> kept;
  const auto buckets = static_cast<int>(state.range(0));
  const auto members = static_cast<std::uint32_t>(state.range(1));
  const bool daily = state.range(2) != 0;
  if (!kept || kept->buckets != buckets || kept->size != members || kept->daily != daily) {
    kept.reset();
    kept = std::make_unique<Full>(buckets, members, daily);
  }
  return *kept;
}

void rank(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(kept.engine.rank(kept.player(kept.any_id()), Ranking::competition));
  }
}

void position(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) benchmark::DoNotOptimize(kept.engine.position(kept.player(kept.any_id())));
}

void read_10(benchmark::State& state, bool anywhere) {
  Full& kept = full(state);
  std::vector<EngineRow> rows;
  Arena arena;
  for (auto _ : state) {
    rows.clear();
    kept.engine.read(anywhere ? kept.random() % kept.size : 0, 10, arena, rows);
    benchmark::DoNotOptimize(rows.data());
    benchmark::ClobberMemory();
  }
}
void top_10(benchmark::State& state) { read_10(state, false); }
void page_of_10(benchmark::State& state) { read_10(state, true); }

void add(benchmark::State& state) {
  Full& kept = full(state);
  const std::uint64_t before = kept.engine.steps();
  for (auto _ : state) kept.add(kept.any_id(), kept.today);
  const auto adds = static_cast<double>(state.iterations());
  state.counters["rows_moved"] = static_cast<double>(kept.engine.steps() - before) / adds;
  state.counters["bytes_a_player"] =
      static_cast<double>(kept.engine.bytes() + kept.players.bytes()) / kept.size;
}

// One call that starts the next bucket. It changes the board, so it comes last, and once.
void turn(benchmark::State& state) {
  Full& kept = full(state);
  for (auto _ : state) kept.turn(kept.today + 1);
}

// Ordered by buckets, so that a full board serves all of its benchmarks.
[[maybe_unused]] const bool kRegistered = [] {
  const auto run = [](std::int64_t buckets, std::int64_t members, bool daily) {
    const std::vector<std::int64_t> board{buckets, members, daily ? 1 : 0};
    benchmark::RegisterBenchmark("rank", rank)->Args(board);
    benchmark::RegisterBenchmark("position", position)->Args(board);
    benchmark::RegisterBenchmark("top_10", top_10)->Args(board);
    benchmark::RegisterBenchmark("page_of_10", page_of_10)->Args(board);
    benchmark::RegisterBenchmark("add", add)->Args(board);
    benchmark::RegisterBenchmark("turn", turn)->Args(board)->Iterations(1);
  };
  for (const std::int64_t members : {10'000, 1'000'000}) {
    for (const std::int64_t buckets : {1, 7, 30, 365}) run(buckets, members, false);
  }
  // Daily players of a year have 365 rows each.
  for (const std::int64_t buckets : {7, 30, 365}) run(buckets, 10'000, true);
  for (const std::int64_t buckets : {7, 30}) run(buckets, 100'000, true);
  return true;
}();

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
