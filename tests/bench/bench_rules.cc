// What a board rule costs per submission, from the board's side: with players that Lua has not seen
// just before, as they come in a match.

#include <array>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bindings/lua_rule.h"

namespace laurel {

namespace {

void judge(benchmark::State& state, const char* text, bool held) {
  LuaRule rule;
  if (const auto problem = rule.load(text, "rules/bench.lua")) {
    state.SkipWithError(problem->c_str());
    return;
  }
  std::array<std::string, 256> players;
  for (std::size_t i = 0; i < players.size(); ++i) players[i] = fmt::format("player_{:05}", i);
  std::size_t i = 0;
  for (auto _ : state) {
    RuleCase the_case{.board = "season_3",
                      .player = players[i++ % players.size()],
                      .score = 42,
                      .data = {},
                      .at = 1'700'000'000 * kSecond,
                      .held = {}};
    if (held) the_case.held = Held{.score = 41, .at = 1'600'000'000 * kSecond, .data = {}};
    benchmark::DoNotOptimize(rule.judge(the_case));
  }
}

BENCHMARK_CAPTURE(judge, a_rule_without_functions, "return {}", false);
BENCHMARK_CAPTURE(judge, accept, "return { accept = function(s) return s.score < 1e6 end }", false);
BENCHMARK_CAPTURE(judge, accept_with_held,
                  "return { accept = function(s) return s.score < 1e6 end }", true);
BENCHMARK_CAPTURE(judge, score_with_held,
                  "return { score = function(old, new) return math.max(old or new, new) end }",
                  true);
BENCHMARK_CAPTURE(judge, accept_and_score_with_held,
                  "return { accept = function(s) return s.score < 1e6 end,"
                  " score = function(old, new) return math.max(old or new, new) end }",
                  true);
BENCHMARK_CAPTURE(judge, a_budget_spent, "return { accept = function() while true do end end }",
                  false);

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
