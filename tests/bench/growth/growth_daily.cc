#include "growth_daily.h"

#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "bench/measure.h"

namespace laurel {

namespace {

constexpr std::uint64_t kCalls = 200'000;
constexpr std::uint64_t kTickSubmissions = 1000;

class Days {
 public:
  Days(std::uint64_t boards, std::uint64_t members, std::uint64_t players)
      : boards_(boards), members_(members), players_(players) {
    Board& all_time = growth_board(registry_, "all time", {});
    for (std::uint64_t i = 0; i < players; ++i) submit(all_time, i);
    for (std::uint64_t day = 0; day < boards; ++day) names_.push_back(fmt::format("day {}", day));
    handles_.reserve(boards);
  }

  std::size_t bytes() const { return registry_.stats().bytes; }
  std::uint64_t entries() const { return boards_ * members_; }

  void fill() {
    handles_.clear();
    for (std::uint64_t day = 0; day < boards_; ++day) {
      growth_board(registry_, names_[day], {});
      handles_.push_back(*registry_.find(names_[day]));
      for (std::uint64_t i = 0; i < members_; ++i) submit(board(day), player(day, i));
    }
  }
  void update() {
    const std::uint64_t day = random_() % boards_;
    submit(board(day), player(day, random_() % members_));
  }
  void rank() {
    const std::uint64_t day = random_() % boards_;
    benchmark::DoNotOptimize(board(day).rank(Id(player(day, random_() % members_)), {}));
  }
  void drop(SingleCalls& drops, SingleCalls& ticks) {
    for (const std::string& name : names_) {
      drops.time([&] { benchmark::DoNotOptimize(registry_.drop(name)); });
    }
    while (registry_.stats().reclaiming > 0) ticks.time([&] { registry_.tick(); });
  }

 private:
  Board& board(std::uint64_t day) { return *registry_.get(handles_[day]); }
  // A different set of players each day, spread over all players.
  std::uint64_t player(std::uint64_t day, std::uint64_t i) const {
    return (day * 7919 + i * (players_ / members_)) % players_;
  }
  void submit(Board& board, std::uint64_t player) {
    benchmark::DoNotOptimize(board.submit(
        WriteMode::submit,
        {.player = Id(player), .score = static_cast<double>(random_() % 10'000'000'000)}));
    if (++submissions_ % kTickSubmissions == 0) registry_.tick();
  }

  std::uint64_t boards_;
  std::uint64_t members_;
  std::uint64_t players_;
  std::mt19937_64 random_{1};
  std::uint64_t submissions_ = 0;
  Registry registry_{growth_registry()};
  std::vector<std::string> names_;
  std::vector<BoardHandle> handles_;
};

template <typename Work>
double ns_each(std::uint64_t count, const Work& work) {
  const double before = time_so_far().wall;
  work();
  return (time_so_far().wall - before) * 1e9 / static_cast<double>(count);
}

}  // namespace

DailyCosts daily_costs(std::uint64_t boards, std::uint64_t members, std::uint64_t players) {
  Days days(boards, members, players);
  {
    SingleCalls ignored;
    days.fill();  // once, so that memory kept for reuse exists
    days.drop(ignored, ignored);
  }
  SingleCalls drops;
  SingleCalls ticks;
  drops.reserve(boards);
  ticks.reserve(days.entries() / kReclaimRowsPerTick + 1);
  DailyCosts costs;
  const std::size_t bytes_before = days.bytes();
  costs.before = allocated_so_far();
  costs.fill = ns_each(days.entries(), [&] { days.fill(); });
  costs.full = allocated_so_far();
  costs.bytes_an_entry =
      static_cast<double>(days.bytes() - bytes_before) / static_cast<double>(days.entries());
  costs.update = ns_each(kCalls, [&] {
    for (std::uint64_t i = 0; i < kCalls; ++i) days.update();
  });
  costs.rank = ns_each(kCalls, [&] {
    for (std::uint64_t i = 0; i < kCalls; ++i) days.rank();
  });
  costs.drop = ns_each(days.entries(), [&] { days.drop(drops, ticks); });
  costs.after = allocated_so_far();
  costs.single_drop = drops.worst();
  costs.single_tick = ticks.worst();
  return costs;
}

}  // namespace laurel
