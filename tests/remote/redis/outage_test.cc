// Redis servers that are killed or stopped, and slots that move, while servers continue to post.
#include <csignal>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "folder.h"
#include "poster.h"
#include "remote/redis/keys.h"
#include "remote/redis/net/slot_map.h"
#include "remote/remote_boards.h"
#include "shared_servers.h"

namespace laurel {

namespace {

void post_while_slots_move(const RedisServers& servers) {
  const std::string name = new_name();
  const std::string key = redis::ShardKeys(name, 2).state();
  const std::uint16_t slot = redis::slot_of(key);
  std::size_t from = servers.count();
  std::size_t to = servers.count();
  std::string from_id;
  std::string to_id;
  play_on(servers, name, 24, [&](int round) {
    if (round % 8 == 2) {
      from = servers.master_of(key);
      for (std::size_t i = 0; i < servers.count(); ++i) {
        if (i != from && servers.ask(i, "ROLE").starts_with("master")) to = i;
      }
      from_id = servers.ask(from, "CLUSTER MYID");
      to_id = servers.ask(to, "CLUSTER MYID");
      servers.ask(to, fmt::format("CLUSTER SETSLOT {} IMPORTING {}", slot, from_id));
      servers.ask(from, fmt::format("CLUSTER SETSLOT {} MIGRATING {}", slot, to_id));
    } else if (round % 8 == 4) {  // the keys are split between both servers for two rounds
      servers.ask(from, fmt::format("MIGRATE 127.0.0.1 {} '{}' 0 5000", servers.port(to), key));
    } else if (round % 8 == 6) {
      for (int looks = 0; looks < 100; ++looks) {
        const std::string left =
            servers.ask(from, fmt::format("CLUSTER GETKEYSINSLOT {} 100", slot));
        if (left.empty()) break;
        for (std::size_t at = 0; at < left.size();) {
          const std::size_t end = std::min(left.find('\n', at), left.size());
          servers.ask(from, fmt::format("MIGRATE 127.0.0.1 {} '{}' 0 5000", servers.port(to),
                                        left.substr(at, end - at)));
          at = end + 1;
        }
      }
      servers.ask(to, fmt::format("CLUSTER SETSLOT {} NODE {}", slot, to_id));
      servers.ask(from, fmt::format("CLUSTER SETSLOT {} NODE {}", slot, to_id));
    }
  });
}

void post_while_a_master_dies(const RedisServers& servers) {
  const std::string name = new_name();
  play_on(servers, name, 60, [&](int round) {
    if (round != 20) return;
    servers.signal(servers.master_of(redis::ShardKeys(name, 0).state()), SIGKILL);
  });
}

}  // namespace

TEST_CASE("scripts are loaded again after a server has lost them") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  play_on(*servers, new_name(), 15, [&](int) { servers->ask(0, "SCRIPT FLUSH SYNC"); });
}

TEST_CASE("a server that is stopped for a while continues, and every post counts once") {
  const auto servers = RedisServers::one();
  if (!servers) return;
  play_on(*servers, new_name(), 100, [&](int round) {
    if (round == 10) servers->signal(0, SIGSTOP);
    if (round == 90) servers->signal(0, SIGCONT);
  });
}

TEST_CASE("posts count once although slots move from one server to another meanwhile") {
  if (RedisServers* const servers = redis_cluster()) post_while_slots_move(*servers);
}

TEST_CASE("posts over TLS count once although slots move from one server to another meanwhile") {
  if (RedisServers* const servers = redis_tls_cluster()) post_while_slots_move(*servers);
}

TEST_CASE("a killed master is replaced by its replica, and every post counts once") {
  if (const auto servers = RedisServers::cluster()) post_while_a_master_dies(*servers);
}

TEST_CASE("a master that is killed under TLS is replaced, and every post counts once") {
  CertificateAuthority authority;
  ServerTls tls = tls_of(authority);
  tls.own = authority.issue({"localhost"});  // the cluster announces this name
  const auto servers = RedisServers::cluster({.tls = tls, .host = "localhost"});
  if (servers) post_while_a_master_dies(*servers);
}

TEST_CASE("the last known top outlives the server's Redis, and a restart without it") {
  const auto servers = RedisServers::one();
  if (!servers) return;
  const test::Folder folder("boards");
  const std::string name = new_name();
  {
    RegistryOptions options{.path = folder.path()};
    options.log = Log([](Level, std::string_view) {});
    auto remotes = RemoteBoards::open({.urls = {{"main", servers->url()}}, .players = {}});
    REQUIRE(remotes);
    options.remotes = std::move(*remotes);
    auto opened = Registry::open(std::move(options));
    REQUIRE(opened);
    const std::unique_ptr<Registry> registry = std::move(*opened);
    RemoteBoards& boards = *RemoteBoards::of(*registry);
    const BoardHandle board = *boards.open(name, spec({{"remote", "main"}}));
    REQUIRE(boards.watch(board, 10, [](const WatchEvent&) {}));
    for (const auto& [player, score] : {std::pair{"ada", 10.0}, {"bob", 20.0}}) {
      REQUIRE(boards.post(board, {.player = player, .score = score}));
    }
    const Time end = steady_now() + 30 * kSecond;
    const auto entries = [&] {
      const std::optional<KnownTop> known = registry->known_tops().find(name);
      return known ? known->top.entries.size() : 0;
    };
    while (entries() < 2 && steady_now() < end) registry->tick();
    CHECK(entries() == 2);
    servers->signal(0, SIGKILL);
    REQUIRE(registry->close());
  }
  RegistryOptions options{.path = folder.path()};
  const auto registry = Registry::open(std::move(options));
  REQUIRE(registry);
  const std::optional<KnownTop> known = (*registry)->known_tops().find(name);
  REQUIRE(known);
  CHECK(known->top.size == 2);
  CHECK(known->top.entries[0].player == "bob");
  CHECK(known->top.entries[1].score == 10);
}

TEST_CASE("followers of a board in Redis are told of changes within 100 ms") {
  RedisServers* const servers = redis_cluster();
  if (servers == nullptr) return;
  const std::string name = new_name();
  const Spec spec = sums(4);
  Poster writer(servers->url(), name, spec);
  Poster reader(servers->url(), name, spec);
  REQUIRE(writer.create());
  reader.remote().follow({name, std::make_shared<const Spec>(spec), 0});
  reader.score("p");
  const Time settle = steady_now() + 1'500'000;
  while (steady_now() < settle) reader.pump();
  int late = 0;
  for (int i = 0; i < 50; ++i) {
    reader.changed = 0;
    request::Write write;
    write.what.player = fmt::format("p{}", i);
    write.what.score = 1;
    REQUIRE(writer.ask(write));
    const Time written = steady_now();
    while (reader.changed == 0 && steady_now() < written + 3 * kSecond) reader.pump();
    REQUIRE(reader.changed > 0);
    if (steady_now() - written > 100'000) ++late;
  }
  CHECK(late <= 1);
}

TEST_CASE("a password is sent to the server, and never appears in a message") {
  const auto servers = RedisServers::one({.password = "correct-horse"});
  if (!servers) return;
  const std::string hosts = servers->hosts();
  const Spec spec = sums(2);
  Poster good("redis://:correct-horse@" + hosts, new_name(), spec);
  CHECK(good.create());
  Poster bad("redis://:battery-staple@" + hosts, new_name(), spec);
  const Result<Value> refused = bad.ask(request::ReadSpec{}, kSecond / 2);
  REQUIRE_FALSE(refused);
  CHECK(refused.refusal().text().find("password") != std::string_view::npos);
  CHECK(refused.refusal().text().find("staple") == std::string_view::npos);
  CHECK(bad.remote().state().down.find("staple") == std::string::npos);
  CHECK_FALSE(bad.remote().state().down.empty());
}

}  // namespace laurel
