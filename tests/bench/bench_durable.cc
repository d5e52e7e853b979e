// The cost of a registry on a disk, compared with the same registry in memory, LMDB as a program
// would use it, and SQLite: 12-byte ids, random players and scores, keep = latest. The candidates
// take turns in rounds; a figure is the median of its rounds.
//
//   bench_durable [--members=N] [--large=N] [--parts=12345] [--quick] [DIRECTORY]
//
//   1  submissions a second, all of them on the disk at the end; at most one commit is in flight
//   2  the same if every submission waits for the disk
//   3  the cost of one submission for its thread
//   4  the cost of a tick for its thread, at 20 ticks a second
//   5  opening what exists, also of --large members; the check is a part of the whole
//   cpu us    of all threads of the process for each submission, in microseconds
//   written   bytes that the process wrote for each submission (measure.h)
//
// Files are made in the directory, by default the system's temporary one, and removed at the end,
// unless the program is killed. laurel has two threads and its peers have one: if other programs
// keep the cores busy, CPU times are more reliable than rates and wall times.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/peers/disk_peers.h"
#include "full_registry.h"
#include "measure.h"
#include "store/check/file_check.h"
#include "store/durable/durable_store.h"

namespace laurel {

namespace {

using SteadyClock = std::chrono::steady_clock;

struct Sizes {
  std::uint64_t members = 1'000'000;
  std::uint64_t large = 10'000'000;
  std::size_t rounds = 5;
  std::size_t ticks = 1000;
  std::string parts = "12345";

  bool has(char part) const { return parts.find(part) != std::string::npos; }
};

// ---- submissions a second

// `run` makes this many submissions, and waits until they are on the disk.
struct Candidate {
  std::string name;
  std::function<void(std::size_t submissions)> run;
  Samples rate;
  Samples cpu;
  Samples written;
};

// Ratios are relative to the second candidate, LMDB with rows in random order.
void race(std::vector<Candidate>& candidates, std::size_t submissions, std::size_t rounds) {
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (Candidate& each : candidates) {
      const Spent before = spent_so_far();
      each.run(submissions);
      const Spent spent = spent_so_far() - before;
      if (round == 0) continue;  // the first round is a warm-up
      const auto count = static_cast<double>(submissions);
      each.cpu.add(spent.all_cpu * 1e6 / count);
      each.rate.add(count / spent.wall);
      each.written.add(static_cast<double>(spent.written) / count);
    }
  }
  std::printf("%-20s %10s %10s %10s %8s %10s %10s\n", "", "median", "least", "most", "x LMDB",
              "cpu us", "written");
  for (const Candidate& each : candidates) {
    std::printf("%-20s %10.0f %10.0f %10.0f %8.2f %10.2f %10.0f\n", each.name.c_str(),
                each.rate.median(), each.rate.least(), each.rate.most(),
                each.rate.median() / candidates[1].rate.median(), each.cpu.median(),
                each.written.median());
  }
}

// Writes `rows` rows in transactions of `at_once` rows.
void write(DiskPeer& peer, Crowd& players, std::size_t rows, std::size_t at_once, bool sorted) {
  std::vector<DiskRow> transaction;
  transaction.reserve(at_once);
  for (std::size_t written = 0; written < rows; written += at_once) {
    transaction.clear();
    while (transaction.size() < at_once)
      transaction.push_back(DiskRow(players.any(), players.score()));
    if (sorted) {
      std::sort(transaction.begin(), transaction.end(), [](const DiskRow& a, const DiskRow& b) {
        return std::memcmp(a.key.data(), b.key.data(), DiskRow::kBytes) < 0;
      });
    }
    peer.write(transaction);
  }
}

void fill(DiskPeer& peer, std::uint64_t members) {
  std::vector<DiskRow> transaction;
  each_member(members, [&](const OrderedId& player) {
    transaction.emplace_back(player, 0);
    if (transaction.size() < 50'000) return;
    peer.write(transaction);
    transaction.clear();
  });
  peer.write(transaction);
}

struct Disk {
  Disk(const Scratch& scratch, std::uint64_t members)
      : own(scratch.path("")),
        players(members),
        lmdb(make_lmdb_peer(own.path("lmdb"))),
        sqlite(make_sqlite_peer(own.path("sqlite"))) {
    fill(*lmdb, members);
    if (!sqlite) {
      std::printf("built without SQLite (Debian: libsqlite3-dev)\n");
      return;
    }
    sqlite->sync(SqliteSync::normal);
    fill(*sqlite, members);
  }

  std::vector<Candidate> candidates(std::size_t at_once) {
    const auto rows = [this, at_once](DiskPeer& peer, bool sorted) {
      return [this, at_once, &peer, sorted](std::size_t submissions) {
        write(peer, players, submissions, at_once, sorted);
      };
    };
    std::vector<Candidate> all(1);  // a place for ours
    all.push_back({"LMDB, as they come", rows(*lmdb, false), {}, {}, {}});
    if (at_once > 1) all.push_back({"LMDB, sorted", rows(*lmdb, true), {}, {}, {}});
    if (!sqlite) return all;
    for (const auto& [name, how] :
         {std::pair("SQLite, FULL", SqliteSync::full), {"SQLite, NORMAL", SqliteSync::normal}}) {
      all.push_back({name,
                     [this, run = rows(*sqlite, false), how](std::size_t submissions) {
                       sqlite->sync(how);
                       run(submissions);
                     },
                     {},
                     {},
                     {}});
    }
    return all;
  }

  Scratch own;
  Crowd players;
  std::unique_ptr<DiskPeer> lmdb;
  std::unique_ptr<SqlitePeer> sqlite;
};

Candidate laurel(std::string name, std::function<void(std::size_t)> run) {
  return {std::move(name), std::move(run), {}, {}, {}};
}

// Each candidate's file has the same history, because a file's history decides the cost of the
// next transaction.
void submissions_a_second(const Scratch& scratch, const Sizes& sizes) {
  FullRegistry host("ranked", scratch.path("race"), Durability::tick, sizes.members);
  Disk disk(scratch, sizes.members);
  for (const std::size_t at_once : {10'000, 1'000}) {
    std::printf("\n1. submissions a second, %zu a transaction\n", at_once);
    auto candidates = disk.candidates(at_once);
    candidates[0] = laurel("laurel", [&host, at_once](std::size_t submissions) {
      for (std::size_t i = 1; i <= submissions; ++i) {
        host.submit_any();
        if (i % at_once == 0) host.tick_behind();
      }
      host.settle();
    });
    race(candidates, at_once * 20, sizes.rounds);
  }
  std::printf("\n1. submissions a second, a tick each 50 ms; the others 50000 a transaction\n");
  auto candidates = disk.candidates(50'000);
  candidates[0] = laurel("laurel", [&host](std::size_t submissions) {
    auto ticked = SteadyClock::now();
    for (std::size_t i = 1; i <= submissions; ++i) {
      host.submit_any();
      if (SteadyClock::now() - ticked < std::chrono::milliseconds(50)) continue;
      host.tick_behind();
      ticked = SteadyClock::now();
    }
    host.settle();
  });
  race(candidates, 200'000, sizes.rounds);
}

void always(const Scratch& scratch, const Sizes& sizes) {
  Disk disk(scratch, sizes.members);
  FullRegistry host("ranked", scratch.path("always"), Durability::always, sizes.members);
  auto candidates = disk.candidates(1);
  candidates[0] = laurel("laurel, always", [&host](std::size_t submissions) {
    while (submissions-- > 0) host.submit_waiting();
  });
  std::printf("\n2. submissions a second, each on the disk before the next\n");
  race(candidates, 200, sizes.rounds);
}

// ---- the game thread's cost

constexpr std::size_t kBurst = 1000;

struct Costs {
  Samples cpu;
  Samples wall;
};

// Adds the cost of submissions in bursts, while the disk is behind. A tick follows each burst, and
// is not measured.
void add_costs(FullRegistry& host, std::size_t bursts, Costs& costs) {
  Spent all;
  for (std::size_t burst = 0; burst < bursts; ++burst) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) host.submit_any();
    const Spent spent = time_so_far() - before;
    all.cpu += spent.cpu;
    all.wall += spent.wall;
    host.tick();
  }
  const auto submissions = static_cast<double>(bursts * kBurst);
  costs.cpu.add(all.cpu * 1e9 / submissions);
  costs.wall.add(all.wall * 1e9 / submissions);
  host.settle();
}

void cost_of_a_submission(const char* engine, FullRegistry& memory, FullRegistry& disk,
                          const Sizes& sizes) {
  Costs in_memory;
  Costs on_disk;
  for (std::size_t round = 0; round <= sizes.rounds; ++round) {
    Costs warming_up;
    add_costs(memory, 100, round == 0 ? warming_up : in_memory);
    add_costs(disk, 100, round == 0 ? warming_up : on_disk);
  }
  for (const auto& [clock, part] : {std::pair("cpu", &Costs::cpu), {"wall", &Costs::wall}}) {
    const Samples& without = in_memory.*part;
    const Samples& with = on_disk.*part;
    std::printf("%-10s %-6s %10.0f %10.0f %10.2f %10.0f %10.0f\n", engine, clock, without.median(),
                with.median(), with.median() / without.median(), with.least(), with.most());
  }
}

void costs_of_a_submission(const Scratch& scratch, FullRegistry& memory, FullRegistry& disk,
                           const Sizes& sizes) {
  std::printf("\n3. nanoseconds of a submission on its thread\n");
  std::printf("%-10s %-6s %10s %10s %10s %10s %10s\n", "", "", "in memory", "on disk", "x memory",
              "least", "most");
  cost_of_a_submission("ranked", memory, disk, sizes);
  for (const char* engine : {"padded", "paged"}) {
    FullRegistry engine_memory(engine, "", Durability::tick, sizes.members);
    FullRegistry engine_disk(engine, scratch.path(engine), Durability::tick, sizes.members);
    cost_of_a_submission(engine, engine_memory, engine_disk, sizes);
  }
}

// Ticks 20 times a second, for both registries in turn.
void cost_of_a_tick(FullRegistry& memory, FullRegistry& disk, std::size_t submissions,
                    const Sizes& sizes) {
  Costs in_memory;
  Costs on_disk;
  std::size_t behind = 0;
  const std::uint64_t written_before = spent_so_far().written;
  auto next = SteadyClock::now();
  for (std::size_t tick = 0; tick < sizes.ticks; ++tick) {
    for (const auto& [host, costs] : {std::pair(&memory, &in_memory), {&disk, &on_disk}}) {
      for (std::size_t i = 0; i < submissions; ++i) host->submit_any();
      if (host->in_flight()) ++behind;
      const Spent before = time_so_far();
      host->tick();
      const Spent spent = time_so_far() - before;
      costs->wall.add(spent.wall * 1e6);
      costs->cpu.add(spent.cpu * 1e6);
    }
    next += std::chrono::milliseconds(50);
    std::this_thread::sleep_until(next);
  }
  disk.settle();
  const auto written = static_cast<double>(spent_so_far().written - written_before);
  std::printf(
      "%zu submissions a tick, %zu ticks, %zu while the last was being written; %.0f bytes "
      "written a submission\n",
      submissions, sizes.ticks, behind, written / static_cast<double>(submissions * sizes.ticks));
  for (const auto& [name, costs] : {std::pair("in memory", &in_memory), {"on disk", &on_disk}}) {
    for (const auto& [clock, part] : {std::pair("wall", &Costs::wall), {"cpu", &Costs::cpu}}) {
      const Samples& samples = costs->*part;
      std::printf("  %-10s %-6s %10.1f %10.1f %10.1f %10.1f\n", name, clock, samples.median(),
                  samples.at(0.99), samples.at(0.999), samples.most());
    }
  }
}

void costs_of_a_tick(FullRegistry& memory, FullRegistry& disk, const Sizes& sizes) {
  std::printf("\n4. microseconds of a tick\n");
  std::printf("  %-10s %-6s %10s %10s %10s %10s\n", "", "", "p50", "p99", "p99.9", "most");
  for (const std::size_t submissions : {500, 5000})
    cost_of_a_tick(memory, disk, submissions, sizes);
}

// ---- opening

void opening(const Scratch& scratch, std::uint64_t members, const Sizes& sizes) {
  const std::string path = scratch.path("open" + std::to_string(members));
  { const FullRegistry filled("ranked", path, Durability::none, members); }
  const std::string file = path + "/laurel.mdb";
  const auto facts =
      check_file(file, [](std::string_view, std::string_view) { return Status(Done{}); }, {});
  if (!facts) throw std::runtime_error(std::string(facts.refusal().message()));
  const auto count = static_cast<double>(members);
  std::printf("%.0f members: %.0f MB, %.1f bytes a member, of which %.1f in use\n", count,
              static_cast<double>(facts->file_bytes) * 1e-6,
              static_cast<double>(facts->file_bytes) / count,
              static_cast<double>(facts->pages_used * facts->page_bytes) / count);
  for (const bool cold : {true, false}) {
    Samples check;
    Samples all;
    Samples cpu;
    double kept = 0;
    const auto before_opening = [&] {
      if (cold) kept = std::max(kept, drop_from_memory(file));
      return time_so_far();
    };
    for (std::size_t round = 0; round < sizes.rounds; ++round) {
      const Spent before_check = before_opening();
      const auto store = DurableStore::open({.path = path}, Log([](Level, std::string_view) {}));
      check.add((time_so_far() - before_check).wall);
      if (!store) throw std::runtime_error(std::string(store.refusal().message()));
      (*store)->close();
      const Spent before_all = before_opening();
      const FullRegistry host("ranked", path, Durability::tick, members);
      const Spent spent = time_so_far() - before_all;
      all.add(spent.wall);
      cpu.add(spent.cpu);
    }
    std::printf("  %-10s %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f", cold ? "cold" : "warm",
                all.median(), check.median(), all.median() - check.median(), all.least(),
                all.most(), cpu.median());
    std::printf(kept > 0.01 ? "   %.0f %% was in memory still\n" : "\n", kept * 100);
  }
}

void openings(const Scratch& scratch, const Sizes& sizes) {
  std::printf("\n5. seconds until a registry is open\n");
  std::printf("  %-10s %10s %10s %10s %10s %10s %10s\n", "", "median", "check", "load", "least",
              "most", "cpu");
  for (const std::uint64_t members : {sizes.members, sizes.large}) opening(scratch, members, sizes);
}

void run(const Sizes& sizes, const std::filesystem::path& where) {
  const Scratch scratch(where);
  std::printf("%s, %u cores, load %.1f, %llu members\n", filesystem_of(where).c_str(),
              std::thread::hardware_concurrency(), load_average(),
              static_cast<unsigned long long>(sizes.members));
  if (sizes.has('1')) submissions_a_second(scratch, sizes);
  if (sizes.has('2')) always(scratch, sizes);
  if (sizes.has('3') || sizes.has('4')) {
    FullRegistry memory("ranked", "", Durability::tick, sizes.members);
    FullRegistry disk("ranked", scratch.path("tick"), Durability::tick, sizes.members);
    if (sizes.has('3')) costs_of_a_submission(scratch, memory, disk, sizes);
    if (sizes.has('4')) costs_of_a_tick(memory, disk, sizes);
  }
  if (sizes.has('5')) openings(scratch, sizes);
  std::printf("\nload %.1f at the end\n", load_average());
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  laurel::Sizes sizes;
  std::filesystem::path where = std::filesystem::temp_directory_path();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("--members=")) {
      sizes.members = std::stoull(value);
    } else if (word.starts_with("--large=")) {
      sizes.large = std::stoull(value);
    } else if (word.starts_with("--parts=")) {
      sizes.parts = value;
    } else if (word == "--quick") {
      sizes.members = 100'000;
      sizes.large = 1'000'000;
      sizes.rounds = 3;
      sizes.ticks = 100;
    } else if (word.starts_with("--")) {
      std::fprintf(stderr,
                   "usage: bench_durable [--members=N] [--large=N] [--parts=12345] "
                   "[--quick] [DIRECTORY]\n");
      return 2;
    } else {
      where = word;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    laurel::run(sizes, where);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_durable: %s\n", failure.what());
    return 1;
  }
}
