// The benefit of a second thread: batches of 64 results on whole boards of a million players, by
// one thread on one order and on shards, and by two threads at once on shards. 12-byte ids,
// random players and scores. `reads` is the cost of shards: the entries that a top 10 fetches.

#include <memory>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "board/spec/spec_change.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::uint32_t kMembers = 1'000'000;
constexpr std::size_t kBatchResults = 64;

// The batches of one thread; each is valid until the next.
class Results {
 public:
  explicit Results(std::uint64_t seed) : random_(seed) { ids_.reserve(kBatchResults); }

  const std::vector<Submission>& of_any() {
    return make([this] { return random_() % kMembers; });
  }
  const std::vector<Submission>& of_members_from(std::uint64_t first) {
    return make([&first] { return first++ % kMembers; });
  }

 private:
  template <typename NextMember>
  const std::vector<Submission>& make(NextMember next_member) {
    ids_.clear();
    submissions_.clear();
    for (std::size_t i = 0; i < kBatchResults; ++i) {
      const Id& id = ids_.emplace_back(next_member());
      submissions_.push_back({.player = id, .score = static_cast<double>(random_() >> 11)});
    }
    return submissions_;
  }

  std::mt19937_64 random_;
  std::vector<Id> ids_;
  std::vector<Submission> submissions_;
};

void no_refusal(std::size_t, const Refusal&) {}

// A full board; 0 shards means one order. Kept between benchmarks, because filling it takes longer
// than they do.
struct Full {
  explicit Full(std::int64_t shards_in) : shards(shards_in) {
    SpecChange spec;
    (void)spec.set("keep", "latest");  // so that every submission moves its player
    if (shards > 0) {
      (void)spec.set("engine", "sharded");
      (void)spec.set("shards", static_cast<double>(shards));
    }
    board = registry.get(*registry.open("b", spec));
    Results results(1);
    for (std::uint64_t i = 0; i < kMembers; i += kBatchResults) {
      board->submit_all(results.of_members_from(i), no_refusal);
    }
  }

  std::uint64_t reads_of_top_10() const {
    const std::uint64_t before = registry.stats().reads.entries;
    Entries entries;
    board->read(0, 10, entries);
    return registry.stats().reads.entries - before;
  }

  std::int64_t shards;
  Registry registry{{.secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
};

Full& full(std::int64_t shards) {
  static std::unique_ptr<Full> kept;
  if (!kept || kept->shards != shards) {
    kept.reset();
    kept = std::make_unique<Full>(shards);
  }
  return *kept;
}

// The first thread fills the board before any of them starts.
void submit_all(benchmark::State& state) {
  static Board* board = nullptr;
  if (state.thread_index() == 0) board = full(state.range(0)).board;
  Results results(static_cast<std::uint64_t>(state.thread_index()) + 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(board->submit_all(results.of_any(), no_refusal));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatchResults));
  if (state.thread_index() == 0) {
    state.counters["reads"] = static_cast<double>(full(state.range(0)).reads_of_top_10());
  }
}

}  // namespace

}  // namespace laurel

// Registered board by board, so that each is filled once.
int main(int argc, char** argv) {
  using namespace laurel;
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("submit_all/ranked", submit_all)->Arg(0)->UseRealTime();
  for (const std::int64_t shards : {1, 2, 4, 16, 64}) {
    for (const int threads : {1, 2}) {
      benchmark::RegisterBenchmark("submit_all/sharded", submit_all)
          ->Arg(shards)
          ->Threads(threads)
          ->UseRealTime();
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
