// The cost of the store in memory: keys of 40 bytes with a common prefix, values of 20, one write
// a batch. The argument is the number of entries.

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include <benchmark/benchmark.h>

#include "store/memory_store.h"

namespace laurel {

namespace {

constexpr std::string_view kValue = "a row of 20 bytes...";

// Keys are in the order of their numbers. They are computed, because a lookup in a table of keys
// would cost the cache miss that is to be measured.
class Key {
 public:
  static constexpr std::size_t kBytes = 40;

  explicit Key(std::uint64_t number) {
    for (std::size_t digit = 0; digit < 16; ++digit) {
      letters_[16 + digit] = "0123456789abcdef"[number >> (60 - 4 * digit) & 15];
    }
  }
  // Scatters consecutive numbers: their keys are in no order.
  static Key scattered(std::uint64_t number) { return Key(number * 0x9E3779B97F4A7C15U); }
  operator std::string_view() const { return {letters_, kBytes}; }

 private:
  char letters_[kBytes + 1] = "s0000002SCORE#000000000000000000#player_";
};

void put(Store& store, Batch& batch, const Key& key) {
  batch.clear();
  batch.put(key, kValue);
  store.write(batch);
}

// A store in steady state. Kept between benchmarks, because filling it takes longer than they do.
struct Filled {
  explicit Filled(std::uint64_t entries) : size(entries) {
    for (std::uint64_t i = 0; i < size; ++i) put(*store, batch, Key::scattered(i));
  }

  Key any_key() { return Key::scattered(random() % size); }

  std::uint64_t size;
  Batch batch;
  std::unique_ptr<Store> store = make_memory_store();
  std::mt19937_64 random{1};
};

Filled& filled(const benchmark::State& state) {
  static std::unique_ptr<Filled> kept;
  const auto size = static_cast<std::uint64_t>(state.range(0));
  if (!kept || kept->size != size) {
    kept.reset();
    kept = std::make_unique<Filled>(size);
  }
  return *kept;
}

// Puts the entries into an empty store; time and memory are those of one entry.
template <typename KeyOf>
void grow(benchmark::State& state, KeyOf key_of) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    const std::unique_ptr<Store> store = make_memory_store();
    Batch batch;
    for (std::uint64_t i = 0; i < size; ++i) put(*store, batch, key_of(i));
    state.counters["bytes_an_entry"] =
        static_cast<double>(store->bytes()) / static_cast<double>(size);
  }
  state.counters["time_an_entry"] =
      benchmark::Counter(static_cast<double>(size), benchmark::Counter::kIsIterationInvariantRate |
                                                        benchmark::Counter::kInvert);
}

void put_new_at_random(benchmark::State& state) { grow(state, Key::scattered); }
void put_new_ascending(benchmark::State& state) {
  grow(state, [](std::uint64_t number) { return Key(number); });
}

void put_over(benchmark::State& state) {
  Filled& kept = filled(state);
  for (auto _ : state) put(*kept.store, kept.batch, kept.any_key());
}

void get(benchmark::State& state) {
  Filled& kept = filled(state);
  for (auto _ : state) benchmark::DoNotOptimize(kept.store->get(kept.any_key()));
}

void cursor_seek(benchmark::State& state) {
  Filled& kept = filled(state);
  const auto cursor = kept.store->cursor();
  for (auto _ : state) benchmark::DoNotOptimize(cursor->seek(kept.any_key()));
}

void cursor_step(benchmark::State& state) {
  Filled& kept = filled(state);
  const auto cursor = kept.store->cursor();
  bool stands = cursor->seek("");
  for (auto _ : state) {
    benchmark::DoNotOptimize(cursor->value().data());
    stands = cursor->next();
    if (!stands) cursor->seek("");
  }
}

// A snapshot, and the write that copies the pages it shares. It ends when the next is taken.
void snapshot_and_put(benchmark::State& state) {
  Filled& kept = filled(state);
  std::shared_ptr<const Reader> snapshot;
  for (auto _ : state) {
    snapshot = kept.store->snapshot();
    put(*kept.store, kept.batch, kept.any_key());
  }
}

// The benchmark's own part: choosing a key and writing it into a batch.
void choosing(benchmark::State& state) {
  Filled& kept = filled(state);
  for (auto _ : state) {
    kept.batch.clear();
    kept.batch.put(kept.any_key(), kValue);
    benchmark::ClobberMemory();
  }
}

// Ordered by size, so that a filled store serves all of its benchmarks.
[[maybe_unused]] const bool kRegistered = [] {
  for (const std::int64_t entries : {10'000, 1'000'000}) {
    benchmark::RegisterBenchmark("put_new_at_random", put_new_at_random)
        ->Arg(entries)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("put_new_ascending", put_new_ascending)
        ->Arg(entries)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("choosing", choosing)->Arg(entries);
    benchmark::RegisterBenchmark("put_over", put_over)->Arg(entries);
    benchmark::RegisterBenchmark("get", get)->Arg(entries);
    benchmark::RegisterBenchmark("cursor_seek", cursor_seek)->Arg(entries);
    benchmark::RegisterBenchmark("cursor_step", cursor_step)->Arg(entries);
    benchmark::RegisterBenchmark("snapshot_and_put", snapshot_and_put)->Arg(entries);
  }
  return true;
}();

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
