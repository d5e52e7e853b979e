// The cost of padded and capped boards: players by their id strings, random scores, 12-byte ids.
// The first argument is the number of members, for a capped board the cap and the reserve; the
// second is the length of the top, or the position of the player whose rank is read.

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/capped/capped_engine.h"
#include "engine/padded/padded_engine.h"
#include "members.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

constexpr std::uint64_t kScores = 10'000'000'000;  // ten digits

struct Ground {
  Players players{HashSecret::fixed(1)};
  std::unique_ptr<Store> store = make_memory_store();
  SpaceNumber last_space = 0;
  EngineReads reads;
  std::mt19937_64 random{1};
  ScoreForm form{Order::desc, 0};
  Time now = 0;

  EngineContext context() { return {players, *store, last_space, reads}; }
  EngineRow row(std::uint64_t score) {
    return {.score = *form.key(static_cast<double>(score)), .at = ++now};
  }
  EngineRow any_row() { return row(random() % kScores); }
};

// A full board. Kept between benchmarks, because filling it takes longer than they do.
struct PaddedBoard : Ground {
  PaddedBoard(std::uint64_t members, Ties ties)
      : size(members),
        engine({.engine = EngineKind::padded, .ties = ties, .decimals = 0}, context()) {
    for (std::uint64_t i = 0; i < size; ++i) engine.put({Id(i)}, any_row());
  }

  Id any_id() { return Id(random() % size); }

  std::uint64_t size;
  PaddedEngine engine;
};

PaddedBoard& board_of(const benchmark::State& state, Ties ties) {
  static std::unique_ptr<PaddedBoard> board;
  static Ties board_ties;
  const auto members = static_cast<std::uint64_t>(state.range(0));
  if (!board || board->size != members || board_ties != ties) {
    board.reset();
    board = std::make_unique<PaddedBoard>(members, ties);
    board_ties = ties;
  }
  return *board;
}

void update(benchmark::State& state, Ties ties) {
  PaddedBoard& board = board_of(state, ties);
  for (auto _ : state) {
    const Id id = board.any_id();
    board.engine.put({id}, board.any_row());
  }
}

void find(benchmark::State& state, Ties ties) {
  PaddedBoard& board = board_of(state, ties);
  Arena arena;
  for (auto _ : state) {
    arena.clear();
    const Id id = board.any_id();
    benchmark::DoNotOptimize(board.engine.find({id}, arena));
  }
}

void top(benchmark::State& state, Ties ties) {
  PaddedBoard& board = board_of(state, ties);
  const auto n = static_cast<std::size_t>(state.range(1));
  Arena arena;
  std::vector<EngineRow> rows;
  for (auto _ : state) {
    arena.clear();
    rows.clear();
    board.engine.read(0, n, arena, rows);
    benchmark::DoNotOptimize(rows.data());
  }
}

// The rank of the player at a position.
void rank(benchmark::State& state, Ties ties) {
  PaddedBoard& board = board_of(state, ties);
  Arena arena;
  std::vector<EngineRow> row;
  board.engine.read(static_cast<std::size_t>(state.range(1)), 1, arena, row);
  for (auto _ : state) {
    benchmark::DoNotOptimize(board.engine.rank({row.front().player}, Ranking::competition));
  }
}

struct CappedBoard : Ground {
  explicit CappedBoard(std::size_t cap)
      : engine({.engine = EngineKind::capped, .cap = cap, .reserve = cap}, context(), 1) {
    for (std::uint64_t i = 0; i < 2 * cap; ++i) submit(Id(i), kScores / 2 + i);
  }

  void submit(const Id& id, std::uint64_t score) { engine.put({id, players.find(id)}, row(score)); }

  CappedEngine engine;
};

// New players below all others.
void hopeless(benchmark::State& state) {
  CappedBoard board(static_cast<std::size_t>(state.range(0)));
  std::uint64_t number = kScores;
  for (auto _ : state) board.submit(Id(++number), board.random() % (kScores / 2));
}

// New players above all others; each pushes one entry out.
void entering(benchmark::State& state) {
  CappedBoard board(static_cast<std::size_t>(state.range(0)));
  std::uint64_t score = kScores;
  for (auto _ : state) {
    ++score;
    board.submit(Id(score), score);
  }
}

// Players of the set that rise to its top.
void improving(benchmark::State& state) {
  CappedBoard board(static_cast<std::size_t>(state.range(0)));
  const std::uint64_t held = 2 * static_cast<std::uint64_t>(state.range(0));
  std::uint64_t score = kScores;
  for (auto _ : state) board.submit(Id(board.random() % held), ++score);
}

}  // namespace

}  // namespace laurel

// Registered board by board, so that each is filled once.
int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  for (const std::int64_t cap : {10, 1000}) {
    benchmark::RegisterBenchmark("capped_hopeless", hopeless)->Arg(cap);
    benchmark::RegisterBenchmark("capped_entering", entering)->Arg(cap);
    benchmark::RegisterBenchmark("capped_improving", improving)->Arg(cap);
  }
  for (const std::int64_t members : {10'000, 1'000'000}) {
    for (const auto& [name, ties] :
         {std::pair("player_desc", Ties::player_desc), std::pair("earliest", Ties::earliest)}) {
      const auto add = [name = std::string(name), ties = ties](const char* what, auto run) {
        return benchmark::RegisterBenchmark((std::string("padded_") + what + "/" + name).c_str(),
                                            run, ties);
      };
      add("update", update)->Arg(members);
      add("find", find)->Arg(members);
      add("top", top)->Args({members, 10})->Args({members, 100});
      add("rank", rank)->Args({members, 10})->Args({members, 1000});
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
