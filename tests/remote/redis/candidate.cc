// Adds Redis to the suite that every remote must pass: one server, and a cluster over TLS. The user
// has no other rights than those that the guide lists.
#include "../conformance/candidate.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "long_form.h"
#include "redis_fixture.h"
#include "shared_servers.h"

namespace laurel {

namespace {

// Gives the servers the user for game servers, as the guide says.
void add_documented_user(const RedisServers& servers) {
  static std::set<const RedisServers*> done;
  if (!done.insert(&servers).second) return;
  std::ifstream guide(LAUREL_REMOTES_GUIDE);
  int lines = 0;
  for (std::string line; std::getline(guide, line);) {
    if (!line.starts_with("ACL SETUSER game ")) continue;
    ++lines;
    std::string quoted;  // for the shell
    for (const char each : line) {
      if (std::string_view(">&|*~").find(each) != std::string_view::npos) quoted += '\\';
      quoted += each;
    }
    for (std::size_t i = 0; i < servers.count(); ++i) REQUIRE(servers.ask(i, quoted) == "OK");
  }
  REQUIRE(lines > 1);
}

class RedisGround final : public RemoteGround {
 public:
  explicit RedisGround(const RedisServers& servers) : servers_(servers) {
    add_documented_user(servers);
  }
  // What a user may not do is logged by the server.
  ~RedisGround() override {
    for (std::size_t i = 0; i < servers_.count(); ++i) CHECK(servers_.ask(i, "ACL LOG").empty());
  }
  std::unique_ptr<Remote> connect() override {
    return std::move(*open_remote(servers_.scheme() + "game:correct-horse@" + servers_.hosts() +
                                  servers_.options()));
  }

 private:
  const RedisServers& servers_;
};

bool is_sharded(const Spec& spec) { return spec.engine == EngineKind::sharded; }
bool is_in_one_slot(const Spec& spec) { return !is_sharded(spec) || spec.shards == 1; }

std::unique_ptr<RemoteGround> ground(RedisServers* servers) {
  return servers == nullptr ? nullptr : std::make_unique<RedisGround>(*servers);
}

#if defined(__SANITIZE_THREAD__)
constexpr int kHistories = 1;  // the threads exchange the same things in each
constexpr int kSteps = 40;
#else
constexpr int kHistories = 2;
constexpr int kSteps = 120;
#endif
constexpr int kHistoriesOfLong = 5;

const std::vector<Fields> kEngines = {
    {}, {{"engine", "sharded"}, {"shards", 4.0}}, {{"engine", "sharded"}, {"shards", 1.0}}};

[[maybe_unused]] const bool one =
    add_candidate({.name = "redis",
                   .make = [] { return ground(one_redis()); },
                   .engines = kEngines,
                   .owned_ids = is_sharded,
                   .counts_players = is_in_one_slot,
                   .histories = short_or_long(kHistories, kHistoriesOfLong),
                   .steps = kSteps});
[[maybe_unused]] const bool cluster =
    add_candidate({.name = "redis cluster over TLS",
                   .make = [] { return ground(redis_tls_cluster()); },
                   .engines = kEngines,
                   .owned_ids = is_sharded,
                   .counts_players = is_in_one_slot,
                   .histories = short_or_long(1, 3),
                   .steps = kSteps});

}  // namespace

}  // namespace laurel
