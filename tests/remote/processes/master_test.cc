// A Redis Cluster that loses a master while game servers post to it.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "grounds.h"
#include "remote/limits.h"
#include "remote/redis/keys.h"
#include "remote/redis/shared_servers.h"
#include "server_process.h"

namespace laurel {

namespace {

using Servers = std::vector<std::unique_ptr<ServerProcess>>;

void listen_to(const Servers& servers, Time within) {
  const Time until = steady_now() + within;
  while (steady_now() < until) {
    for (const auto& server : servers) server->process().listen(5'000);
  }
}

// Restarts the killed node, as a replica in sync.
void bring_back(RedisServers& nodes, std::size_t node) {
  nodes.start(node);
  const Time until = steady_now() + kPatience;
  while (nodes.ask(node, "INFO replication").find("master_link_status:up") == std::string::npos) {
    if (steady_now() > until) FAIL("a node that was killed does not come back");
  }
}

std::size_t replica_of(const RedisServers& nodes, std::size_t master) {
  for (std::size_t i = 0; i < nodes.count(); ++i) {
    const std::string role = nodes.ask(i, "ROLE");
    const bool follows = role.find(std::to_string(nodes.port(master))) != std::string::npos;
    if (role.starts_with("slave") && follows) return i;
  }
  throw std::runtime_error("a master has no replica");
}

using Kill = std::function<void(RedisServers& nodes, std::size_t master)>;

// Two servers post while masters are killed in this way.
void kill_masters(int kills, std::uint64_t seed, const Kill& kill_master) {
  CAPTURE(seed);
  RedisServers* const nodes = redis_cluster();
  if (nodes == nullptr) return;
  std::mt19937_64 random(seed);
  const std::vector<SharedBoard> boards = redis_boards();
  Servers servers;
  for (const char* name : {"a", "b"}) {
    servers.push_back(std::make_unique<ServerProcess>(
        ServerProcess::Options{.name = name, .remote = nodes->url(), .durability = "tick"},
        boards));
  }
  for (std::uint64_t i = 0; i < servers.size(); ++i) {
    servers[i]->wait_until("up");
    servers[i]->play(seed * 10 + i, {.each = 5});
  }
  for (int kill = 0; kill < kills; ++kill) {
    CAPTURE(kill);
    listen_to(servers, 300'000 + static_cast<Time>(random() % 500'000));
    const SharedBoard& board = boards[random() % boards.size()];
    const std::size_t master = nodes->master_of(redis::ShardKeys(board.name, 0).state());
    nodes->wait_in_step(master);  // what it accepts without a replica is lost with it
    kill_master(*nodes, master);
    for (const auto& server : servers) server->wait_until("down:");
    for (const auto& server : servers) server->wait_until("up");  // its replica has taken over
    listen_to(servers, 200'000);
    bring_back(*nodes, master);
  }
  for (const auto& server : servers) server->pause();
  check_boards(servers, boards);
  for (const auto& server : servers) server->finish();
}

}  // namespace

TEST_CASE("posts count once although masters are killed while servers post") {
  kill_masters(is_long() ? 8 : 1, 3, [](const RedisServers& nodes, std::size_t master) {
    nodes.signal(master, SIGKILL);
  });
}

// The replica is stopped and disconnected before the master dies. What the master accepts in
// between has no copy, and so is not acknowledged: for longer than a post waits for its copy.
TEST_CASE("posts count once although a master dies with data that its replica never had") {
  kill_masters(is_long() ? 4 : 1, 4, [](const RedisServers& nodes, std::size_t master) {
    const std::size_t replica = replica_of(nodes, master);
    nodes.signal(replica, SIGSTOP);
    nodes.ask(master, "CLIENT KILL TYPE replica");
    std::this_thread::sleep_for(std::chrono::microseconds(3 * kRedisCopiedWithin));
    nodes.signal(master, SIGKILL);
    nodes.signal(replica, SIGCONT);
  });
}

TEST_SUITE_BEGIN("rewards");  // mostly waits until a dead server's rewards may be given by another

// The server that rewards a season is killed in the middle, and the master of the board with it.
TEST_CASE(
    "each season is rewarded once although a server dies rewarding it, and a master with it") {
  RedisServers* const nodes = redis_cluster();
  if (nodes == nullptr) return;
  std::vector<SharedBoard> boards = redis_boards();
  boards.resize(2);
  SharedBoard& played = boards[0];
  SharedBoard& rewards = boards[1];
  played.fields.emplace_back("archive", 1.0);
  rewards.name += "-rewards";
  rewards.fields = {{"keep", "sum"}, {"decimals", 0.0}};
  Servers servers;
  for (const char* name : {"a", "b"}) {
    servers.push_back(std::make_unique<ServerProcess>(
        ServerProcess::Options{.name = name, .remote = nodes->url(), .durability = "tick"},
        boards));
    servers.back()->wait_until("up");
    servers.back()->tell(fmt::format("reward(\"{}\", \"{}\")", played.name, rewards.name));
  }
  listen_to(servers, 2 * kSecond);  // the name is known to the board
  const auto saying = [&](const std::string& line) -> ServerProcess* {
    for (const auto& server : servers) {
      const auto& said = server->process().said();
      if (std::ranges::find(said, line) != said.end()) return server.get();
    }
    return nullptr;
  };
  const auto wait_for = [&](const std::string& line) {
    const Time until = steady_now() + 2 * kPatience;
    while (saying(line) == nullptr) {
      if (steady_now() > until) FAIL("no server says \"" << line << "\"");
      listen_to(servers, 5'000);
    }
    return saying(line);
  };
  constexpr int kPlayers = 40;
  const int seasons = is_long() ? 8 : 3;
  for (int season = 1; season <= seasons; ++season) {
    CAPTURE(season);
    ServerProcess& player = *servers[static_cast<std::size_t>(season) % 2];
    for (int i = 0; i < kPlayers; ++i) {
      player.tell(fmt::format("post(\"{}\", \"p{}\", {})", played.name, i, i + season));
    }
    player.settle();
    nodes->wait_in_step(nodes->master_of(redis::board_key(played.name)));
    const bool kills = season == 2;
    if (kills) {
      (void)wait_for(fmt::format("told 1 {}", kPlayers));
      for (const auto& server : servers) {
        server->tell(fmt::format("stop_before({})", kPlayers / 2));
      }
    }
    player.tell(fmt::format("reset(\"{}\")", played.name));
    CHECK(player.wait_for("ended") == std::to_string(season));
    if (!kills) continue;
    ServerProcess* const victim = wait_for("stopped 2");
    const std::size_t master = nodes->master_of(redis::board_key(played.name));
    victim->kill();
    nodes->signal(master, SIGKILL);
    const Time died = steady_now();
    CHECK(saying(fmt::format("told 2 {}", kPlayers)) == nullptr);
    for (const auto& server : servers) {
      if (server.get() == victim) continue;
      server->tell("stop_before()");
      server->wait_until("down:");
      server->wait_until("up");  // the replica has taken over
    }
    (void)wait_for(fmt::format("told 2 {}", kPlayers));
    CHECK(steady_now() - died < 60 * kSecond);
    victim->start();
    victim->tell(fmt::format("reward(\"{}\", \"{}\")", played.name, rewards.name));
    bring_back(*nodes, master);
    for (const auto& server : servers) server->wait_until("up");
  }
  (void)wait_for(fmt::format("told {} {}", seasons, kPlayers));
  for (const auto& server : servers) server->settle();
  const std::vector<ShownEntry> given = servers[0]->dump(rewards.name);
  CHECK(given.size() == kPlayers);
  for (const ShownEntry& entry : given) {
    CAPTURE(entry.player);
    CHECK(entry.score == seasons);
  }
  for (const auto& server : servers) server->finish();
}

TEST_SUITE_END();

}  // namespace laurel
