#include "disk_boards.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/full_registry.h"
#include "bench/measure.h"
#include "bench/peers/disk_peers.h"
#include "bench/synthetic_rows.h"
#include "engine/ranked/ranked_engine.h"

namespace laurel {

namespace {

// A board built at once from rows in the order of ids, without the time to read them.
void compare_bulk_build(ComparisonTable& table, std::uint64_t members, std::size_t rounds) {
  TableRow build{"bulk build, a member", members};
  for (std::size_t round = 0; round <= rounds; ++round) {
    Players players(HashSecret::fixed(1));
    RankedEngine engine(players, Ties::earliest,
                        std::make_unique<SyntheticBuffer>(members, kAnyDouble));
    const SyntheticBuffer rows(members, kAnyDouble);
    const Spent before_reading = time_so_far();
    rows.each([](std::string_view id, std::string_view row) {
      benchmark::DoNotOptimize(id);
      benchmark::DoNotOptimize(row);
    });
    const double reading = (time_so_far() - before_reading).wall;
    const Spent before = time_so_far();
    engine.load([](std::size_t) {});
    const double now = (time_so_far() - before).wall - reading;
    if (round > 0) build.add(now * 1e9 / static_cast<double>(members));
    while (engine.dismantle(100'000)) {
    }
  }
  table.print(build);
}

void compare_opening(ComparisonTable& table, const std::string& path, std::uint64_t members,
                     std::size_t rounds) {
  TableRow opening{"opening, warm", members};
  if (members >= 10'000'000) opening.goal.most = 3e9;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Spent before = time_so_far();
    const FullRegistry opened("ranked", path, Durability::tick, members);
    opening.add((time_so_far() - before).wall * 1e9);
  }
  table.print(opening);
}

// Submissions that are all on the disk at the end, 10,000 a transaction: the ratio of LMDB's time
// to ours.
void compare_durable(ComparisonTable& table, const std::string& directory, std::uint64_t members,
                     std::size_t rounds) {
  constexpr std::size_t kAtOnce = 10'000;
  constexpr std::size_t kTransactions = 10;
  const Scratch scratch(directory);
  FullRegistry disk("ranked", scratch.path("ours"), Durability::tick, members);
  FullRegistry memory("ranked", "", Durability::tick, members);
  const auto lmdb = make_lmdb_peer(scratch.path("lmdb"));
  Crowd players(members);
  const auto write_rows = [&] {
    std::vector<DiskRow> rows;
    rows.reserve(kAtOnce);
    for (std::size_t i = 0; i < kAtOnce; ++i) rows.emplace_back(players.any(), players.score());
    lmdb->write(rows);
  };
  for (std::uint64_t i = 0; i < 2 * members; i += kAtOnce) write_rows();

  TableRow rate{"durable submissions, to LMDB's", members, Unit::times};
  TableRow cost{"a durable submit, to one in memory", members, Unit::times};
  rate.goal.least = 0.8;
  cost.goal.most = 1.3;
  for (std::size_t round = 0; round <= rounds; ++round) {
    const Spent start = time_so_far();
    for (std::size_t i = 0; i < kTransactions; ++i) write_rows();
    const Spent before = time_so_far();
    double on_disk = 0;
    for (std::size_t i = 0; i < kTransactions; ++i) {
      const Spent before_batch = time_so_far();
      for (std::size_t each = 0; each < kAtOnce; ++each) disk.submit_any();
      on_disk += (time_so_far() - before_batch).cpu;
      disk.tick_behind();
    }
    disk.settle();
    const Spent after = time_so_far();
    for (std::size_t i = 0; i < kTransactions * kAtOnce; ++i) memory.submit_any();
    const double in_memory = (time_so_far() - after).cpu;
    if (round == 0) continue;
    rate.add((before - start).wall / (after - before).wall);
    cost.add(on_disk / in_memory);
  }
  table.print(rate);
  table.print(cost);
}

}  // namespace

void compare_disk_boards(ComparisonTable& table, const std::string& directory,
                         std::uint64_t members, std::size_t rounds) {
  table.begin("From a disk and to it: " + filesystem_of(directory));
  compare_bulk_build(table, members, rounds);
  const Scratch scratch(directory);
  { const FullRegistry filled("ranked", scratch.path("b"), Durability::none, members); }
  compare_opening(table, scratch.path("b"), members, rounds);
  compare_durable(table, directory, std::min<std::uint64_t>(members, 1'000'000), rounds);
}

}  // namespace laurel
