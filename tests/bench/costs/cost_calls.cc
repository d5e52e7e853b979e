#include "bench/costs/cost_calls.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/measure.h"
#include "board/standings/entry_cursor.h"

namespace laurel {

namespace {

constexpr std::size_t kPage = 10;
constexpr std::size_t kFriends = 20;
constexpr std::uint64_t kStepsMax = 1'000'000;

template <typename Answer>
void use(const Answer& answer) {
  benchmark::DoNotOptimize(&answer);
  benchmark::ClobberMemory();
}

template <typename Answer>
void must(const Answer& answer) {
  if (!answer) throw std::runtime_error(std::string(answer.refusal().message()));
}

// A list that keeps its memory between calls, as a caller's does.
Entries& cleared() {
  static Entries entries;
  entries.clear();
  return entries;
}

void read(CostBoard& costs, std::size_t first) {
  Entries& page = cleared();
  costs.board().read(first, kPage, page);
  use(page);
}

void read_top(CostBoard& costs) { read(costs, 0); }
void read_page(CostBoard& costs) { read(costs, costs.any_position()); }
void read_around(CostBoard& costs) {
  Entries& page = cleared();
  costs.board().around(costs.any_ranked(), kPage / 2, page);
  use(page);
}
void read_friends(CostBoard& costs) {
  static std::array<std::string, kFriends> ids;
  static std::array<std::string_view, kFriends> views;
  for (std::size_t i = 0; i < kFriends; ++i) views[i] = ids[i] = costs.any_ranked();
  Entries& friends = cleared();
  costs.board().among(views, friends);
  use(friends);
}
void read_around_score(CostBoard& costs) {
  Entries& page = cleared();
  must(costs.board().around_score(costs.any_held_score(), kPage / 2, page));
  use(page);
}
void count_range(CostBoard& costs) {
  const auto [low, high] = std::minmax({costs.any_held_score(), costs.any_held_score()});
  use(costs.board().count({low, high}));
}
void remove_and_submit(CostBoard& costs) {
  const std::uint64_t number = costs.any_number();
  must(costs.board().remove(Id(number)));
  costs.submit(number);
}
void ban_and_unban(CostBoard& costs) {
  const Id player(costs.any_number());
  must(costs.board().ban(player));
  must(costs.board().unban(player));
}

bool all(const Spec&) { return true; }
bool takes_submissions(const Spec& spec) { return !is_derived(spec); }
bool bans(const Spec& spec) { return !is_derived(spec) && spec.engine != EngineKind::capped; }

}  // namespace

std::span<const CostCall> cost_calls() {
  static constexpr std::array kAll = {
      CostCall{"submit", [](CostBoard& costs) { costs.submit_any(); }, all},
      CostCall{"remove, submit", remove_and_submit, takes_submissions},
      CostCall{"ban, unban", ban_and_unban, bans},
      CostCall{"score", [](CostBoard& costs) { use(costs.board().score(costs.any_ranked())); },
               all},
      CostCall{"rank", [](CostBoard& costs) { use(costs.board().rank(costs.any_ranked(), {})); },
               all},
      CostCall{"percentile",
               [](CostBoard& costs) { use(costs.board().percentile(costs.any_ranked())); }, all},
      CostCall{"top(10), same", read_top, all},
      CostCall{"page of 10", read_page, all},
      CostCall{"around(player, 5)", read_around, all},
      CostCall{"around_score(5)", read_around_score, all},
      CostCall{"among 20", read_friends, all},
      CostCall{"rank_of",
               [](CostBoard& costs) { use(costs.board().rank_of(costs.any_held_score())); }, all},
      CostCall{"score_at",
               [](CostBoard& costs) { use(costs.board().score_at(costs.any_position())); }, all},
      CostCall{"count", count_range, all}};
  return kAll;
}

// Counts keys from the top on a padded board (padded_engine.h); a capped board has a fixed size.
std::string_view growth_order(const Spec& spec, std::string_view call) {
  constexpr std::array<std::string_view, 9> kCounting = {
      "rank",    "percentile", "page of 10", "around(player, 5)", "around_score(5)", "among 20",
      "rank_of", "score_at",   "count"};
  if (call == "top(10), same" || spec.engine == EngineKind::capped) return "1";
  return keys_are_padded(spec) && std::ranges::find(kCounting, call) != kCounting.end() ? "n"
                                                                                        : "log n";
}

double each_step_ns(CostBoard& costs) {
  EntryCursor cursor(costs.board(), 0);
  const double before = time_so_far().cpu;
  std::uint64_t steps = 0;
  for (Entries& next = cleared(); steps < kStepsMax; ++steps) {
    next.clear();
    must(cursor.next(next));
    if (next.empty()) break;
  }
  return (time_so_far().cpu - before) * 1e9 /
         static_cast<double>(std::max<std::uint64_t>(steps, 1));
}

}  // namespace laurel
