// What a ranked board in memory pays for what it keeps of results: boards without and with take
// turns in short rounds, in registries of their own; a figure is the median of its rounds, and that
// of the differences to the board without in the same round. Every submission moves its player.
//
//   bench_results [--members=N] [--rounds=N] [--only=NAME]
//
//   --only      one board without the others, for a profiler
//   nothing     a board that keeps nothing of results; the id of each is read, and not given
//   attempts    with `attempts`
//   ids         with a new id, on a board that remembers a million of them: one goes for each that
//               comes
//   repeats     with ids that were accepted before
//   history     with `history = 10`
//   check       hash and has() of new ids among a million, without a board; what is above `hash`
//               is the lookup
//   hash        of the same ids
//   add         of an id, and one goes
//   line        a line of memory as large as a million ids, which the one before has told: what a
//               cache miss costs that nothing hides
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/counting_clock.h"
#include "board/results/accepted_ids.h"
#include "board/spec/spec_change.h"
#include "measure.h"
#include "members.h"
#include "pointer_chase.h"
#include "registry/registry.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

constexpr std::size_t kBurst = 4'000;  // ids that are made before each measurement

std::string name(std::uint64_t number) { return "match " + std::to_string(number) + "/player"; }

// What is used, so that the compiler does not leave it out.
volatile unsigned used = 0;

struct Candidate {
  Candidate(const char* heading, std::uint64_t members, const char* field, bool with_ids)
      : title(heading), size(members), gives_ids(with_ids), repeats(title == "repeats") {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    if (field != nullptr) (void)spec.set(field, std::strcmp(field, "history") == 0 ? 10.0 : 1e15);
    board = registry.get(*registry.open("b", spec));
    for (std::uint64_t i = 0; i < size; ++i) submit({});
    for (std::uint64_t i = 0; with_ids && i < kResultIdsMax; ++i) submit(name(i));
  }

  void submit(std::optional<std::string_view> id) {
    const Id player(random() % size);
    const auto outcome = board->submit(
        WriteMode::submit,
        {.player = player, .score = static_cast<double>(random() % 10'000'000'000), .id = id});
    used = used + (outcome ? 1U : 0U);
  }
  void run(bool counts) {
    for (std::string& each : names) each = name(repeats ? random() % size : kResultIdsMax + made++);
    const Spent before = time_so_far();
    for (const std::string& each : names) {
      if (gives_ids) {
        submit(each);
      } else {
        used = used + static_cast<unsigned>(each.front() + each.back());
        submit({});
      }
    }
    last = (time_so_far() - before).cpu * 1e9 / kBurst;
    if (counts) cost.add(last);
  }

  std::string_view title;
  std::uint64_t size;
  bool gives_ids;
  bool repeats;
  std::mt19937_64 random{1};
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  std::uint64_t made = 0;
  std::vector<std::string> names{kBurst};
  double last = 0;  // of the last round
  Samples cost;
  Samples more;  // than the first candidate
};

void run_boards(std::uint64_t members, std::size_t rounds, std::string_view only) {
  std::vector<std::unique_ptr<Candidate>> all;
  const auto add = [&](const char* title, const char* field, bool with_ids) {
    if (only.empty() || only == title) {
      all.push_back(std::make_unique<Candidate>(title, members, field, with_ids));
    }
  };
  add("nothing", nullptr, false);
  add("attempts", "attempts", false);
  add("ids", nullptr, true);
  add("repeats", nullptr, true);
  add("history", "history", false);
  if (all.empty()) return;
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (const auto& each : all) each->run(round > 0);
    if (round == 0) continue;
    for (const auto& each : all) each->more.add(each->last - all.front()->last);
  }
  for (const auto& each : all) {
    std::printf("%-10.*s %6.0f ns  %+5.0f ns\n", static_cast<int>(each->title.size()),
                each->title.data(), each->cost.median(), each->more.median());
  }
}

void run_ids(std::size_t rounds) {
  const std::unique_ptr<Store> store = make_memory_store();
  Players players{HashSecret::fixed(1)};
  SpaceNumber last_space = 10;
  EngineReads reads;
  AcceptedIds kept{EngineContext{players, *store, last_space, reads}, Space(*store, 3)};
  for (std::uint64_t i = 0; i < kResultIdsMax; ++i) kept.add(kept.hash(name(i)), 0);
  std::uint64_t made = kResultIdsMax;
  std::vector<std::string> names(kBurst);
  std::vector<IdHash> hashes(kBurst);
  Samples hash;
  Samples check;
  Samples add;
  Samples line;
  const std::array regions{kept.bytes()};
  PointerChase chase(regions);
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::string& each : names) each = name(made++);
    const Spent begin = time_so_far();
    for (std::size_t i = 0; i < kBurst; ++i) hashes[i] = kept.hash(names[i]);
    const Spent hashed = time_so_far();
    for (const std::string& each : names) used = used + (kept.has(kept.hash(each), 1) ? 1U : 0U);
    const Spent checked = time_so_far();
    for (const IdHash& each : hashes) kept.add(each, 1);
    const Spent added = time_so_far();
    const double loaded = chase.run(kBurst);
    if (round == 0) continue;
    line.add(loaded);
    hash.add((hashed - begin).cpu * 1e9 / kBurst);
    check.add((checked - hashed).cpu * 1e9 / kBurst);
    add.add((added - checked).cpu * 1e9 / kBurst);
  }
  std::printf(
      "a million ids: hash %.0f ns, check %.0f ns, add %.0f ns, line %.0f ns, %.1f bytes each\n",
      hash.median(), check.median(), add.median(), line.median(),
      static_cast<double>(kept.bytes()) / static_cast<double>(kept.size()));
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  std::uint64_t members = 1'000'000;
  std::size_t rounds = 151;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--members=", 10) == 0) {
      members = std::stoull(argv[i] + 10);
    } else if (std::strncmp(argv[i], "--rounds=", 9) == 0) {
      rounds = std::stoull(argv[i] + 9);
    } else if (std::strncmp(argv[i], "--only=", 7) == 0) {
      only = argv[i] + 7;
    }
  }
  std::printf("%llu members, load %.1f\n", static_cast<unsigned long long>(members),
              laurel::load_average());
  laurel::run_boards(members, rounds, only);
  if (only.empty()) laurel::run_ids(rounds);
}
