// The hot calls, each in a function of its own that makes kCalls of them. tests/budget/instructions
// counts them under callgrind and takes the names in its table from these functions.
//
//   hot_calls MEMBERS             on a board with this many members; prints kCalls
//   hot_calls MEMBERS --time      repeats them; prints the nanoseconds of each, a median
//
// Times compare two builds on one machine, run in turn: a call that waits for its own stores takes
// no more instructions.
//
// Arguments are prepared outside the counted functions. The seeds and the hash's secret are fixed,
// so that a build always counts the same.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

#include "bindings/handle/registry_handle.h"
#include "bindings/module.h"
#include "board/spec/spec_change.h"
#include "crowd.h"
#include "laurel/laurel.h"

namespace laurel {

namespace {

constexpr std::size_t kCalls = 2'000;

class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 1'000'000 * kSecond;
};

struct Scene {
  explicit Scene(std::size_t members) : crowd(members) {
    SpecChange spec;
    (void)spec.set("keep", "latest");
    board = registry.get(*registry.open("b", spec));
    for (const std::string& id : crowd.ids()) submit({.player = id, .score = crowd.score()});
    for (std::size_t i = 0; i < members; ++i) submit(crowd.any_result());  // steady state
    for (std::size_t i = 0; i < kCalls; ++i) newcomers.push_back("newcomer " + std::to_string(i));
    draw();
  }
  void submit(const Submission& submission) { (void)board->submit(WriteMode::submit, submission); }
  // Submissions for the next call.
  void draw() {
    results.clear();
    for (std::size_t i = 0; i < kCalls; ++i) results.push_back(crowd.any_result());
  }
  void draw_as_they_stand() {
    for (Submission& result : results) result.score = *board->score(result.player);
  }

  test::Crowd crowd;
  Registry registry{{.clock = std::make_unique<CountingClock>(),
                     .log = Log([](Level, std::string_view) {}),
                     .secret = HashSecret::fixed(1)}};
  Board* board = nullptr;
  std::vector<Submission> results;
  std::vector<std::string> newcomers;
  Entries list;
};

// The same board behind the C interface, which uses a new random secret each time.
struct HostScene {
  explicit HostScene(const Scene& like) {
    laurel_config config{};
    config.struct_size = sizeof config;
    config.context = &now;
    config.now = [](void* context) { return ++*static_cast<std::int64_t*>(context); };
    boards = api->open(&config, nullptr);
    laurel_spec spec{};
    spec.struct_size = sizeof spec;
    spec.keep = "latest";
    api->board(boards, "b", &spec, &board, nullptr);
    for (const std::string& id : like.crowd.ids()) {
      api->submit(boards, board, id.c_str(), *like.board->score(id), nullptr, nullptr, nullptr);
    }
    for (const Submission& result : like.results) {
      batch.push_back({result.player.data(), result.score, LAUREL_OK});
    }
  }
  ~HostScene() { api->close(boards); }
  HostScene(const HostScene&) = delete;
  HostScene& operator=(const HostScene&) = delete;

  const laurel_api* api = laurel_entry(LAUREL_ABI_VERSION);
  std::int64_t now = 1'000'000'000'000;
  laurel_boards* boards = nullptr;
  laurel_board board{};
  std::vector<laurel_result> batch;
};

// A script with the same board. The JIT compiler is off: when it would compile is not predictable,
// and so not part of a budget.
class ScriptScene {
 public:
  explicit ScriptScene(Scene& like) : L_(luaL_newstate()) {
    luaL_openlibs(L_);
    push_boards(L_, like.registry);
    lua_setglobal(L_, "boards");
    lua_newtable(L_);
    for (std::size_t i = 0; i < kCalls; ++i) {
      lua_newtable(L_);
      lua_pushlstring(L_, like.results[i].player.data(), like.results[i].player.size());
      lua_rawseti(L_, -2, 1);
      lua_pushnumber(L_, like.results[i].score);
      lua_rawseti(L_, -2, 2);
      lua_rawseti(L_, -2, static_cast<int>(i + 1));
    }
    lua_setglobal(L_, "results");
    must(luaL_dostring(L_, "jit.off() board = boards:board('b')"));
  }
  ~ScriptScene() { lua_close(L_); }
  ScriptScene(const ScriptScene&) = delete;
  ScriptScene& operator=(const ScriptScene&) = delete;

  // Compiles a chunk, to be called in one of the hot functions.
  void prepare(const char* chunk) { must(luaL_loadstring(L_, chunk)); }
  void run() { must(lua_pcall(L_, 0, 0, 0)); }

 private:
  void must(int status) {
    if (status == 0) return;
    std::fprintf(stderr, "%s\n", lua_tostring(L_, -1));
    std::abort();
  }

  lua_State* L_;
};

#define HOT extern "C" __attribute__((noinline, used)) void

HOT hot_submit(Scene& on) {
  for (const Submission& result : on.results) on.submit(result);
}

HOT hot_submit_same_score(Scene& on) {
  for (const Submission& result : on.results) on.submit(result);
}

HOT hot_submit_all(Scene& on) {
  on.board->submit_all(on.results, [](std::size_t, const Refusal&) {});
}

HOT hot_submit_new_player(Scene& on) {
  for (std::size_t i = 0; i < kCalls; ++i) {
    on.submit({.player = on.newcomers[i], .score = on.results[i].score});
  }
}

HOT hot_remove(Scene& on) {
  for (const std::string& id : on.newcomers) (void)on.board->remove(id);
}

HOT hot_score(Scene& on) {
  for (const Submission& result : on.results) (void)on.board->score(result.player);
}

HOT hot_rank(Scene& on) {
  for (const Submission& result : on.results) (void)on.board->rank(result.player, {});
}

HOT hot_top_10(Scene& on) {
  for (std::size_t i = 0; i < kCalls; ++i) {
    on.list.clear();
    on.board->read(0, 10, on.list);
  }
}

HOT hot_page_of_10(Scene& on) {
  const std::size_t step = on.board->size() / kCalls + 1;
  for (std::size_t i = 0; i < kCalls; ++i) {
    on.list.clear();
    on.board->read(i * step % on.board->size(), 10, on.list);
  }
}

HOT hot_around_5(Scene& on) {
  for (const Submission& result : on.results) {
    on.list.clear();
    on.board->around(result.player, 5, on.list);
  }
}

HOT hot_count(Scene& on) {
  for (const Submission& result : on.results)
    (void)on.board->count({result.score / 2, result.score});
}

HOT hot_tick(Scene& on) {
  for (std::size_t i = 0; i < kCalls; ++i) on.registry.tick();
}

HOT hot_c_submit(HostScene& on) {
  for (const laurel_result& result : on.batch) {
    on.api->submit(on.boards, on.board, result.player, result.score, nullptr, nullptr, nullptr);
  }
}

HOT hot_c_submit_all(HostScene& on) {
  on.api->submit_all(on.boards, on.board, on.batch.data(), on.batch.size());
}

HOT hot_c_rank(HostScene& on) {
  std::uint64_t rank = 0;
  for (const laurel_result& result : on.batch) {
    on.api->rank(on.boards, on.board, result.player, &rank, nullptr);
  }
}

HOT hot_lua_submit(ScriptScene& on) { on.run(); }
HOT hot_lua_rank(ScriptScene& on) { on.run(); }
HOT hot_lua_submit_all(ScriptScene& on) { on.run(); }
HOT hot_lua_top_10(ScriptScene& on) { on.run(); }

#undef HOT

// Makes each of the hot calls once, through make(function, name, scene).
template <typename Make>
void run(Scene& scene, Make make) {
  make(hot_submit, "submit", scene);
  scene.draw_as_they_stand();
  make(hot_submit_same_score, "submit_same_score", scene);
  scene.draw();
  make(hot_submit_all, "submit_all", scene);
  make(hot_score, "score", scene);
  make(hot_rank, "rank", scene);
  make(hot_top_10, "top_10", scene);
  make(hot_page_of_10, "page_of_10", scene);
  make(hot_around_5, "around_5", scene);
  make(hot_count, "count", scene);
  make(hot_tick, "tick", scene);
  scene.draw();
  {
    ScriptScene script(scene);
    script.prepare("for i = 1, #results do board:submit(results[i][1], results[i][2]) end");
    make(hot_lua_submit, "lua_submit", script);
    script.prepare("for i = 1, #results do board:rank(results[i][1]) end");
    make(hot_lua_rank, "lua_rank", script);
    script.prepare("for i = 1, #results do board:top(10) end");
    make(hot_lua_top_10, "lua_top_10", script);
    script.prepare("for i = 1, #results do results[i][2] = i * 7919 % 1000003 end");
    script.run();
    script.prepare("board:submit_all(results)");
    make(hot_lua_submit_all, "lua_submit_all", script);
  }
  scene.draw();
  HostScene host(scene);
  make(hot_c_submit, "c_submit", host);
  make(hot_c_rank, "c_rank", host);
  scene.draw();
  for (std::size_t i = 0; i < kCalls; ++i) host.batch[i].score = scene.results[i].score;
  make(hot_c_submit_all, "c_submit_all", host);
  make(hot_submit_new_player, "submit_new_player", scene);
  make(hot_remove, "remove", scene);
}

// The times of one function's rounds, in nanoseconds a call.
struct Times {
  std::string name;
  std::vector<double> rounds;
};

// Times 25 rounds, the first of which fills caches and is not counted.
std::vector<Times> time_rounds(Scene& scene) {
  std::vector<Times> times;
  for (int round = 0; round <= 24; ++round) {
    std::size_t at = 0;
    scene.draw();
    run(scene, [&](auto function, const char* name, auto& on) {
      const auto before = std::chrono::steady_clock::now();
      function(on);
      const std::chrono::duration<double, std::nano> took =
          std::chrono::steady_clock::now() - before;
      if (round == 0)
        times.push_back({name, {}});
      else
        times[at++].rounds.push_back(took.count() / kCalls);
    });
  }
  return times;
}

}  // namespace

}  // namespace laurel

int main(int count, char** words) {
  laurel::Scene scene(count > 1 ? std::strtoul(words[1], nullptr, 10) : 1'000);
  if (count > 2 && std::string_view(words[2]) == "--time") {
    for (auto& [name, rounds] : laurel::time_rounds(scene)) {
      const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
      std::ranges::nth_element(rounds, middle);
      std::printf("%-18s %8.1f\n", name.c_str(), *middle);
    }
    return 0;
  }
  laurel::run(scene, [](auto function, const char*, auto& on) { function(on); });
  std::printf("%zu\n", laurel::kCalls);
}
