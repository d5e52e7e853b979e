// The cost of the rank room: players by their id strings, random scores, 12-byte ids. The argument
// is the number of members. `latency` is the time of one dependent load from memory of the same
// size: three of those bound an update or a rank.

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "members.h"
#include "rank/tree/ranking.h"

namespace laurel {

namespace {

// A full board. Kept between benchmarks, because filling it takes longer than they do.
struct Board {
  explicit Board(std::uint32_t members) : size(members) {
    for (std::uint32_t i = 0; i < size; ++i) tree.put({any_score(), ++now, players.hold(Id(i))});
  }

  Id any_id() { return Id(random() % size); }
  ScoreKey any_score() { return *form.key(static_cast<double>(random() >> 11)); }

  std::uint32_t size;
  std::mt19937_64 random{1};
  ScoreForm form{Order::desc, std::nullopt};
  Players players{HashSecret::fixed(1)};
  CountedTree tree{players, Ties::earliest};
  Time now = 0;
};

Board& board_of(const benchmark::State& state) {
  static std::unique_ptr<Board> board;
  const auto members = static_cast<std::uint32_t>(state.range(0));
  if (!board || board->size != members) {
    board.reset();
    board = std::make_unique<Board>(members);
    // Steady state: every player has moved once on average.
    for (std::uint32_t i = 0; i < members; ++i) {
      board->tree.put({board->any_score(), ++board->now, board->players.find(board->any_id())});
    }
  }
  return *board;
}

void add_bytes(benchmark::State& state, const Board& board) {
  state.counters["bytes_a_member"] =
      static_cast<double>(board.players.bytes() + board.tree.bytes()) / board.size;
}

void update(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    board.tree.put({board.any_score(), ++board.now, board.players.find(board.any_id())});
  }
  add_bytes(state, board);
  state.counters["bytes_players"] = static_cast<double>(board.players.bytes()) / board.size;
}

void rank(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        rank_of_row(Ranking::competition, board.tree, board.players.find(board.any_id())));
  }
}

void dense_rank(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        rank_of_row(Ranking::dense, board.tree, board.players.find(board.any_id())));
  }
}

void read_page(const Board& board, std::size_t first) {
  Row rows[10];
  std::size_t bytes = 0;
  const std::size_t count = board.tree.read(first, rows);
  for (std::size_t i = 0; i < count; ++i) {
    const IdText id = board.players.id(rows[i].player);
    bytes += static_cast<unsigned char>(id.view().back());  // reads the text, too
  }
  benchmark::DoNotOptimize(bytes);
  benchmark::DoNotOptimize(rows);
}

void top_10(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) read_page(board, 0);
}

void page_of_10(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) read_page(board, board.random() % board.size);
}

void count_between(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    const ScoreKey a = board.any_score();
    const ScoreKey b = board.any_score();
    benchmark::DoNotOptimize(board.tree.count_not_worse(std::max(a, b)) -
                             board.tree.count_better(std::min(a, b)));
  }
}

// The benchmark's own part: choosing a player and a score.
void choosing(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    const Id id = board.any_id();
    benchmark::DoNotOptimize(&id);
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(board.any_score());
  }
}

// One dependent load from 64 bytes a member, in one random cycle.
void latency(benchmark::State& state) {
  struct alignas(64) Line {
    std::uint32_t next;
  };
  const auto count = static_cast<std::uint32_t>(state.range(0));
  std::vector<Line> lines(count);
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < count; ++i) lines[i].next = i;
  for (std::uint32_t i = count - 1; i > 0; --i) std::swap(lines[i].next, lines[random() % i].next);
  std::uint32_t at = 0;
  for (auto _ : state) at = lines[at].next;
  benchmark::DoNotOptimize(at);
}

// CPU time of the thread, which excludes other threads.
std::int64_t thread_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The longest single call while a board grows: each adds a new player and their first row.
void growing(benchmark::State& state) {
  for (auto _ : state) {
    Players players(HashSecret::fixed(2));
    CountedTree tree(players, Ties::earliest);
    std::mt19937_64 random(2);
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const Id id(static_cast<std::uint64_t>(i));
      const std::int64_t start = thread_ns();
      tree.put({random(), i, players.hold(id)});
      longest = std::max(longest, thread_ns() - start);
    }
    state.counters["longest_us"] = static_cast<double>(longest) / 1000;
    state.counters["bytes_a_member"] =
        static_cast<double>(players.bytes() + tree.bytes()) / static_cast<double>(tree.size());
  }
}

// Boards whose rows stay packed: the cost with a hundred players.
void small_update(benchmark::State& state) {
  Board& board = board_of(state);
  for (auto _ : state) {
    board.tree.put({board.any_score(), ++board.now, board.players.find(board.any_id())});
  }
  state.counters["bytes_tree"] = static_cast<double>(board.tree.bytes()) / board.size;
}

// Updates among a thousand distinct scores: heavy ties.
void update_tied(benchmark::State& state) {
  Board& board = board_of(state);
  Players& players = board.players;
  CountedTree tree(players, Ties::earliest);
  for (int turn = 0; turn < 2; ++turn) {
    for (std::uint32_t i = 0; i < board.size; ++i) {
      tree.put({board.random() % 1000, ++board.now, players.find(board.any_id())});
    }
  }
  for (auto _ : state) {
    tree.put({board.random() % 1000, ++board.now, players.find(board.any_id())});
  }
  state.counters["bytes_tree"] =
      static_cast<double>(tree.bytes()) / static_cast<double>(tree.size());
}

// Ids of the kinds that games use: what a player takes without a row, what finding one costs, and
// `id_ns`, what reading the id of one costs.
struct IdKind {
  const char* name;
  std::string (*id)(std::uint64_t number);
};
constexpr IdKind kIdKinds[] = {
    {"ids_of_8", [](std::uint64_t i) { return std::string(std::string_view(Id(i)).substr(0, 8)); }},
    {"ids_of_12", [](std::uint64_t i) { return std::string(std::string_view(Id(i))); }},
    {"ids_of_17_digits", [](std::uint64_t i) { return fmt::format("{}", 76561197960265728 + i); }},
    {"ids_of_36",
     [](std::uint64_t i) {
       const std::uint64_t bits = i * 0x9E3779B97F4A7C15U;
       return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", bits >> 32, bits >> 16 & 0xFFFF,
                          bits >> 4 & 0xFFF, i & 0xFFF, bits >> 16);
     }},
    {"ids_of_255",
     [](std::uint64_t i) { return std::string(243, '=').append(std::string_view(Id(i))); }}};

void find_kind(benchmark::State& state, const IdKind& kind) {
  const auto members = static_cast<std::uint64_t>(state.range(0));
  Players players(HashSecret::fixed(1));
  for (std::uint64_t i = 0; i < members; ++i) players.hold(kind.id(i));
  constexpr std::size_t kAsked = 4096;  // a power of two
  std::mt19937_64 random(1);
  std::vector<std::string> asked(kAsked);
  for (std::string& id : asked) id = kind.id(random() % members);
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(players.find(asked[next++ % kAsked]));

  std::vector<PlayerHandle> handles(kAsked);
  for (std::size_t i = 0; i < kAsked; ++i) handles[i] = players.find(asked[i]);
  constexpr std::int64_t kReads = 1 << 20;
  std::size_t bytes = 0;
  const std::int64_t start = thread_ns();
  for (std::int64_t i = 0; i < kReads; ++i) {
    const IdText id = players.id(handles[static_cast<std::size_t>(i) % kAsked]);
    bytes += static_cast<unsigned char>(id.view().back());
  }
  benchmark::DoNotOptimize(bytes);
  state.counters["id_ns"] = static_cast<double>(thread_ns() - start) / kReads;
  state.counters["bytes_a_player"] =
      static_cast<double>(players.bytes()) / static_cast<double>(members);
}

}  // namespace

}  // namespace laurel

// Registered size by size, so that each board is filled once.
int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("small_update", small_update)->Arg(100);
  for (const IdKind& kind : kIdKinds) {
    benchmark::RegisterBenchmark(kind.name, find_kind, kind)->Arg(1'000'000);
  }
  for (const std::int64_t members : {100'000, 1'000'000, 10'000'000}) {
    benchmark::RegisterBenchmark("latency", latency)->Arg(members);
    benchmark::RegisterBenchmark("choosing", choosing)->Arg(members);
    benchmark::RegisterBenchmark("update", update)->Arg(members);
    benchmark::RegisterBenchmark("rank", rank)->Arg(members);
    benchmark::RegisterBenchmark("dense_rank", dense_rank)->Arg(members);
    benchmark::RegisterBenchmark("top_10", top_10)->Arg(members);
    benchmark::RegisterBenchmark("page_of_10", page_of_10)->Arg(members);
    benchmark::RegisterBenchmark("count_between", count_between)->Arg(members);
    benchmark::RegisterBenchmark("update_tied", update_tied)->Arg(members);
    benchmark::RegisterBenchmark("growing", growing)
        ->Arg(members)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
