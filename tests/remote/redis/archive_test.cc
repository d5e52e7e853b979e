// An acknowledged post survives the loss of its server, because a replica has it too.
#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "poster.h"
#include "remote/limits.h"
#include "remote/redis/keys.h"

namespace laurel {

namespace {

// The name of a board with one shard whose master still has a replica.
std::string name_on_living_pair(const RedisServers& servers, std::size_t alone) {
  for (;;) {
    std::string name = new_name();
    const std::size_t master = servers.master_of(redis::ShardKeys(name, 0).state());
    if (master != alone) return name;
  }
}

struct Failover {
  double posted = 0;
  double held = 0;
  std::size_t acknowledged = 0;  // of the posts that the replica never saw
  std::size_t survivor = 0;
};

// Cuts off the replica, posts to the master for a while, and kills it. The replica takes over with
// what it had. It is restarted, so that it loses what the network still carried to it.
Failover lose_a_master(RedisServers& servers, const std::string& name, const std::string& options) {
  constexpr std::size_t kPosts = 40;
  Failover story;
  const auto post_some = [&](Poster& poster) {
    for (std::size_t i = 0; i < kPosts; ++i) {
      poster.post("p", static_cast<double>(i + 1));
      story.posted += static_cast<double>(i + 1);
    }
  };
  Poster poster(servers.url() + options, name, sums(1));
  REQUIRE(poster.create());
  post_some(poster);
  poster.pump_all();
  const std::size_t master = servers.master_of(redis::ShardKeys(name, 0).state());
  const std::size_t replica = servers.replica_of(master);
  servers.wait_in_step(master);  // it has the board, even if the posts did not wait for copies
  servers.signal(replica, SIGSTOP);
  post_some(poster);
  poster.pump_for(2 * kRedisCopiedWithin);
  story.acknowledged = kPosts - poster.waiting();
  servers.signal(master, SIGKILL);
  servers.signal(replica, SIGKILL);
  servers.start(replica);
  servers.wait_until(replica, "PING", "PONG");
  servers.wait_until(replica, "CLUSTER FAILOVER TAKEOVER", "OK");
  servers.wait_until(replica, "ROLE", "master");
  poster.pump_all();
  story.held = poster.score("p");
  story.survivor = replica;
  return story;
}

}  // namespace

TEST_CASE("an acknowledged post survives a failover to a replica that was cut off before") {
  const auto servers = RedisServers::cluster();
  if (!servers) return;
  // Control: without copies, what only the master acknowledged is lost.
  const Failover alone = lose_a_master(*servers, new_name(), "?copies=0");
  CHECK(alone.acknowledged == 40);
  CHECK(alone.held < alone.posted);
  const Failover copied =
      lose_a_master(*servers, name_on_living_pair(*servers, alone.survivor), "");
  CHECK(copied.acknowledged == 0);
  CHECK(copied.held == copied.posted);
}

TEST_CASE("a master that lost its last replica continues to take posts after a while") {
  const auto servers = RedisServers::pair();
  if (!servers) return;
  Poster poster(servers->url(), new_name(), sums(2));
  REQUIRE(poster.create());
  for (int i = 0; i < 20; ++i) poster.post(fmt::format("p{}", i % 4), 1);
  poster.pump_all();
  servers->signal(1, SIGKILL);
  const Time lost = steady_now();
  for (int i = 0; i < 20; ++i) poster.post(fmt::format("p{}", i % 4), 1);
  poster.pump_for(2 * kRedisCopiedWithin);
  CHECK(poster.waiting() == 20);
  poster.pump_all();
  CHECK(steady_now() - lost >= kRedisAloneAfter);
  CHECK(poster.score("p1") == 10);
}

TEST_CASE("posts that require a copy wait for a replica, and count once when there is one") {
  const auto servers = RedisServers::pair();
  if (!servers) return;
  Poster poster(servers->url() + "?copies=1", new_name(), sums(1));
  REQUIRE(poster.create());
  servers->signal(1, SIGKILL);
  for (int i = 0; i < 20; ++i) poster.post("p", 1);
  poster.pump_for(2 * kRedisCopiedWithin + kSecond / 5);
  CHECK(poster.waiting() == 20);
  servers->start(1);
  servers->wait_until(1, "PING", "PONG");
  servers->replicate(1, 0);
  poster.pump_all();
  CHECK(poster.score("p") == 20);
}

TEST_CASE("while posts wait for copies, reads and other writes do not") {
  const auto servers = RedisServers::pair();
  if (!servers) return;
  Poster poster(servers->url(), new_name(), sums(1));
  REQUIRE(poster.create());
  poster.post("p", 1);
  poster.pump_all();
  servers->signal(1, SIGSTOP);
  for (int i = 0; i < 20; ++i) poster.post("p", 1);
  poster.pump_for(kRedisCopiedWithin / 5);
  Time longest = 0;
  const Time until = steady_now() + kRedisCopiedWithin;
  while (steady_now() < until) {
    const Time asked = steady_now();
    request::Write write;
    write.what = {.player = "q", .score = 1};
    CHECK(poster.ask(write));
    (void)poster.score("q");
    longest = std::max(longest, steady_now() - asked);
    poster.pump();
  }
  CHECK(longest < kRedisCopiedWithin / 2);
  CHECK(poster.waiting() == 20);
  servers->signal(1, SIGCONT);
  poster.pump_all();
  CHECK(poster.score("p") == 21);
}

TEST_CASE("among several servers outside a cluster, the new master is found") {
  const auto servers = RedisServers::pair();
  if (!servers) return;
  play_on(*servers, new_name(), 60, [&](int round) {
    if (round == 20) servers->signal(0, SIGKILL);
    if (round == 25) servers->ask(1, "REPLICAOF NO ONE");
  });
}

}  // namespace laurel
