#include "growth_costs.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <span>

#include <benchmark/benchmark.h>

#include "bench/measure.h"
#include "bench/pointer_chase.h"

namespace laurel {

namespace {

constexpr std::uint64_t kBlocks = 31;
constexpr std::uint64_t kBlockCalls = 10'000;
constexpr std::uint64_t kInsertsMin = 60'000;  // small boards are grown again until this many
constexpr std::uint64_t kSingleUpdates = 1'000'000;

using Boards = std::vector<std::unique_ptr<GrowingBoard>>;

// Blocks of the same call, made on several boards in turn.
class Blocks {
 public:
  explicit Blocks(std::size_t boards) : ns_(boards) {}

  template <typename Call>
  void add(const Boards& boards, std::uint64_t calls, const Call& call) {
    for (std::size_t i = 0; i < boards.size(); ++i) {
      GrowingBoard& board = *boards[i];
      const double before = time_so_far().wall;
      for (std::uint64_t k = 0; k < calls; ++k) call(board);
      ns_[i].push_back((time_so_far().wall - before) * 1e9 / static_cast<double>(calls));
    }
  }
  double median(std::size_t board) const {
    Samples samples;
    for (const double ns : ns_[board]) samples.add(ns);
    return samples.median();
  }
  // The speed of a board relative to the first.
  double speed(std::size_t board) const {
    Samples ratios;
    for (std::size_t i = 0; i < ns_[board].size(); ++i) ratios.add(ns_[0][i] / ns_[board][i]);
    return ratios.median();
  }

 private:
  std::vector<std::vector<double>> ns_;  // by board
};

Boards empty_boards(std::span<const Pattern> patterns) {
  Boards boards;
  for (const Pattern& pattern : patterns) boards.push_back(std::make_unique<GrowingBoard>(pattern));
  return boards;
}

constexpr auto insert = [](GrowingBoard& board) { board.insert(); };

// The last two thirds of the members are added in measured blocks.
void grow(const Boards& boards, std::uint64_t members, Blocks& blocks) {
  for (const auto& board : boards) {
    while (board->size() < members / 3) board->insert();
  }
  const std::uint64_t block = std::clamp<std::uint64_t>(members / 3, 1, kBlockCalls);
  while (boards.front()->size() + block <= members) blocks.add(boards, block, insert);
  for (const auto& board : boards) {
    while (board->size() < members) board->insert();
  }
}

std::uint64_t boards_of(std::uint64_t members) { return 1 + kInsertsMin / members; }

std::vector<GrowthCosts> costs_of(std::span<const Pattern> patterns, std::uint64_t members) {
  std::vector<Blocks> blocks(kGrowthCalls, Blocks(patterns.size()));
  Boards boards;
  for (std::uint64_t i = 0; i < boards_of(members); ++i) {
    boards = empty_boards(patterns);
    grow(boards, members, blocks[kInsert]);
  }
  for (const auto& board : boards) {
    for (std::uint64_t i = 0; i < members; ++i) board->update();  // steady state
  }
  const auto measure = [&](GrowthCall call, auto run) {
    for (std::uint64_t i = 0; i < kBlocks; ++i) blocks[call].add(boards, kBlockCalls, run);
  };
  measure(kUpdate, [](GrowingBoard& board) { board.update(); });
  measure(kRank, [](GrowingBoard& board) { board.rank(); });
  measure(kTop10, [](GrowingBoard& board) { board.top_10(); });
  measure(kPageOf10, [](GrowingBoard& board) { board.page_of_10(); });
  measure(kCount, [](GrowingBoard& board) { board.count(); });

  std::vector<GrowthCosts> all(patterns.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t call = 0; call < kGrowthCalls; ++call) {
      all[i].ns[call] = blocks[call].median(i);
      all[i].speed[call] = blocks[call].speed(i);
    }
    all[i].bytes_a_member = boards[i]->bytes_a_member();
  }
  return all;
}

}  // namespace

GrowthCosts growth_costs(std::uint64_t members) {
  const std::array<Pattern, 1> uniform;
  return costs_of(uniform, members).front();
}

GrowthComparison compare_growth(const Pattern& pattern, std::uint64_t members) {
  const std::array<Pattern, 2> both = {Pattern{}, pattern};
  const std::vector<GrowthCosts> costs = costs_of(both, members);
  return {.uniform = costs[0], .pattern = costs[1]};
}

SingleCalls::SingleCalls() {
  for (int i = 0; i < 10'001; ++i) time([] {});
  const auto middle = ns_.begin() + static_cast<std::ptrdiff_t>(ns_.size() / 2);
  std::nth_element(ns_.begin(), middle, ns_.end());
  reading_ = *middle;
  ns_.clear();
}

std::int64_t SingleCalls::now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

WorstCalls SingleCalls::worst() const {
  if (ns_.empty()) return {};
  std::vector<std::int64_t> ns = ns_;
  const auto at = ns.begin() + static_cast<std::ptrdiff_t>((ns.size() - 1) * 999 / 1000);
  std::nth_element(ns.begin(), at, ns.end());
  return {.p999 = static_cast<double>(*at) / 1e3,
          .most = static_cast<double>(*std::max_element(at, ns.end())) / 1e3};
}

GrowthWorst growth_worst(std::uint64_t members) {
  const double begin = time_so_far().wall;
  SingleCalls inserts;
  SingleCalls updates;
  for (std::uint64_t i = 0; i < boards_of(members); ++i) {
    GrowingBoard board({});
    while (board.size() < members) inserts.time([&] { board.insert(); });
    for (std::uint64_t k = 0; k < kSingleUpdates / boards_of(members); ++k) {
      updates.time([&] { board.update(); });
    }
  }
  const double seconds = time_so_far().wall - begin;
  return {.insert = inserts.worst(), .update = updates.worst(), .idle = longest_gap(seconds) * 1e6};
}

double load_ns(std::uint64_t members, double bytes_a_member) {
  constexpr std::size_t kRounds = 33'000;
  constexpr double kIndexBytes = 8.4;    // a player in the index of ids
  constexpr double kPlayerBytes = 20.0;  // the record, with the reference to the row
  std::array<std::size_t, 3> regions;
  const std::array bytes = {kIndexBytes, kPlayerBytes, bytes_a_member - kIndexBytes - kPlayerBytes};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i] = static_cast<std::size_t>(bytes[i] * static_cast<double>(members));
  }
  PointerChase memory(regions);
  Samples blocks;
  for (std::uint64_t block = 0; block < kBlocks; ++block) blocks.add(memory.run(kRounds));
  return blocks.median();
}

}  // namespace laurel
