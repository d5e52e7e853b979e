// The cost of a paged board through its engine, over a store in memory: players by their id
// strings, random scores, 12-byte ids. The argument is the number of members. `kept`: over such a
// store that claims to be durable, so that rows and notes are written with every update.
//
//   bench_paged [members]   default 10,000 and 1,000,000

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/paged/paged_engine.h"
#include "members.h"
#include "store/kept_store.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

// A full board. Kept between benchmarks, because filling it takes longer than they do.
struct Board {
  Board(std::uint32_t members, bool kept) : size(members), durable(kept) {
    for (std::uint32_t i = 0; i < size; ++i) submit(Id(i));
    // Steady state: every player has moved once on average.
    for (std::uint32_t i = 0; i < size; ++i) submit(any_id());
    engine.write_back();
  }

  void submit(Id id) {
    engine.put({id}, {.player = {}, .score = random() >> 11U, .at = ++now, .data = {}});
  }
  Id any_id() { return Id(random() % size); }

  static std::unique_ptr<Store> make_store(bool kept) {
    if (kept) return std::make_unique<KeptStore>();
    return make_memory_store();
  }

  std::uint32_t size;
  bool durable;
  std::mt19937_64 random{1};
  Players players{HashSecret::fixed(1)};
  std::unique_ptr<Store> store = make_store(durable);
  SpaceNumber last_space = 0;
  EngineReads reads;
  PagedEngine engine{{.engine = EngineKind::paged}, {players, *store, last_space, reads}};
  Time now = 0;
};

Board& board_of(const benchmark::State& state, bool kept = false) {
  static std::unique_ptr<Board> board;
  const auto members = static_cast<std::uint32_t>(state.range(0));
  if (!board || board->size != members || board->durable != kept) {
    board.reset();
    board = std::make_unique<Board>(members, kept);
  }
  return *board;
}

template <bool kept>
void update(benchmark::State& state) {
  Board& board = board_of(state, kept);
  const std::uint64_t written = board.reads.written;
  std::chrono::steady_clock::duration slowest{};
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    board.submit(board.any_id());
    slowest = std::max(slowest, std::chrono::steady_clock::now() - begin);
  }
  state.counters["slowest_us"] = std::chrono::duration<double, std::micro>(slowest).count();
  const PagedLayout layout = board.engine.layout();
  state.counters["layers"] = static_cast<double>(layout.layers);
  state.counters["rows_a_set"] = static_cast<double>(board.size / layout.entry_sets);
  state.counters["cache_bytes"] = static_cast<double>(board.engine.bytes());
  state.counters["written"] = static_cast<double>(board.reads.written - written);
}

// A server's tick of 50 ms at 20,000 submissions a second: a thousand submissions, and their
// writes.
void tick_of_1000(benchmark::State& state) {
  Board& board = board_of(state);
  const std::uint64_t written = board.reads.written;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) board.submit(board.any_id());
    board.engine.write_back();
  }
  state.counters["written_a_tick"] =
      static_cast<double>(board.reads.written - written) / static_cast<double>(state.iterations());
}

template <Ranking ranking>
void rank(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(board.engine.rank({board.any_id()}, ranking));
  }
}

void read_page(const Board& board, std::size_t first, Arena& arena, std::vector<EngineRow>& rows) {
  arena.clear();
  rows.clear();
  board.engine.read(first, 10, arena, rows);
  benchmark::DoNotOptimize(rows.data());
}

void top_10(benchmark::State& state) {
  Board& board = board_of(state);
  Arena arena;
  std::vector<EngineRow> rows;
  for (auto _ : state) read_page(board, 0, arena, rows);
}

void page_of_10(benchmark::State& state) {
  Board& board = board_of(state);
  Arena arena;
  std::vector<EngineRow> rows;
  for (auto _ : state) read_page(board, board.random() % board.size, arena, rows);
}

// The first rank after a server's start: every object comes from the store.
void first_rank(benchmark::State& state) {
  Board& board = board_of(state);
  board.engine.write_back();
  for (auto _ : state) {
    EngineReads reads;
    const auto cold =
        PagedEngine::at({.engine = EngineKind::paged}, board.engine.space(), *board.store, reads);
    benchmark::DoNotOptimize(cold->rank({board.any_id()}, Ranking::competition));
  }
}

// The time that a server waits when it opens a board with this many notes.
void kept_load(benchmark::State& state) {
  Board& board = board_of(state, true);
  std::size_t notes = 0;
  for (auto _ : state) {
    notes = 0;
    PagedEngine opened({.engine = EngineKind::paged},
                       {board.players, *board.store, board.last_space, board.reads},
                       board.engine.space().number());
    opened.load([&](std::size_t rows) { notes += rows; });
    benchmark::DoNotOptimize(opened.size());
  }
  state.counters["notes"] = static_cast<double>(notes);
}

}  // namespace

}  // namespace laurel

// Registered size by size, so that each board is filled once.
int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  std::vector<std::int64_t> sizes = {10'000, 1'000'000};
  if (argc > 1) sizes = {std::atoll(argv[1])};
  for (const std::int64_t members : sizes) {
    benchmark::RegisterBenchmark("update", update<false>)->Arg(members);
    benchmark::RegisterBenchmark("rank", rank<Ranking::competition>)->Arg(members);
    benchmark::RegisterBenchmark("dense_rank", rank<Ranking::dense>)->Arg(members);
    benchmark::RegisterBenchmark("ordinal_rank", rank<Ranking::ordinal>)->Arg(members);
    benchmark::RegisterBenchmark("top_10", top_10)->Arg(members);
    benchmark::RegisterBenchmark("page_of_10", page_of_10)->Arg(members);
    benchmark::RegisterBenchmark("first_rank", first_rank)->Arg(members);
    benchmark::RegisterBenchmark("tick_of_1000", tick_of_1000)
        ->Arg(members)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("kept_update", update<true>)->Arg(members);
    benchmark::RegisterBenchmark("kept_load", kept_load)
        ->Arg(members)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
