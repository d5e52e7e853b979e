// What a board in Redis takes in: submissions of random players through one remote, so many under
// way at once, over the loopback to one server, beside redis-benchmark's own ZADD to a set as large
// with 64 commands on their way. A submission is a script of some ten commands: whose season it is,
// who may play, what is held, the row, its place, and the telling.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "../remote/redis/redis_fixture.h"
#include "base/steady_clock.h"
#include "board/spec.h"
#include "remote/remote.h"
#include "remote/spec_text.h"

namespace laurel {

namespace {

constexpr std::uint64_t kMembers = 100'000;

struct Scene {
  static Scene& shared() {
    static Scene scene;
    return scene;
  }
  Scene() : servers(RedisServers::one()) {
    if (!servers) return;
    remote = std::move(*open_remote(servers->url()));
    SpecChange change;
    (void)change.set("keep", "latest");
    spec = std::make_shared<const Spec>(*change.create());
    ask(ask::WriteSpec{text_of(*spec), 0});
    wait_for(0);
    for (std::uint64_t i = 0; i < kMembers; ++i) submit(i, 1000);
    wait_for(0);
  }

  void ask(Ask what) {
    remote->ask({.id = ++last,
                 .target = {"board", spec, 0},
                 .what = std::move(what),
                 .now = kSecond,
                 .deadline = steady_now() + 60 * kSecond});
    ++under_way;
  }
  void wait_for(std::size_t left) {
    News news;
    while (under_way > left) {
      news.answers.clear();
      remote->take(news);
      for (const Answer& answer : news.answers) {
        if (!answer.value) refusal = answer.value.refusal().text();
      }
      under_way -= news.answers.size();
      if (news.answers.empty()) std::this_thread::yield();
    }
  }
  void submit(std::uint64_t member, std::size_t ahead) {
    ask::Write write;
    write.what.player = fmt::format("{:012}", member);
    write.what.score = static_cast<double>(random() % kMembers);
    ask(std::move(write));
    if (under_way >= ahead) wait_for(ahead - 1);
  }

  std::unique_ptr<RedisServers> servers;
  std::unique_ptr<Remote> remote;
  std::shared_ptr<const Spec> spec;
  std::mt19937_64 random{1};
  RequestId last = 0;
  std::size_t under_way = 0;
  std::string refusal;
};

void submissions(benchmark::State& state) {
  Scene& scene = Scene::shared();
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  const auto ahead = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) scene.submit(scene.random() % kMembers, ahead);
  scene.wait_for(0);
  if (!scene.refusal.empty()) state.SkipWithError(scene.refusal.c_str());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(submissions)->Arg(1)->Arg(64)->Arg(1024)->UseRealTime();

void tops(benchmark::State& state) {
  Scene& scene = Scene::shared();
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  for (auto _ : state) {
    scene.ask(ask::Page{0, 10});
    scene.wait_for(63);
  }
  scene.wait_for(0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(tops)->UseRealTime();

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
