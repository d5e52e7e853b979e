// What other servers, and a remote that is away, cost a game server in time. Measured in the
// release build, with no other load on the machine. Noise only adds, so the best of several rounds
// counts.
#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "grounds.h"
#include "remote/redis/shared_servers.h"
#include "server_process.h"

namespace laurel {

namespace {

constexpr int kRounds = 2;
constexpr Time kMeasured = 2 * kSecond;
constexpr int kFrameMs = 1;
constexpr int kPostsAFrame = 3;

// Microseconds.
struct Times {
  double median = 1e9;
  double p999 = 1e9;
  double longest = 1e9;

  // Takes the smaller of each.
  void improve(const Times& other) {
    median = std::min(median, other.median);
    p999 = std::min(p999, other.p999);
    longest = std::min(longest, other.longest);
  }
};

struct TickTimes {
  Times wall;
  Times cpu;
};

TickTimes measure(ServerProcess& server, const std::function<void()>& begin,
                  const std::function<void()>& end) {
  server.tell("measure()");
  begin();
  const Time until = steady_now() + kMeasured;
  while (steady_now() < until) server.process().listen(100'000);
  server.tell("measured()");
  std::istringstream words(server.wait_for("measured"));
  end();
  int count = 0;
  std::string word;
  TickTimes times;
  words >> count >> word >> times.wall.median >> times.wall.p999 >> times.wall.longest;
  words >> word >> times.cpu.median >> times.cpu.p999 >> times.cpu.longest;
  REQUIRE(count >= 1000);
  return times;
}

std::unique_ptr<ServerProcess> begin_server(const std::string& url,
                                            const std::vector<SharedBoard>& boards) {
  auto server = std::make_unique<ServerProcess>(
      ServerProcess::Options{
          .name = "a", .remote = url, .durability = "tick", .frame_ms = kFrameMs},
      boards);
  for (const SharedBoard& board : boards) {
    server->tell(fmt::format("watch(\"{}\") serve(\"{}\")", board.name, board.name));
  }
  if (!url.empty()) server->wait_until("up");
  server->play(1, {.each = kPostsAFrame});
  return server;
}

}  // namespace

TEST_SUITE("time") {
  TEST_CASE("a tick takes no longer while the remote is away than with it running or without one") {
    RedisServers* const nodes = redis_cluster();
    if (nodes == nullptr) return;
    const std::vector<SharedBoard> boards = redis_boards();
    const auto signal_all = [&](int signal) {
      for (std::size_t i = 0; i < nodes->count(); ++i) nodes->signal(i, signal);
    };
    const auto nothing = [] {};
    TickTimes none;
    TickTimes running;
    TickTimes stopped;
    for (int round = 0; round < kRounds; ++round) {
      const auto improve = [](TickTimes& times, const TickTimes& other) {
        times.wall.improve(other.wall);
        times.cpu.improve(other.cpu);
      };
      {
        const auto server = begin_server("", boards);
        improve(none, measure(*server, nothing, nothing));
        server->finish();
      }
      const auto server = begin_server(nodes->url(), boards);
      improve(running, measure(*server, nothing, nothing));
      improve(stopped, measure(
                           *server, [&] { signal_all(SIGSTOP); }, [&] { signal_all(SIGCONT); }));
      server->wait_until("up");
      server->pause();
      server->settle();
      server->finish();
    }
    fmt::print("\nboards:tick() of {} posts, microseconds     median    p99.9  longest\n",
               kPostsAFrame);
    const auto print = [](const char* what, const TickTimes& times) {
      for (const auto& [clock, each] :
           {std::pair("wall", times.wall), std::pair("cpu", times.cpu)}) {
        fmt::print("  {:24} {:12} {:9.1f} {:8.1f} {:8.1f}\n", what, clock, each.median, each.p999,
                   each.longest);
      }
    };
    print("no remote", none);
    print("remote there", running);
    print("remote stopped", stopped);
    std::fflush(stdout);
    constexpr double kNoise = 200;  // microseconds
    for (const TickTimes& other : {none, running}) {
      CHECK(stopped.wall.p999 <= 2 * other.wall.p999 + kNoise);
      CHECK(stopped.cpu.p999 <= 2 * other.cpu.p999 + kNoise);
    }
  }

  TEST_CASE("a post of one server reaches overlays of another within 100 ms") {
    RedisServers* const nodes = redis_cluster();
    if (nodes == nullptr) return;
    constexpr int kChanges = 600;
    constexpr int kGameFrameMs = 16;
    std::vector<SharedBoard> boards;
    for (const char* engine : {"ranked", "sharded", "ranked", "sharded"}) {
      boards.push_back({.name = fmt::format("live-{}", boards.size()),
                        .fields = {{"engine", engine}, {"keep", "latest"}}});
    }
    std::vector<std::unique_ptr<ServerProcess>> servers;
    for (const char* name : {"a", "b"}) {
      servers.push_back(std::make_unique<ServerProcess>(
          ServerProcess::Options{
              .name = name, .remote = nodes->url(), .durability = "tick", .frame_ms = kGameFrameMs},
          boards));
    }
    std::string names;
    for (const SharedBoard& board : boards) names += fmt::format("\"{}\", ", board.name);
    names.resize(names.size() - 2);
    servers[1]->tell(fmt::format("serve({})", names));
    std::vector<std::string> words = {LAUREL_SCRIPTS, servers[1]->wait_for("port")};
    for (const SharedBoard& board : boards) words.push_back(board.name);
    Process overlay("overlay.lua", words);
    // One list of each board: then everything is connected.
    for (std::size_t i = 0; i < boards.size(); ++i) overlay.wait_for("seen");
    servers[0]->tell(fmt::format("change({}, 0.016, {{ {} }})", kChanges, names));
    servers[0]->wait_for("done");

    // By board: the time at which the first list with at least that score came.
    std::map<std::string, std::map<int, double>> seen;
    const auto read_seen = [&] {
      for (const std::string& line : overlay.said()) {
        std::istringstream parts(line);
        std::string word;
        std::string board;
        std::string player;
        std::size_t count = 0;
        double score = 0;
        double moment = 0;
        parts >> word >> board >> count >> player >> score >> moment;
        if (word == "seen") seen[board].emplace(static_cast<int>(score), moment);
      }
    };
    std::vector<double> delays;
    for (const std::string& line : servers[0]->process().said()) {
      std::istringstream parts(line);
      std::string word;
      std::string board;
      int number = 0;
      double moment = 0;
      parts >> word >> board >> number >> moment;
      if (word != "changed") continue;
      const Time until = steady_now() + kPatience;
      for (read_seen(); seen[board].lower_bound(number) == seen[board].end(); read_seen()) {
        REQUIRE(steady_now() < until);
        overlay.listen(20'000);
      }
      delays.push_back((seen[board].lower_bound(number)->second - moment) * 1e3);
    }
    REQUIRE(delays.size() == kChanges);
    std::sort(delays.begin(), delays.end());
    const double p99 = delays[delays.size() * 99 / 100];
    fmt::print(
        "\na change on one server, seen by an overlay of the other: {} changes, p50 {:.1f} ms,"
        " p99 {:.1f} ms, longest {:.1f} ms\n",
        delays.size(), delays[delays.size() / 2], p99, delays.back());
    std::fflush(stdout);
    CHECK(p99 < 100);
    CHECK(overlay.finish() == 0);
    for (const auto& server : servers) server->finish();
  }
}

}  // namespace laurel
