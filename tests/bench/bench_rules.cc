// The cost of a board rule per submission, on the board's side: with players that Lua has not seen
// just before, as in a match. For comparison the lower bounds: a protected call of a function that
// does nothing, or counts to ten, with a count hook that never fires and without; and the clock,
// which every decision reads twice.

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <lua.hpp>

#include "bindings/sandbox/rule.h"
#include "bindings/sandbox/rule_registry.h"
#include "board/spec/spec_change.h"
#include "measure.h"
#include "registry/registry.h"

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

// A whole submission, each by a player that has a score already; on a board without a rule if the
// text is null.
void submit(benchmark::State& state, const char* text) {
  const Scratch folder(std::filesystem::temp_directory_path());
  if (text != nullptr) std::ofstream(folder.path("bench.lua")) << text;
  RegistryOptions options;
  options.log = Log([](Level, std::string_view) {});
  options.rules = open_lua_rules(folder.path(""), options.log);
  Registry registry(std::move(options));
  SpecChange spec;
  (void)spec.set("keep", "latest");
  if (text != nullptr) (void)spec.set("rule", "bench");
  Board& board = *registry.get(*registry.open("season_3", spec));
  std::array<std::string, 256> players;
  for (std::size_t i = 0; i < players.size(); ++i) players[i] = fmt::format("player_{:05}", i);
  for (const std::string& player : players) {
    if (!board.submit(WriteMode::submit, {.player = player, .score = 1})) {
      return state.SkipWithError("refused");
    }
  }
  std::uint64_t call = 0;
  for (auto _ : state) {
    ++call;
    benchmark::DoNotOptimize(
        board.submit(WriteMode::submit, {.player = players[call % players.size()],
                                         .score = static_cast<double>(call * 7919 % 4093)}));
  }
}

void never(lua_State*, lua_Debug*) {}

void call_protected(benchmark::State& state, const char* text, bool hooked) {
  RuleState rule;
  lua_State* const L = rule.lua();
  if (luaL_loadstring(L, text) != 0) return state.SkipWithError(lua_tostring(L, -1));
  for (auto _ : state) {
    if (hooked) lua_sethook(L, never, LUA_MASKCOUNT, kInitialStride);
    lua_pushvalue(L, 1);
    benchmark::DoNotOptimize(lua_pcall(L, 0, 0, 0));
  }
}

void read_ticks(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ticks_now());
}

constexpr const char* kReadsAll =
    "return { accept = function(s, old) return s.score < 1e6 and s.at > 0 and s.player ~= ''"
    " and s.board ~= '' and s.data ~= '' and (not s.held or s.held.score == old) end }";
// The rule might store the submission, so it is a new table each time, like `held`.
constexpr const char* kKeeps =
    "return { accept = function(s) local kept = s return kept.score < 1e6 end }";
constexpr const char* kTen =
    "local n = 0 n = n + 1 n = n + 1 n = n + 1 n = n + 1 n = n + 1"
    " n = n + 1 n = n + 1 n = n + 1 n = n + 1 n = n + 1";
BENCHMARK_CAPTURE(call_protected, nothing, "", false);
BENCHMARK_CAPTURE(call_protected, nothing_hooked, "", true);
BENCHMARK_CAPTURE(call_protected, ten_additions, kTen, false);
BENCHMARK_CAPTURE(call_protected, ten_additions_hooked, kTen, true);
BENCHMARK(read_ticks);
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
BENCHMARK_CAPTURE(judge, accept_that_reads_all, kReadsAll, false);
BENCHMARK_CAPTURE(judge, accept_that_reads_all_with_held, kReadsAll, true);
BENCHMARK_CAPTURE(judge, accept_that_may_keep, kKeeps, false);
BENCHMARK_CAPTURE(judge, accept_that_may_keep_with_held, kKeeps, true);
BENCHMARK_CAPTURE(submit, without_a_rule, nullptr);
BENCHMARK_CAPTURE(submit, accept, "return { accept = function(s) return s.score < 1e6 end }");
BENCHMARK_CAPTURE(submit, accept_that_reads_all, kReadsAll);
BENCHMARK_CAPTURE(submit, accept_that_may_keep, kKeeps);
BENCHMARK_CAPTURE(submit, score, "return { score = function(old, new) return new end }");
BENCHMARK_CAPTURE(judge, a_budget_spent, "return { accept = function() while true do end end }",
                  false);

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
