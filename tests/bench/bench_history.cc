// What a history costs on a disk: two registries, without and with `history = 10`, take turns in
// rounds; a figure is the median of its rounds. 12-byte ids, random players and scores, and
// keep = latest.
//
//   bench_history [--members=N] [--rounds=N] [DIRECTORY]
//
//   submission    nanoseconds of processor time of the game thread, ticks not measured
//   a second      submissions, all of them on the disk at the end, 10,000 a transaction
//   cpu us        of all threads for each of these, in microseconds
//   written       bytes for each of these
//   bytes         of the file for each result, beyond what the board without history takes
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "full_registry.h"
#include "measure.h"

namespace laurel {

namespace {

constexpr std::size_t kHistory = 10;
constexpr std::size_t kBurst = 1'000;
constexpr std::size_t kBursts = 100;
constexpr std::size_t kAtOnce = 10'000;
constexpr std::size_t kTransactions = 20;

struct Candidate {
  const char* name;
  FullRegistry* host;
  Samples submission;
  Samples rate;
  Samples cpu;
  Samples written;
};

void time_submissions(Candidate& each, bool counts) {
  double cpu = 0;
  for (std::size_t burst = 0; burst < kBursts; ++burst) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) each.host->submit_any();
    cpu += (time_so_far() - before).cpu;
    each.host->tick();
  }
  each.host->settle();
  if (counts) each.submission.add(cpu * 1e9 / static_cast<double>(kBurst * kBursts));
}

void time_transactions(Candidate& each, bool counts) {
  const Spent before = spent_so_far();
  for (std::size_t i = 1; i <= kAtOnce * kTransactions; ++i) {
    each.host->submit_any();
    if (i % kAtOnce == 0) each.host->tick_behind();
  }
  each.host->settle();
  const Spent spent = spent_so_far() - before;
  if (!counts) return;
  const auto count = static_cast<double>(kAtOnce * kTransactions);
  each.rate.add(count / spent.wall);
  each.cpu.add(spent.all_cpu * 1e6 / count);
  each.written.add(static_cast<double>(spent.written) / count);
}

void run(const std::filesystem::path& where, std::uint64_t members, std::size_t rounds) {
  const Scratch scratch(where);
  FullRegistry without("ranked", scratch.path("without"), Durability::tick, members);
  FullRegistry with("ranked", scratch.path("with"), Durability::tick, members, kHistory);
  Candidate candidates[] = {{"history = 0", &without, {}, {}, {}, {}},
                            {"history = 10", &with, {}, {}, {}, {}}};
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (Candidate& each : candidates) time_submissions(each, round > 0);
    for (Candidate& each : candidates) time_transactions(each, round > 0);
  }
  std::printf("%llu members, %s, load %.1f\n", static_cast<unsigned long long>(members),
              filesystem_of(where).c_str(), load_average());
  std::printf("%-14s %12s %12s %10s %10s\n", "", "submission", "a second", "cpu us", "written");
  for (const Candidate& each : candidates) {
    std::printf("%-14s %9.0f ns %12.0f %10.2f %10.0f\n", each.name, each.submission.median(),
                each.rate.median(), each.cpu.median(), each.written.median());
  }
  const Candidate& first = candidates[0];
  const Candidate& second = candidates[1];
  std::printf("history: %+.0f ns a submission, %.2f of the rate\n",
              second.submission.median() - first.submission.median(),
              second.rate.median() / first.rate.median());
  const double results =
      static_cast<double>(members + (rounds + 1) * (kBurst * kBursts + kAtOnce * kTransactions));
  const auto size = [&](const char* name) {
    return static_cast<double>(std::filesystem::file_size(scratch.path(name) + "/laurel.mdb"));
  };
  std::printf("bytes: %.0f a result, at most %.0f million results\n",
              (size("with") - size("without")) / results, results * 1e-6);
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  std::uint64_t members = 200'000;
  std::size_t rounds = 5;
  std::filesystem::path where = std::filesystem::temp_directory_path();
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--members=", 10) == 0) {
      members = std::stoull(argv[i] + 10);
    } else if (std::strncmp(argv[i], "--rounds=", 9) == 0) {
      rounds = std::stoull(argv[i] + 9);
    } else {
      where = argv[i];
    }
  }
  laurel::run(where, members, rounds);
}
