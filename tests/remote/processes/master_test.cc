// A Redis Cluster that loses a master while game servers post to it.
#include <csignal>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "base/steady_clock.h"
#include "grounds.h"
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

// The replica is stopped and disconnected shortly before the master dies. What the master accepts
// in between has no copy, and so is not acknowledged.
TEST_CASE("posts count once although a master dies with data that its replica never had") {
  kill_masters(is_long() ? 4 : 1, 4, [](const RedisServers& nodes, std::size_t master) {
    const std::size_t replica = replica_of(nodes, master);
    nodes.signal(replica, SIGSTOP);
    nodes.ask(master, "CLIENT KILL TYPE replica");
    const Time until = steady_now() + 100'000;
    while (steady_now() < until) std::this_thread::yield();
    nodes.signal(master, SIGKILL);
    nodes.signal(replica, SIGCONT);
  });
}

}  // namespace laurel
