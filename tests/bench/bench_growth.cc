// The cost of a finished board as it grows, and with different patterns of play:
//
//   growth     every call from 100 members to many, and the worst single ones
//   patterns   the same for boards with other play than random scores of random players: the speed
//              relative to the uniform case of the same size
//   daily      thousands of small boards, created, filled and dropped, compared with one large one
//
//   bench_growth [--quick | --all] [growth | patterns | daily]
//
// --quick ends at a million members, --all at thirty million. Boards are `ranked`, keep = latest;
// ids have 12 bytes unless a pattern says otherwise. The program prints MISSED and fails if
//
//   a step from one size to the next, three times as large, costs more than twice, by more than
//   150 ns, and more than the memory's own step
//
//   a single call takes more than a millisecond, also when the same growth is repeated
//
//   a pattern has less than half of the uniform case's speed
//
//   dropped boards do not return their memory

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/growth/growth_costs.h"
#include "bench/growth/growth_daily.h"

namespace laurel {

namespace {

constexpr double kSpeedMin = 0.5;      // relative to the uniform case
constexpr double kStepMax = 2;         // from one size to the next
constexpr double kStepSmall = 150;     // ns: a small board's array becomes a tree
constexpr double kWorstCallMax = 1e3;  // microseconds
constexpr std::uint64_t kMillion = 1'000'000;

struct Range {
  std::uint64_t members_max = 10 * kMillion;
  std::vector<std::uint64_t> pattern_members = {100, 10'000, kMillion};
};

int missed = 0;

const char* judged(bool met) {
  missed += met ? 0 : 1;
  return met ? "met" : "MISSED";
}

// ---- growth

std::vector<std::uint64_t> sizes_up_to(std::uint64_t members_max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t decade = 100; decade <= members_max; decade *= 10) {
    sizes.push_back(decade);
    if (decade * 3 <= members_max) sizes.push_back(decade * 3);
  }
  return sizes;
}

void print_heads(const char* first) {
  fmt::print("{:<34}", first);
  for (const char* name : kGrowthCallNames) fmt::print("{:>8}", name);
  fmt::print("   bytes");
}

void print_costs(std::string_view first, const GrowthCosts& costs) {
  fmt::print("{:<34}", first);
  for (const double ns : costs.ns) fmt::print("{:>8.0f}", ns);
  fmt::print("{:>8.1f}", costs.bytes_a_member);
}

struct Size {
  std::uint64_t members;
  GrowthCosts costs;
  double load;  // latency of memory with regions of the board's sizes
};

// The cost of a step to this size over the maximum allowed: above 1 the step is too large.
double cliff(const std::vector<Size>& sizes, std::size_t at, std::size_t call) {
  const double from = sizes[at - 1].costs.ns[call];
  const double allowed =
      std::max(from * std::max(kStepMax, sizes[at].load / sizes[at - 1].load), from + kStepSmall);
  return sizes[at].costs.ns[call] / allowed;
}

void judge_steps(const std::vector<Size>& sizes) {
  for (std::size_t call = 0; call < kGrowthCalls; ++call) {
    std::size_t at = 1;
    for (std::size_t i = 2; i < sizes.size(); ++i) {
      if (cliff(sizes, i, call) > cliff(sizes, at, call)) at = i;
    }
    const Size& before = sizes[at - 1];
    const Size& after = sizes[at];
    fmt::print("steepest step of {:<6} x {:.2f}, from {} to {} members; of memory x {:.2f}: {}\n",
               kGrowthCallNames[call], after.costs.ns[call] / before.costs.ns[call], before.members,
               after.members, after.load / before.load, judged(cliff(sizes, at, call) <= 1));
  }
}

double most_of(const GrowthWorst& worst) { return std::max(worst.insert.most, worst.update.most); }

// A slow call of the library is slow again in the same growth; a slow call of the system rarely is.
GrowthWorst confirmed_worst(std::uint64_t members) {
  const GrowthWorst worst = growth_worst(members);
  if (most_of(worst) <= kWorstCallMax) return worst;
  const GrowthWorst again = growth_worst(members);
  return most_of(again) < most_of(worst) ? again : worst;
}

void growth(const Range& range) {
  fmt::print("\nnanoseconds a call, bytes a member; worst single calls in microseconds of CPU\n");
  print_heads("members");
  fmt::print("    load{:>20}{:>20}{:>7}\n", "insert p99.9    max", "update p99.9    max", "idle");
  std::vector<Size> sizes;
  double worst_call = 0;
  for (const std::uint64_t members : sizes_up_to(range.members_max)) {
    const GrowthCosts costs = growth_costs(members);
    const double load = load_ns(members, costs.bytes_a_member);
    const GrowthWorst worst = confirmed_worst(members);
    print_costs(fmt::format("{}", members), costs);
    fmt::print("{:>8.1f}{:>13.1f}{:>7.0f}{:>13.1f}{:>7.0f}{:>7.0f}\n", load, worst.insert.p999,
               worst.insert.most, worst.update.p999, worst.update.most, worst.idle);
    std::fflush(stdout);
    sizes.push_back({members, costs, load});
    worst_call = std::max(worst_call, most_of(worst));
  }
  judge_steps(sizes);
  fmt::print("worst single call {:.0f} us: {}\n", worst_call, judged(worst_call <= kWorstCallMax));
}

// ---- patterns

const std::vector<Pattern>& all_patterns() {
  using Scores = Pattern::Scores;
  static const std::vector<Pattern> all = {
      {.name = "hot set: 9 of 10 results of 1 %", .hot_in = 100},
      {.name = "heavy ties: 1,000 scores", .distinct = 1000},
      {.name = "heavy ties: 10 scores", .distinct = 10},
      {.name = "heavy ties, latest first", .distinct = 10, .ties = "latest"},
      {.name = "heavy ties, by player", .distinct = 1000, .ties = "player"},
      {.name = "ascending: each beats all", .scores = Scores::rising},
      {.name = "descending: each is the last", .scores = Scores::falling},
      {.name = "sums that rise by 1 to 10", .scores = Scores::steps, .distinct = 10, .keep = "sum"},
      {.name = "sums that rise, 1 to 1,000,000",
       .scores = Scores::steps,
       .distinct = kMillion,
       .keep = "sum"},
      {.name = "ids of 24 bytes, half in common", .id_bytes = 24},
      {.name = "ids of 64 bytes, 52 in common", .id_bytes = 64},
      {.name = "ids of 255 bytes, 243 in common", .id_bytes = 255}};
  return all;
}

void print_speeds(const Pattern& pattern, const GrowthCosts& costs) {
  print_costs(pattern.name, costs);
  for (const double speed : costs.speed) fmt::print("{:>7.2f}", speed);
  const double least = *std::min_element(costs.speed.begin(), costs.speed.end());
  fmt::print("   {}\n", judged(least >= kSpeedMin));
  std::fflush(stdout);
}

void patterns(const Range& range) {
  for (const std::uint64_t members : range.pattern_members) {
    fmt::print("\n{} members: nanoseconds a call, and the speed of each against uniform\n",
               members);
    print_heads("pattern");
    fmt::print("\n");
    print_costs("uniform", growth_costs(members));
    fmt::print("\n");
    for (const Pattern& pattern : all_patterns()) {
      print_speeds(pattern, compare_growth(pattern, members).pattern);
    }
  }
}

// ---- daily boards

void print_daily(std::string_view what, const DailyCosts& costs) {
  const auto megabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  fmt::print(
      "{:<34}{:>8.0f}{:>8.0f}{:>8.0f}{:>8.0f}{:>8.1f}{:>8.0f}{:>8.0f}   {:.2f} {:.2f} {:.2f}\n",
      what, costs.fill, costs.update, costs.rank, costs.drop, costs.bytes_an_entry,
      costs.single_drop.most, costs.single_tick.most, megabytes(costs.before),
      megabytes(costs.full), megabytes(costs.after));
}

void daily(const Range& range) {
  const std::uint64_t entries = range.members_max >= 10 * kMillion ? kMillion : kMillion / 5;
  fmt::print(
      "\n{} entries, each of another player: nanoseconds an entry or call, the longest drop and\n"
      "tick in microseconds, megabytes from the allocator before, full, and after\n",
      entries);
  fmt::print("{:<34}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "boards", "fill", "update", "rank",
             "drop", "bytes", "drop", "tick");
  const DailyCosts one = daily_costs(1, entries, entries);
  print_daily("one board of all", one);
  for (const std::uint64_t members : {100, 300, 1000}) {
    const DailyCosts many = daily_costs(entries / members, members, entries);
    print_daily(fmt::format("{} boards of {}", entries / members, members), many);
    const double speed = std::min({one.fill / many.fill, one.update / many.update,
                                   one.rank / many.rank, one.drop / many.drop});
    const double back =
        static_cast<double>(many.full - many.after) / static_cast<double>(many.full - many.before);
    fmt::print("    x {:.2f}: {}; {:.2f} % of the bytes came back: {}\n", speed,
               judged(speed >= kSpeedMin), back * 100, judged(back > 0.99));
    std::fflush(stdout);
  }
}

int run(int count, char** words) {
  Range range;
  std::string part;
  for (const std::string_view word : std::vector<std::string_view>(words + 1, words + count)) {
    if (word == "--quick") {
      range = {.members_max = kMillion, .pattern_members = {100, 100'000}};
    } else if (word == "--all") {
      range = {.members_max = 30 * kMillion, .pattern_members = {100, 10'000, 10 * kMillion}};
    } else if (word == "growth" || word == "patterns" || word == "daily") {
      part = word;
    } else {
      fmt::print(stderr, "bench_growth [--quick | --all] [growth | patterns | daily]\n");
      return 2;
    }
  }
  if (part.empty() || part == "growth") growth(range);
  if (part.empty() || part == "patterns") patterns(range);
  if (part.empty() || part == "daily") daily(range);
  return missed > 0 ? 1 : 0;
}

}  // namespace

}  // namespace laurel

int main(int count, char** words) { return laurel::run(count, words); }
