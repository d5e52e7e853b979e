#include "lua_calls.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>
#include <lua.hpp>

#include "bench/peers/candidates.h"
#include "bench/workload.h"
#include "bindings/module.h"
#include "bindings/sandbox/rule_registry.h"
#include "board/spec/spec_change.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kCalls = 20'000;  // of each caller in a round

constexpr const char* kScript = R"(
local boards, does_nothing = ...
local board = boards:board("plain")
local loops = {}
function loops.submit(players, scores)
  for i = 1, #players do board:submit(players[i], scores[i]) end
end
function loops.nothing(players, scores)
  for i = 1, #players do does_nothing(board, players[i], scores[i]) end
end
return loops
)";

int does_nothing(lua_State*) { return 0; }

struct CloseState {
  void operator()(lua_State* L) const { lua_close(L); }
};

// A board without a rule and one with a rule, full of the same players, in one registry; and a Lua
// state whose scripts use it. C++ submits Lua's own strings, so that both find the same bytes at
// the same addresses.
class LuaHost {
 public:
  LuaHost(const std::string& directory, std::uint64_t members)
      : work_(5, members), registry_(options(directory)), state_(luaL_newstate()) {
    plain_ = open("plain", "");
    ruled_ = open("ruled", "bar");
    for (std::uint64_t i = 0; i < members; ++i) {
      for (Board* board : {plain_, ruled_}) {
        if (!board->submit(WriteMode::submit, {.player = Id(i), .score = work_.score()})) {
          throw std::runtime_error("the rule refuses");
        }
      }
    }
    lua_State* const L = state_.get();
    luaL_openlibs(L);
    check(luaL_loadstring(L, kScript));
    push_boards(L, registry_);
    lua_pushcfunction(L, does_nothing);
    check(lua_pcall(L, 2, 1, 0));  // the loops stay on the stack
  }

  enum class Caller { cpp, cpp_ruled, lua, lua_nothing };

  // Nanoseconds a submission. Players and scores are drawn again for each call.
  double time_of(Caller caller) {
    draw();
    double nanoseconds = 0;
    switch (caller) {
      case Caller::cpp: nanoseconds = time_of_cpp(*plain_); break;
      case Caller::cpp_ruled: nanoseconds = time_of_cpp(*ruled_); break;
      case Caller::lua: nanoseconds = time_of_lua("submit"); break;
      case Caller::lua_nothing: nanoseconds = time_of_lua("nothing"); break;
    }
    lua_settop(state_.get(), 1);
    lua_gc(state_.get(), LUA_GCCOLLECT, 0);
    registry_.tick();
    return nanoseconds;
  }

 private:
  static RegistryOptions options(const std::string& directory) {
    const std::string rules = directory + "rules";
    std::filesystem::create_directories(rules);
    std::ofstream(rules + "/bar.lua")
        << "return { accept = function(submission) return submission.score < 1e300 end }\n";
    const Log log([](Level, std::string_view) {});
    return {.clock = std::make_unique<CountingClock>(),
            .log = log,
            .rules = open_lua_rules(rules, log),
            .secret = HashSecret::fixed(1)};
  }

  Board* open(const char* name, const char* rule) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    if (*rule != '\0') (void)spec.set("rule", rule);
    return registry_.get(*registry_.open(name, spec));
  }

  void check(int status) {
    if (status != 0) throw std::runtime_error(lua_tostring(state_.get(), -1));
  }

  // Pushes two tables after the loops, and fills them with players and scores.
  void draw() {
    lua_State* const L = state_.get();
    players_.clear();
    scores_.clear();
    lua_createtable(L, kCalls, 0);
    lua_createtable(L, kCalls, 0);
    for (int i = 1; i <= static_cast<int>(kCalls); ++i) {
      const Id player = work_.member();
      scores_.push_back(work_.score());
      lua_pushlstring(L, player.letters, Id::kBytes);
      std::size_t bytes = 0;
      const char* const kept = lua_tolstring(L, -1, &bytes);
      players_.emplace_back(kept, bytes);
      lua_rawseti(L, 2, i);
      lua_pushnumber(L, scores_.back());
      lua_rawseti(L, 3, i);
    }
  }

  double time_of_cpp(Board& board) {
    const Spent before = time_so_far();
    for (std::size_t i = 0; i < kCalls; ++i) {
      benchmark::DoNotOptimize(
          board.submit(WriteMode::submit, {.player = players_[i], .score = scores_[i]}));
    }
    return (time_so_far() - before).wall * 1e9 / static_cast<double>(kCalls);
  }

  double time_of_lua(const char* loop) {
    lua_State* const L = state_.get();
    lua_getfield(L, 1, loop);
    lua_insert(L, 2);
    const Spent before = time_so_far();
    check(lua_pcall(L, 2, 0, 0));
    return (time_so_far() - before).wall * 1e9 / static_cast<double>(kCalls);
  }

  Workload work_;
  Registry registry_;
  std::unique_ptr<lua_State, CloseState> state_;  // destroyed before the registry that it uses
  Board* plain_ = nullptr;
  Board* ruled_ = nullptr;
  std::vector<std::string_view> players_;  // owned by Lua
  std::vector<double> scores_;
};

}  // namespace

void compare_lua_calls(ComparisonTable& table, const std::string& directory, std::uint64_t members,
                       std::size_t rounds) {
  using enum LuaHost::Caller;
  table.begin("Lua: nanoseconds more than the same submissions from C++ without it");
  for (const std::uint64_t size : {std::uint64_t{1000}, members}) {
    LuaHost host(directory, size);
    TableRow submit{"board:submit in Lua, over C++", size};
    TableRow nothing{"a C function that does nothing", size};
    TableRow rule{"a rule's accept", size};
    submit.goal.most = 40;
    rule.goal.most = 100;
    // Differences of larger numbers: three times the rounds.
    for (std::size_t round = 0; round <= 3 * rounds; ++round) {
      const double plain = host.time_of(cpp);
      const double by_lua = host.time_of(lua);
      const double empty = host.time_of(lua_nothing);
      const double ruled = host.time_of(cpp_ruled);
      if (round == 0) continue;
      submit.add(by_lua - plain);
      nothing.add(empty);
      rule.add(ruled - plain);
    }
    table.print(submit);
    table.print(nothing);
    table.print(rule);
  }
}

}  // namespace laurel
