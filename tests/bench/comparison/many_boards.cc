#include "many_boards.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "bench/peers/candidates.h"
#include "bench/peers/skiplist.h"
#include "bench/workload.h"
#include "board/spec/spec_change.h"
#include "registry/registry.h"

namespace laurel {

namespace {

// A number of boards with a number of players each, who are the registry's players.
struct Shape {
  std::uint64_t boards = 0;
  std::uint64_t players_each = 0;
  std::uint64_t players = 0;

  std::uint64_t entries() const { return boards * players_each; }
  Id player(std::uint64_t board, std::uint64_t i) const {
    return Id((board * players_each + i) % players);
  }
};

struct OurBoards {
  OurBoards(const Shape& shape_in, Workload& work) : shape(shape_in) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    for (std::uint64_t i = 0; i < shape.boards; ++i) {
      boards.push_back(registry.get(*registry.open(fmt::format("b{}", i), spec)));
    }
    for (std::uint64_t i = 0; i < shape.players_each; ++i) {
      for (std::uint64_t board = 0; board < shape.boards; ++board) {
        put(board, shape.player(board, i), work.score());
      }
      registry.tick();
    }
  }
  void put(std::uint64_t board, std::string_view player, double score) {
    benchmark::DoNotOptimize(
        boards[board]->submit(WriteMode::submit, {.player = player, .score = score}));
  }

  Shape shape;
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  std::vector<Board*> boards;
};

struct Skiplists {
  Skiplists(const Shape& shape_in, Workload& work) : shape(shape_in), boards(shape.boards) {
    for (std::uint64_t i = 0; i < shape.players_each; ++i) {
      for (std::uint64_t board = 0; board < shape.boards; ++board) {
        put(board, shape.player(board, i), work.score());
      }
    }
  }
  void put(std::uint64_t board, std::string_view player, double score) {
    boards[board].put(player, score);
  }

  Shape shape;
  std::vector<Skiplist> boards;
};

template <typename Boards>
double time_of_updates(Boards& boards, Workload& work, std::size_t calls) {
  const Spent before = time_so_far();
  for (std::size_t i = 0; i < calls; ++i) {
    const std::uint64_t board = work.below(boards.shape.boards);
    const Id player = boards.shape.player(board, work.below(boards.shape.players_each));
    boards.put(board, player, work.score());
  }
  return (time_so_far() - before).wall * 1e9 / static_cast<double>(calls);
}

// A board's bytes an entry, and an update of any board, on boards of that shape.
void compare_boards(ComparisonTable& table, const RedisServers& servers, const Shape& shape,
                    const std::string& name, Goal bytes_goal, std::size_t rounds) {
  constexpr std::size_t kCalls = 20'000;
  // redis-benchmark draws the board and the player from one range.
  const std::uint64_t drawn = std::min(shape.boards, shape.players_each);
  const auto an_entry = [&shape](std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(shape.entries());
  };
  Peers peers;
  Workload work(3, shape.players);
  const std::size_t at_first = allocated_so_far();
  OurBoards ours(shape, work);
  const std::size_t with_ours = allocated_so_far();
  Skiplists skiplists(shape, work);
  peers.skiplist = an_entry(allocated_so_far() - with_ours);
  for (const auto& server : servers) {
    const std::uint64_t before = server->bytes();
    server->fill_boards(shape.boards, shape.players_each);
    peers.servers.push_back(an_entry(server->bytes() - before));
  }
  TableRow bytes{"bytes a member, " + name, shape.entries(), Unit::bytes, bytes_goal};
  bytes.add(an_entry(with_ours - at_first), peers);
  table.print(bytes);
  table.note(
      fmt::format("by the registry's own count {:.1f}", an_entry(ours.registry.stats().bytes)));

  TableRow update{"update, " + name, shape.entries()};
  for (std::size_t round = 0; round <= rounds; ++round) {
    const double ours_now = time_of_updates(ours, work, kCalls);
    ours.registry.tick();
    Peers now{.skiplist = time_of_updates(skiplists, work, kCalls)};
    for (const auto& server : servers) {
      if (drawn != shape.players_each) break;
      now.servers.push_back(
          server->run("ZADD b__rand_int__ __rand_int__ __rand_int__", drawn, 40'000));
    }
    if (round > 0) update.add(ours_now, now);
  }
  table.print(update);
  for (const auto& server : servers) server->flush();
}

// A board of shards, and threads that submit to it in batches.
class ShardedBoard {
 public:
  static constexpr std::size_t kAtOnce = 64;

  ShardedBoard(std::uint64_t shards, std::uint64_t members) : members_(members) {
    SpecChange spec;
    (void)spec.set("engine", "sharded");
    (void)spec.set("shards", static_cast<double>(shards));
    (void)spec.set("keep", "latest");
    board_ = registry_.get(*registry_.open("b", spec));
    Workload work(4, members);
    for (std::uint64_t i = 0; i < members; ++i) {
      (void)board_->submit(WriteMode::submit, {.player = Id(i), .score = work.score()});
    }
  }

  // Nanoseconds of the shortest top that is longer than the cached one, so that the shards are
  // read.
  double time_of_merge(std::size_t calls) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < calls; ++i) {
      entries_.clear();
      board_->read(0, kTopPageMax + 1, entries_);
      benchmark::DoNotOptimize(entries_.data());
    }
    return (time_so_far() - before).wall * 1e9 / static_cast<double>(calls);
  }

  // Nanoseconds of a submission, by this many threads at once.
  double time_of_batches(std::size_t threads, std::size_t batches_each, std::uint64_t seed) {
    const Spent before = time_so_far();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([this, batches_each, seed, i] { submit(batches_each, seed + i); });
    }
    submit(batches_each, seed);
    for (std::thread& each : others) each.join();
    const auto submissions = static_cast<double>(threads * batches_each * kAtOnce);
    const double nanoseconds = (time_so_far() - before).wall * 1e9 / submissions;
    registry_.tick();
    return nanoseconds;
  }

 private:
  void submit(std::size_t batches, std::uint64_t seed) {
    Workload work(seed, members_);
    std::vector<Id> ids(kAtOnce, Id(0));
    std::vector<Submission> batch(kAtOnce);
    for (std::size_t done = 0; done < batches; ++done) {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        ids[i] = work.member();
        batch[i] = {.player = ids[i], .score = work.score()};
      }
      board_->submit_all(batch, [](std::size_t, const Refusal&) {});
    }
  }

  std::uint64_t members_;
  Registry registry_{{.secret = HashSecret::fixed(1)}};
  Board* board_ = nullptr;
  Entries entries_;
};

// Nanoseconds of a submission by two threads, each on a board of its own: the speed of the machine
// without sharing.
double time_of_batches_apart(ShardedBoard& one, ShardedBoard& other, std::size_t batches_each,
                             std::uint64_t seed) {
  const Spent before = time_so_far();
  std::thread second([&] { other.time_of_batches(1, batches_each, seed + 1); });
  one.time_of_batches(1, batches_each, seed);
  second.join();
  const auto submissions = static_cast<double>(2 * batches_each * ShardedBoard::kAtOnce);
  return (time_so_far() - before).wall * 1e9 / submissions;
}

void compare_shards(ComparisonTable& table, std::uint64_t members, std::size_t rounds) {
  constexpr std::size_t kBatchesEach = 2000;  // so that starting a thread does not count
  TableRow merge{fmt::format("top {} over 16 shards", kTopPageMax + 1), members};
  TableRow threads{"2 threads on 2 shards, to 1", members, Unit::times};
  if (members >= 1'000'000) {
    merge.goal.most = 1500;
    threads.goal.least = 1.8;
  }
  {
    ShardedBoard board(16, members);
    for (std::size_t round = 0; round <= rounds; ++round) {
      const double now = board.time_of_merge(2000);
      if (round > 0) merge.add(now);
    }
  }
  table.print(merge);
  ShardedBoard board(2, members);
  ShardedBoard one(1, members / 2);
  ShardedBoard other(1, members / 2);
  for (std::uint64_t round = 0; round <= rounds; ++round) {
    const std::uint64_t seed = 1000 + 20 * round;
    const double alone = board.time_of_batches(1, kBatchesEach, seed);
    const double together = board.time_of_batches(2, kBatchesEach, seed + 5);
    const double alone_on_one = one.time_of_batches(1, kBatchesEach, seed + 10);
    const double apart = time_of_batches_apart(one, other, kBatchesEach, seed + 15);
    if (round > 0) threads.add(alone / together, {.bound = alone_on_one / apart});
  }
  table.print(threads);
}

}  // namespace

void compare_many_boards(ComparisonTable& table, const RedisServers& servers, std::uint64_t members,
                         std::size_t rounds) {
  table.begin("Many boards, shards, threads");
  compare_boards(table, servers, {20, 100'000, 100'000}, "20 boards", {}, rounds);
  Goal small;
  small.most = 18;
  compare_boards(table, servers, {10'000, 100, 50'000}, "boards of 100", small, rounds);
  compare_shards(table, members, rounds);
}

}  // namespace laurel
