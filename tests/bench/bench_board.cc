// The cost of a whole board on each engine: results decided, timestamps assigned, changes counted,
// and reads by rank; players by their id strings, random scores of ten digits, 12-byte ids. The
// argument is the number of members, for a capped board the number of players that tried.
//
//   update          a result that moves its player; on a capped board one that enters
//   batch           one of 16 such results at once
//   top_10          of a board without changes since the last read: from its cached entries
//   miss            a result that does not enter a capped board
//   rank, page_of_10, count_between
//                   of any player or position; near the top on boards that show or count only that
//   bytes_a_member  memory, the store's included

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/counting_clock.h"
#include "board/spec/spec_change.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::uint64_t kScores = 10'000'000'000;  // ten digits
constexpr std::uint64_t kTickSubmissions = 1000;   // a tick of 50 ms, at 20,000 a second

struct Subject {
  const char* engine;
  std::vector<std::pair<std::string_view, FieldValue>> fields;
  std::vector<std::int64_t> sizes;
  std::size_t reach = SIZE_MAX;  // reads go no further from the top

  bool is_capped() const { return std::string_view(engine) == "capped"; }
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"ranked", {{"keep", "latest"}}, {10'000, 1'000'000, 10'000'000}},
      {"capped", {{"keep", "best"}, {"cap", 100.0}}, {10'000, 1'000'000}, 100},
      // It is designed to count keys from the top.
      {"padded", {{"keep", "latest"}}, {10'000, 1'000'000}, 1000},
      {"paged", {{"keep", "latest"}}, {10'000, 1'000'000, 10'000'000}},
      {"sharded", {{"keep", "latest"}, {"shards", 8.0}}, {10'000, 1'000'000}},
      {"rolling", {{"days", 7.0}}, {10'000, 1'000'000}}};
  return all;
}

// A full board. Kept between benchmarks, because filling it takes longer than they do.
struct Full {
  using Bounds = std::uniform_real_distribution<double>;

  Full(const Subject& subject_in, std::int64_t members)
      : subject(subject_in), size(static_cast<std::uint64_t>(members)) {
    SpecChange spec;
    (void)spec.set("engine", subject.engine);
    for (const auto& [field, value] : subject.fields) (void)spec.set(field, value);
    board = registry.get(*registry.open("b", spec));
    for (std::uint64_t i = 0; i < size; ++i) submit(Id(i), any_score());
    if (subject.is_capped()) return;
    for (std::uint64_t i = 0; i < size; ++i) update();  // steady state
  }

  Id any_id() { return Id(random() % size); }
  double any_score() { return static_cast<double>(random() % kScores); }
  void submit(const Id& id, double score) {
    benchmark::DoNotOptimize(board->submit(WriteMode::submit, {.player = id, .score = score}));
    // Stores are written once a tick.
    if (++submissions % kTickSubmissions == 0) registry.tick();
  }
  void update() { submit(any_id(), subject.is_capped() ? ++rising : any_score()); }

  // Records the players near the top, for engines whose reads stay there.
  void look_at_top() {
    near_top.clear();
    bounds = Bounds(0, kScores);
    if (subject.reach == SIZE_MAX) return;
    entries.clear();
    board->read(0, subject.reach, entries);
    for (const Entry& entry : entries) near_top.emplace_back(entry.player);
    bounds = Bounds(entries[entries.size() - 1].score, entries.front().score);
  }
  // A random player to read; valid until the next call.
  std::string_view any_player() {
    if (!near_top.empty()) return near_top[random() % near_top.size()];
    asked = any_id();
    return asked;
  }
  std::size_t any_position() { return random() % std::min(board->size(), subject.reach); }
  double any_bound() { return bounds(random); }

  const Subject& subject;
  std::uint64_t size;
  std::mt19937_64 random{1};
  std::uint64_t submissions = 0;
  double rising = kScores;  // better than all others
  Registry registry{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  Entries entries;
  std::vector<std::string> near_top;
  Bounds bounds;  // of the scores to read
  Id asked{0};
};

Full& full(const Subject& subject, std::int64_t members) {
  static std::unique_ptr<Full> kept;
  if (!kept || &kept->subject != &subject || kept->size != static_cast<std::uint64_t>(members)) {
    kept.reset();
    kept = std::make_unique<Full>(subject, members);
  }
  return *kept;
}

void update(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  for (auto _ : state) kept.update();
  state.counters["bytes_a_member"] =
      static_cast<double>(kept.registry.stats().bytes) / static_cast<double>(kept.board->size());
}

// One result of a batch of 16.
void batch(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  constexpr std::size_t kResults = 16;
  std::vector<Id> ids(kResults, Id(0));
  std::vector<Submission> results(kResults);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kResults; ++i) {
      ids[i] = kept.any_id();
      results[i] = {.player = ids[i], .score = kept.any_score()};
    }
    kept.board->submit_all(results, [](std::size_t, const Refusal&) {});
    if ((kept.submissions += kResults) % kTickSubmissions < kResults) kept.registry.tick();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kResults));
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kResults),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void miss(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  for (auto _ : state) kept.submit(kept.any_id(), -kept.any_score());
}

void rank(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  kept.look_at_top();
  for (auto _ : state) benchmark::DoNotOptimize(kept.board->rank(kept.any_player(), {}));
}

void read_10(Full& kept, std::size_t first) {
  kept.entries.clear();
  kept.board->read(first, 10, kept.entries);
  benchmark::DoNotOptimize(kept.entries.data());
  benchmark::ClobberMemory();
}

void top_10(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  for (auto _ : state) read_10(kept, 0);
}

void page_of_10(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  for (auto _ : state) read_10(kept, kept.any_position());
}

void count_between(benchmark::State& state, const Subject& subject) {
  Full& kept = full(subject, state.range(0));
  kept.look_at_top();
  for (auto _ : state) {
    const auto [low, high] = std::minmax({kept.any_bound(), kept.any_bound()});
    benchmark::DoNotOptimize(kept.board->count({low, high}));
  }
}

using Run = void (*)(benchmark::State& state, const Subject& subject);

// Registers a name such as update/ranked/10000.
void add(const char* what, Run run, const Subject& subject, std::int64_t members) {
  const std::string name = std::string(what) + "/" + subject.engine;
  benchmark::RegisterBenchmark(name.c_str(), [run, &subject](benchmark::State& state) {
    run(state, subject);
  })->Arg(members);
}

// Ordered by board, so that each board is filled once for all of its benchmarks.
[[maybe_unused]] const bool kRegistered = [] {
  for (const Subject& subject : subjects()) {
    for (const std::int64_t members : subject.sizes) {
      add("update", update, subject, members);
      add("batch", batch, subject, members);
      if (subject.is_capped()) add("miss", miss, subject, members);
      add("rank", rank, subject, members);
      add("top_10", top_10, subject, members);
      add("page_of_10", page_of_10, subject, members);
      add("count_between", count_between, subject, members);
    }
  }
  return true;
}();

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
