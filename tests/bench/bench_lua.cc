// The overhead of scripts: calls of a board through Lua's C interface, compared with the same
// calls in C++, on a small board that fits in the caches.
//
//   bench_lua [--players=256] [--rounds=15]
//
//   C++        the same work for the same players and scores, in ns a call
//   Lua        a loop of calls, minus the empty loop
//   over C++   the difference: what calling through Lua adds
//   least      the overhead of a method that does nothing, written in C like ours: no method
//              costs less. Of a list, a loop in Lua that makes the same tables from values that it
//              has
//   compiled   with LuaJIT's compiler, which cannot compile a call into C but resumes after it;
//              interpreted: with the compiler off
//
// The candidates take turns in rounds; a figure is the median of its rounds, a difference the
// median of the differences of each round.

#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <lua.hpp>

#include "bindings/handle/registry_handle.h"
#include "bindings/module.h"
#include "board/spec/spec_change.h"
#include "measure.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kListItems = 256;

// The same tables as of top(10). The last list is kept, so that the compiler does not leave it out.
constexpr const char* kTenTables = R"(
  local list = {}
  for rank = 1, 10 do list[rank] = { player = ids[rank], score = score, rank = rank, at = call } end
  kept[1] = list)";
constexpr const char* kTenNamedTables = R"(
  local list = {}
  for rank = 1, 10 do
    list[rank] = { player = ids[rank], score = score, rank = rank, at = call, name = ids[rank] }
  end
  kept[1] = list)";

// Players and scores that a processor cannot predict; it would learn a short history. Scripts
// compute the same sequence.
class Play {
 public:
  explicit Play(std::size_t players) : players_(players) {}

  std::size_t players() const { return players_; }
  void next() { state_ = state_ * 16807 % 2147483647; }
  std::size_t player() const { return state_ % players_; }
  double score() const { return static_cast<double>(state_ % 4093); }

 private:
  std::size_t players_;
  std::uint64_t state_ = 1;
};

struct Operation {
  const char* name;
  const char* script;  // the body of the loop in Lua
  std::size_t calls;   // calls in a round
  std::size_t items;   // items in a call: figures are for one item
  std::function<void()> in_cpp;
  const char* least = nullptr;  // another script that does the least, in place of an idle method
};

int do_nothing(lua_State*) { return 0; }

// A Lua state with `board`, `named`, whose players have names, `list`, and `idle`, whose methods do
// nothing.
class Scripts {
 public:
  Scripts(Registry& registry, Registry& with_names, const Play& play, bool compiled)
      : L_(luaL_newstate()) {
    luaL_openlibs(L_);
    lua_pushcfunction(L_, open_module);
    lua_call(L_, 0, 0);
    push_boards(L_, registry);
    lua_setglobal(L_, "boards");
    push_boards(L_, with_names);
    lua_setglobal(L_, "boards_with_names");
    lua_newuserdata(L_, 64);
    lua_newtable(L_);
    lua_newtable(L_);
    for (const char* name : {"submit", "score", "rank", "top", "submit_all"}) {
      lua_pushcfunction(L_, do_nothing);
      lua_setfield(L_, -2, name);
    }
    lua_setfield(L_, -2, "__index");
    lua_setmetatable(L_, -2);
    lua_setglobal(L_, "idle");
    run(fmt::format(R"(
      {} players, items = {}, {}
      board, ids, list, kept = boards:board("b", {{}}), {{}}, {{}}, {{}}
      named = boards_with_names:board("b", {{}})
      for i = 0, players - 1 do ids[i] = ("player_%05d"):format(i) end
      for i = 1, items do list[i] = {{ ids[i % players], i * 7919 % 4093 }} end)",
                    compiled ? "" : "jit.off()", play.players(), kListItems));
  }
  ~Scripts() { lua_close(L_); }
  Scripts(const Scripts&) = delete;
  Scripts& operator=(const Scripts&) = delete;

  // A function that runs the script `calls` times with the object; an empty script measures the
  // loop.
  int prepare(const char* object, const char* script) {
    run(
        fmt::format("local board, ids, list, players = {}, ids, list, players\n"
                    "local named, kept = named, kept\n"
                    "local state = 1\n"
                    "return function(calls) for call = 1, calls do\n"
                    "  state = state * 16807 % 2147483647\n"
                    "  local player, score = ids[state % players], state % 4093\n"
                    "  {}\n"
                    "end end",
                    object, script));
    return luaL_ref(L_, LUA_REGISTRYINDEX);
  }

  void call(int function, std::size_t calls) {
    lua_rawgeti(L_, LUA_REGISTRYINDEX, function);
    lua_pushnumber(L_, static_cast<double>(calls));
    if (lua_pcall(L_, 1, 0, 0) != 0) throw std::runtime_error(lua_tostring(L_, -1));
  }

 private:
  void run(const std::string& chunk) {
    if (luaL_loadstring(L_, chunk.c_str()) != 0 || lua_pcall(L_, 0, 1, 0) != 0) {
      throw std::runtime_error(lua_tostring(L_, -1));
    }
  }

  lua_State* L_;
};

double ns_of(std::size_t items, const std::function<void()>& work) {
  const Spent before = time_so_far();
  work();
  return (time_so_far() - before).wall * 1e9 / static_cast<double>(items);
}

// One way to run scripts, prepared for one operation.
struct Candidate {
  Candidate(const char* name_in, Scripts& scripts_in, const Operation& operation)
      : name(name_in),
        scripts(scripts_in),
        loop(scripts.prepare("board", "")),
        least(operation.least == nullptr ? scripts.prepare("idle", operation.script)
                                         : scripts.prepare("board", operation.least)),
        call(scripts.prepare("board", operation.script)) {}

  const char* name;
  Scripts& scripts;
  int loop;
  int least;
  int call;
  Samples in_lua;
  Samples over;
  Samples at_least;
};

void measure(const Operation& operation, Scripts& compiled, Scripts& interpreted,
             std::size_t rounds) {
  const std::size_t items = operation.calls * operation.items;
  Samples in_cpp;
  std::vector<Candidate> candidates;
  candidates.emplace_back("compiled", compiled, operation);
  candidates.emplace_back("interpreted", interpreted, operation);
  for (std::size_t round = 0; round <= rounds; ++round) {
    const double cpp = ns_of(items, [&] {
      for (std::size_t call = 0; call < operation.calls; ++call) operation.in_cpp();
    });
    if (round > 0) in_cpp.add(cpp);  // the first round is a warm-up
    for (Candidate& each : candidates) {
      const auto take = [&](int function) {
        return ns_of(items, [&] { each.scripts.call(function, operation.calls); });
      };
      const double loop = take(each.loop);
      const double least = take(each.least) - loop;
      const double lua = take(each.call) - loop;
      if (round == 0) continue;
      each.in_lua.add(lua);
      each.over.add(lua - cpp);
      each.at_least.add(least);
    }
  }
  for (const Candidate& each : candidates) {
    std::printf("%-24s %-12s %8.1f %8.1f %9.1f %8.1f\n", operation.name, each.name, in_cpp.median(),
                each.in_lua.median(), each.over.median(), each.at_least.median());
  }
}

Board& board_in(const Registry& registry, BoardHandle handle) { return *registry.get(handle); }

RegistryOptions quiet() {
  RegistryOptions options;
  options.log = Log([](Level, std::string_view) {});
  return options;
}

void run(std::size_t players, std::size_t rounds) {
  Registry registry(quiet());
  Registry with_names(quiet());
  SpecChange spec;
  (void)spec.set("keep", "latest");
  const BoardHandle board = *registry.open("b", spec);
  const BoardHandle named = *with_names.open("b", spec);

  Play play(players);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < players; ++i) ids.push_back(fmt::format("player_{:05}", i));
  const auto submission = [&] {
    play.next();
    return Submission{.player = ids[play.player()], .score = play.score()};
  };
  std::vector<Submission> list;
  for (std::size_t i = 1; i <= kListItems; ++i) {
    list.push_back({.player = ids[i % players], .score = static_cast<double>(i * 7919 % 4093)});
  }
  for (Board* each : {&board_in(registry, board), &board_in(with_names, named)}) {
    each->submit_all(list, [](std::size_t, const Refusal&) {});
  }
  for (const std::string& id : ids) {
    const std::string name = "the " + id;
    (void)with_names.profiles().save({.id = id, .name = name}, 0);
  }

  Entries entries;
  const auto ignore = [](std::size_t, const Refusal&) {};
  const std::vector<Operation> operations = {
      {"submit(player, score)", "board:submit(player, score)", 100'000, 1,
       [&] { (void)board_in(registry, board).submit(WriteMode::submit, submission()); }},
      {"score(player)", "board:score(player)", 100'000, 1,
       [&] { (void)board_in(registry, board).score(submission().player); }},
      {"rank(player)", "board:rank(player)", 100'000, 1,
       [&] { (void)board_in(registry, board).rank(submission().player, std::nullopt); }},
      {"top(10)", "board:top(10)", 10'000, 1,
       [&] {
         entries.clear();
         board_in(registry, board).read(0, 10, entries);
       },
       kTenTables},
      {"top(10), with names", "named:top(10)", 10'000, 1,
       [&] {
         entries.clear();
         board_in(with_names, named).read(0, 10, entries);
       },
       kTenNamedTables},
      {"submit_all(256), an item", "board:submit_all(list)", 400, kListItems,
       [&] { board_in(registry, board).submit_all(list, ignore); }},
  };

  Scripts compiled(registry, with_names, play, true);
  Scripts interpreted(registry, with_names, play, false);
  std::printf("%-24s %-12s %8s %8s %9s %8s\n", "ns", "", "C++", "Lua", "over C++", "least");
  for (const Operation& each : operations) measure(each, compiled, interpreted, rounds);
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  std::size_t players = 256;
  std::size_t rounds = 15;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&] {
      return std::stoull(std::string(argument.substr(argument.find('=') + 1)));
    };
    if (argument.starts_with("--players=")) {
      players = number();
    } else if (argument.starts_with("--rounds=")) {
      rounds = number();
    } else {
      std::fprintf(stderr, "bench_lua [--players=256] [--rounds=15]\n");
      return 2;
    }
  }
  laurel::run(players, rounds);
}
