// The throughput of a board in Redis, over loopback to one server, alone (0), with a replica that
// every post waits for (1), alone over TLS (2), or alone with dense ranks (3); and what the server
// itself can do.
//
//   submits       as tasks make them, through one remote, with this many in flight
//   posts         the same, each with its number and a timestamp, as the journal sends them
//   server_posts  a whole game server: RemoteBoards::post, and ticks that deliver the answers
//   own_script    the same script, with the same arguments and number of posts in each run, through
//                 a bare connection with a few runs in flight: posts compared with this is the cost
//                 of the client
//   zadd          redis-benchmark's ZADD to a set of the same size, with one connection and 64 in
//                 flight
//
// All boards have 100,000 members, drawn at random, and keep the latest score. `server_us` and
// `client_us` are the CPU time of each side for one submission: their reciprocals bound the
// submissions a second, whatever else runs on the machine.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <random>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "../remote/redis/redis_fixture.h"
#include "base/steady_clock.h"
#include "board/spec/spec_change.h"
#include "remote/redis/keys.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/scripts/script_arguments.h"
#include "remote/redis/scripts/scripts.h"
#include "remote/remote.h"
#include "remote/remote_boards.h"
#include "remote/request/spec_codec.h"

namespace laurel {

namespace {

constexpr std::uint64_t kMembers = 100'000;
constexpr std::uint64_t kServer = 4711;  // the id of the server that posts
constexpr double kMoment = 1'700'000'000.0;

std::string member(std::uint64_t number) { return fmt::format("{:012}", number); }

enum class Kind { alone, replicated, over_tls, dense };

SpecChange change(Kind kind) {
  SpecChange change;
  (void)change.set("keep", "latest");
  if (kind == Kind::dense) (void)change.set("ranking", "dense");
  return change;
}

struct Scene {
  static Scene& of(Kind kind) {
    static std::map<Kind, std::unique_ptr<Scene>> scenes;
    std::unique_ptr<Scene>& scene = scenes[kind];
    if (!scene) scene = std::make_unique<Scene>(kind);
    return *scene;
  }
  static Scene& of(const benchmark::State& state) { return of(static_cast<Kind>(state.range(0))); }

  static std::unique_ptr<RedisServers> start(Kind kind) {
    static CertificateAuthority authority;
    if (kind == Kind::replicated) return RedisServers::pair();
    if (kind != Kind::over_tls) return RedisServers::one();
    return RedisServers::one({.tls = ServerTls{.own = authority.issue({"127.0.0.1"}),
                                               .ca = authority.own().cert,
                                               .client = std::nullopt}});
  }

  explicit Scene(Kind kind) : servers(start(kind)) {
    if (!servers) return;
    url = fmt::format("{}127.0.0.1:{}{}", servers->scheme(), servers->port(0), servers->options());
    remote = std::move(*open_remote(url));
    spec = std::make_shared<const Spec>(*change(kind).create());
    ask(request::WriteSpec{text_of(*spec), 0});
    wait_for(0);
    for (std::uint64_t i = 0; i < kMembers; ++i) submit(i, 1000, false);
    wait_for(0);
  }

  void ask(Request what) {
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
      if (news.answers.empty()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  void submit(std::uint64_t number, std::size_t ahead, bool is_post) {
    request::Write write;
    write.what.player = member(number);
    write.what.score = static_cast<double>(random() % kMembers);
    if (is_post) {
      write.what.at = kMoment + static_cast<double>(++posts) / 1e6;
      write.post = PostNumber{kServer, posts, posts - 1};
    }
    ask(std::move(write));
    if (under_way >= ahead) wait_for(ahead - ahead / 8 - 1);
  }

  // CPU time of the server's process, in seconds.
  double server_time() const {
    const std::string info = servers->ask(0, "INFO cpu");
    const auto seconds = [&](const char* field) {
      const std::size_t at = info.find(field);
      return at == std::string::npos ? 0
                                     : std::strtod(info.c_str() + at + std::strlen(field), nullptr);
    };
    return seconds("used_cpu_sys:") + seconds("used_cpu_user:");
  }

  std::unique_ptr<RedisServers> servers;
  std::string url;
  std::unique_ptr<Remote> remote;
  std::shared_ptr<const Spec> spec;
  std::mt19937_64 random{1};
  RequestId last = 0;
  std::uint64_t posts = 0;
  std::size_t under_way = 0;
  std::string refusal;
};

double client_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// CPU time of both sides between begin and end.
class Spent {
 public:
  explicit Spent(const Scene& scene)
      : scene_(scene), server_(scene.server_time()), client_(client_time()) {}

  void tell(benchmark::State& state, std::int64_t items) const {
    const double client = client_time() - client_;
    const auto each = 1e6 / static_cast<double>(std::max<std::int64_t>(1, items));
    state.counters["server_us"] = (scene_.server_time() - server_) * each;
    state.counters["client_us"] = client * each;
    state.SetItemsProcessed(items);
  }

 private:
  const Scene& scene_;
  const double server_;
  const double client_;
};

void hand_in(benchmark::State& state, bool is_post) {
  Scene& scene = Scene::of(state);
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  const auto ahead = static_cast<std::size_t>(state.range(1));
  const Spent spent(scene);
  for (auto _ : state) scene.submit(scene.random() % kMembers, ahead, is_post);
  scene.wait_for(0);
  if (!scene.refusal.empty()) state.SkipWithError(scene.refusal.c_str());
  spent.tell(state, state.iterations());
}

void submits(benchmark::State& state) { hand_in(state, false); }
BENCHMARK(submits)->ArgsProduct({{0, 2, 3}, {1, 64, 1024}})->UseRealTime();

void posts(benchmark::State& state) { hand_in(state, true); }
BENCHMARK(posts)->ArgsProduct({{0, 1, 2, 3}, {1, 64, 1024}})->UseRealTime();

void tops(benchmark::State& state) {
  Scene& scene = Scene::of(Kind::alone);
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  for (auto _ : state) {
    scene.ask(request::Page{0, 10});
    scene.wait_for(63);
  }
  scene.wait_for(0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(tops)->UseRealTime();

// Ticks come whenever there are answers to deliver; a game that ticks 60 times a second has
// kPostsAheadMax posts of a shard in flight between two ticks.
void server_posts(benchmark::State& state) {
  Scene& scene = Scene::of(state);
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  RemoteOptions remotes;
  remotes.urls["main"] = scene.url;
  RegistryOptions options;
  options.log = Log([](Level, std::string_view) {});
  options.remotes = std::move(*RemoteBoards::open(remotes));
  const std::unique_ptr<Registry> registry = std::move(*Registry::open(std::move(options)));
  RemoteBoards& boards = *RemoteBoards::of(*registry);
  SpecChange fields = change(static_cast<Kind>(state.range(0)));
  (void)fields.set("remote", "main");
  const BoardHandle board = *boards.open("board", fields);
  const auto tick_until = [&](std::uint64_t pending) {
    while (boards.state(board).pending > pending || !boards.state(board).down.empty()) {
      registry->tick();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  };
  tick_until(0);
  std::uint64_t pending = 0;
  const Spent spent(scene);
  for (auto _ : state) {
    OwnedSubmission what;
    what.player = member(scene.random() % kMembers);
    what.score = static_cast<double>(scene.random() % kMembers);
    if (!boards.post(board, std::move(what))) return state.SkipWithError("it does not post");
    if (++pending == 4096) {
      tick_until(2048);
      pending = boards.state(board).pending;
    }
  }
  tick_until(0);
  spent.tell(state, state.iterations());
}
BENCHMARK(server_posts)->DenseRange(0, 3)->UseRealTime();

// ---- the server itself

// A connection of our own, with a few runs of the script in flight.
class Bare {
 public:
  explicit Bare(Scene& scene)
      : scene_(scene), connection_({"127.0.0.1", scene.servers->port(0)}, nullptr) {
    connection_.send({"SCRIPT", "LOAD", std::string(source(redis::Script::write))});
    under_way_ = 1;
    take(0);
    digest_ = last_.text;
  }

  // REQUIRES: no other posts meanwhile.
  void run(std::size_t posts) {
    const redis::ShardKeys keys("board", 0);
    redis::Words words = {"10",           keys.state(),     keys.scores(1),  keys.players(1),
                          keys.hidden(1), keys.banned(),    keys.joined(),   keys.servers(),
                          keys.ids(),     keys.attempts(1), keys.distinct(1)};
    const auto add = [&words](redis::Words more) {
      words.insert(words.end(), more.begin(), more.end());
    };
    redis::Words shard(redis::kOfShard.size());
    shard[redis::kOfShard["season"]] = "1";
    shard[redis::kOfShard["order"]] = form_.order();
    shard[redis::kOfShard["at_mode"]] = form_.at_mode();
    shard[redis::kOfShard["counting"]] = "0";
    add(std::move(shard));
    redis::Words write(redis::kOfWrite.size());
    write[redis::kOfWrite["channel"]] = keys.channel();
    write[redis::kOfWrite["watched"]] = "1000";
    write[redis::kOfWrite["most_ids"]] = "1000";
    add(std::move(write));
    for (std::size_t i = 0; i < posts; ++i) {
      const std::string player = member(scene_.random() % kMembers);
      const double at = kMoment * 1e6 + static_cast<double>(++scene_.posts);
      redis::Words one(redis::kOfSubmission.size());
      one[redis::kOfSubmission["player"]] = player;
      one[redis::kOfSubmission["part"]] = form_.player_part(player);
      one[redis::kOfSubmission["keep"]] = "l";
      one[redis::kOfSubmission["score"]] = std::to_string(scene_.random() % kMembers);
      one[redis::kOfSubmission["at"]] = fmt::format("{:.0f}", at);
      one[redis::kOfSubmission["server"]] = std::to_string(kServer);
      one[redis::kOfSubmission["number"]] = std::to_string(scene_.posts);
      one[redis::kOfSubmission["before"]] = std::to_string(scene_.posts - 1);
      add(std::move(one));
    }
    connection_.send({"EVALSHA", digest_}, words);
    ++under_way_;
  }
  void take(std::size_t left) {
    std::vector<redis::Reply> replies;
    while (under_way_ > left && !connection_.failed()) {
      pollfd entry{connection_.fd(), connection_.events(), 0};
      ::poll(&entry, 1, -1);
      replies.clear();
      connection_.on_events(entry.revents, replies);
      under_way_ -= replies.size();
      if (!replies.empty()) last_ = std::move(replies.back());
    }
  }
  // Empty if the last run succeeded.
  std::string error() const {
    if (connection_.failed()) return connection_.error();
    return last_[0].text == "ok" && last_[1][0][0].text == "done" ? "" : "refused " + last_.text;
  }

 private:
  Scene& scene_;
  redis::Connection connection_;
  redis::RowForm form_{*scene_.spec};
  std::string digest_;
  std::size_t under_way_ = 0;
  redis::Reply last_;
};

void own_script(benchmark::State& state) {
  Scene& scene = Scene::of(state);
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  const auto posts = static_cast<std::size_t>(state.range(1));
  const std::size_t ahead = std::max<std::size_t>(2, 64 / posts);
  Bare bare(scene);
  const Spent spent(scene);
  for (auto _ : state) {
    bare.run(posts);
    bare.take(ahead);
  }
  bare.take(0);
  if (const std::string error = bare.error(); !error.empty()) state.SkipWithError(error.c_str());
  spent.tell(state, state.iterations() * state.range(1));
}
BENCHMARK(own_script)->ArgsProduct({{0, 1}, {1, 16, 256}})->UseRealTime();

// Requests a second, as reported by redis-benchmark.
double requests_per_second(std::uint16_t port, std::uint64_t requests) {
  const std::string command = fmt::format(
      "redis-benchmark -p {} -c 1 -P 64 --csv -r {} -n {} ZADD peer __rand_int__ __rand_int__",
      port, kMembers, requests);
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::string text;
  std::array<char, 4096> part;
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), got);
  }
  ::pclose(pipe);
  const std::size_t at = text.rfind("__\",\"");
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + 5, nullptr);
}

void zadd(benchmark::State& state) {
  Scene& scene = Scene::of(Kind::alone);
  if (!scene.servers) return state.SkipWithError("redis-server is not installed");
  constexpr std::uint64_t kRequests = 300'000;
  const Spent spent(scene);
  for (auto _ : state) {
    const double rate = requests_per_second(scene.servers->port(0), kRequests);
    if (rate <= 0) return state.SkipWithError("redis-benchmark is not installed");
    state.SetIterationTime(static_cast<double>(kRequests) / rate);
  }
  spent.tell(state, state.iterations() * static_cast<std::int64_t>(kRequests));
}
BENCHMARK(zadd)->UseManualTime()->Iterations(2);

}  // namespace

}  // namespace laurel

BENCHMARK_MAIN();
