// What a Redis does when it is killed, stopped, or its slots move, while servers go on posting.
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "board/fixture.h"
#include "remote/redis/layout.h"
#include "remote/redis/slot_map.h"
#include "remote/remote.h"
#include "remote/spec_text.h"
#include "shared_servers.h"

namespace laurel {

namespace {

constexpr Time kPatience = 30 * kSecond;

// A game server that posts to one board, with a journal as plain as can be: per lane one post is
// under way, and it is asked again until it was acknowledged.
class Poster {
 public:
  Poster(const std::string& url, std::string board, Spec spec)
      : remote_(std::move(*open_remote(url))),
        board_(std::move(board)),
        spec_(std::make_shared<const Spec>(std::move(spec))),
        lanes_(spec_->engine == EngineKind::sharded ? spec_->shards : 1) {}

  Remote& remote() { return *remote_; }

  Result<Value> ask(Ask what, Time timeout = kPatience) {
    const RequestId id = send(std::move(what), timeout);
    for (;;) {
      take();
      if (const auto found = answers_.find(id); found != answers_.end()) {
        Result<Value> value = std::move(found->second);
        answers_.erase(found);
        return value;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  bool create() { return std::get<bool>(*ask(ask::WriteSpec{text_of(*spec_), 0})); }

  void post(const std::string& player, double score) {
    ask::Write write;
    write.how = Writing::add;
    write.what.player = player;
    write.what.score = score;
    write.post = PostNumber{server_, ++number_, 0};
    lanes_[lane_of(*spec_, player)].waiting.push_back(std::move(write));
  }

  // Whether nothing waits any more.
  bool pump() {
    take();
    bool done = true;
    for (Lane& lane : lanes_) {
      if (const auto found = answers_.find(lane.under_way); found != answers_.end()) {
        if (found->second) {
          lane.waiting.erase(lane.waiting.begin());
        } else {
          REQUIRE(found->second.refusal().code() == Code::unavailable);
          CHECK(found->second.refusal().text().find("unknown") == std::string_view::npos);
          lane.retry_at = steady_now() + 20'000;
        }
        answers_.erase(found);
        lane.under_way = 0;
      }
      if (lane.waiting.empty()) continue;
      done = false;
      if (lane.under_way == 0 && steady_now() >= lane.retry_at) {
        lane.under_way = send(lane.waiting.front(), kSecond);
      }
    }
    return done;
  }
  void pump_all() {
    const Time give_up = steady_now() + kPatience;
    while (!pump()) {
      if (steady_now() > give_up) FAIL("posts are not acknowledged: " << remote_->state().down);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  double score(const std::string& player) {
    const Result<Value> held = ask(ask::Held{player});
    if (!held) FAIL(held.refusal().text());
    return std::get<Seen>(*held).score.value_or(0);
  }

 private:
  struct Lane {
    std::vector<ask::Write> waiting;
    RequestId under_way = 0;
    Time retry_at = 0;
  };

  RequestId send(Ask what, Time timeout) {
    const RequestId id = ++last_;
    remote_->ask({.id = id,
                  .target = {board_, spec_, 0},
                  .what = std::move(what),
                  .now = Fixture::kStart,
                  .deadline = steady_now() + timeout});
    return id;
  }
  void take() {
    News news;
    remote_->take(news);
    for (Answer& answer : news.answers) {
      REQUIRE(answers_.emplace(answer.id, std::move(answer.value)).second);
    }
    changed += news.changed.size();
  }

  std::unique_ptr<Remote> remote_;
  std::string board_;
  std::shared_ptr<const Spec> spec_;
  std::vector<Lane> lanes_;
  std::uint64_t server_ = random_u64() >> 1;
  std::uint64_t number_ = 0;
  RequestId last_ = 0;
  std::map<RequestId, Result<Value>> answers_;

 public:
  std::size_t changed = 0;
};

Spec sums(double shards) {
  return *spec({{"engine", "sharded"}, {"shards", shards}, {"keep", "sum"}}).create();
}

std::string new_name() { return fmt::format("outage {:x}", random_u64()); }

// Two servers post while `disturb` is called after each round; then every post counted once.
template <typename Disturb>
void play_on(const RedisServers& servers, const std::string& name, int rounds, Disturb disturb) {
  const Spec spec = sums(6);
  Poster first(servers.url(), name, spec);
  Poster second(servers.url(), name, spec);
  REQUIRE(first.create());
  std::map<std::string, double> expected;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 20; ++i) {
      const std::string player = fmt::format("p{}", (round * 7 + i) % 25);
      (i % 2 == 0 ? first : second).post(player, i + 1);
      expected[player] += i + 1;
    }
    disturb(round);
    const Time until = steady_now() + 20'000;
    while (steady_now() < until) {
      first.pump();
      second.pump();
    }
  }
  first.pump_all();
  second.pump_all();
  for (const auto& [player, score] : expected) {
    CAPTURE(player);
    CHECK(first.score(player) == score);
  }
  const auto size = first.ask(ask::Size{});
  REQUIRE(size);
  CHECK(std::get<std::uint64_t>(*size) == expected.size());
}

}  // namespace

TEST_CASE("a server that forgets its scripts is told them again") {
  RedisServers* const servers = one_redis();
  if (servers == nullptr) return;
  play_on(*servers, new_name(), 15, [&](int) { servers->ask(0, "SCRIPT FLUSH SYNC"); });
}

TEST_CASE("a server that stands still for a while goes on, and every post counts once") {
  const auto servers = RedisServers::one();
  if (!servers) return;
  play_on(*servers, new_name(), 100, [&](int round) {
    if (round == 10) servers->signal(0, SIGSTOP);
    if (round == 90) servers->signal(0, SIGCONT);
  });
}

TEST_CASE("posts count once although slots move from one server to another meanwhile") {
  RedisServers* const servers = redis_cluster();
  if (servers == nullptr) return;
  const std::string name = new_name();
  const std::string key = redis::ShardKeys(name, 2).state();
  const std::uint16_t slot = redis::slot_of(key);
  std::size_t from = servers->count();
  std::size_t to = servers->count();
  std::string from_id;
  std::string to_id;
  play_on(*servers, name, 24, [&](int round) {
    if (round % 8 == 2) {
      from = servers->master_of(key);
      for (std::size_t i = 0; i < servers->count(); ++i) {
        if (i != from && servers->ask(i, "ROLE").starts_with("master")) to = i;
      }
      from_id = servers->ask(from, "CLUSTER MYID");
      to_id = servers->ask(to, "CLUSTER MYID");
      servers->ask(to, fmt::format("CLUSTER SETSLOT {} IMPORTING {}", slot, from_id));
      servers->ask(from, fmt::format("CLUSTER SETSLOT {} MIGRATING {}", slot, to_id));
    } else if (round % 8 == 4) {  // half of the keys are here and half there for two rounds
      servers->ask(from, fmt::format("MIGRATE 127.0.0.1 {} '{}' 0 5000", servers->port(to), key));
    } else if (round % 8 == 6) {
      for (int looks = 0; looks < 100; ++looks) {
        const std::string left =
            servers->ask(from, fmt::format("CLUSTER GETKEYSINSLOT {} 100", slot));
        if (left.empty()) break;
        for (std::size_t at = 0; at < left.size();) {
          const std::size_t end = std::min(left.find('\n', at), left.size());
          servers->ask(from, fmt::format("MIGRATE 127.0.0.1 {} '{}' 0 5000", servers->port(to),
                                         left.substr(at, end - at)));
          at = end + 1;
        }
      }
      servers->ask(to, fmt::format("CLUSTER SETSLOT {} NODE {}", slot, to_id));
      servers->ask(from, fmt::format("CLUSTER SETSLOT {} NODE {}", slot, to_id));
    }
  });
}

TEST_CASE("a master that is killed is replaced by its replica, and every post counts once") {
  const auto servers = RedisServers::cluster();
  if (!servers) return;
  const std::string name = new_name();
  play_on(*servers, name, 60, [&](int round) {
    if (round != 20) return;
    const std::size_t master = servers->master_of(redis::ShardKeys(name, 0).state());
    // What it has acknowledged its replica has too: WAIT on its own connection would not say so of
    // others', so the replica's offset is compared.
    servers->ask(master, "CLIENT PAUSE 200 WRITE");
    for (int looks = 0; looks < 200; ++looks) {
      const std::string info = servers->ask(master, "INFO replication");
      const auto number_after = [&](const std::string& word) {
        const std::size_t at = info.find(word);
        return at == std::string::npos ? -1LL : std::atoll(info.c_str() + at + word.size());
      };
      if (number_after("offset=") == number_after("master_repl_offset:")) break;
    }
    servers->signal(master, SIGKILL);
  });
}

TEST_CASE("those who follow a board hear of what others do to it within 100 ms") {
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
    ask::Write write;
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

TEST_CASE("a password is shown to the server and to nobody else") {
  const auto servers = RedisServers::one("correct-horse");
  if (!servers) return;
  const std::string hosts = servers->url().substr(std::string("redis://").size());
  const Spec spec = sums(2);
  Poster good("redis://:correct-horse@" + hosts, new_name(), spec);
  CHECK(good.create());
  Poster bad("redis://:battery-staple@" + hosts, new_name(), spec);
  const Result<Value> refused = bad.ask(ask::ReadSpec{}, kSecond / 2);
  REQUIRE_FALSE(refused);
  CHECK(refused.refusal().text().find("password") != std::string_view::npos);
  CHECK(refused.refusal().text().find("staple") == std::string_view::npos);
  CHECK(bad.remote().state().down.find("staple") == std::string::npos);
  CHECK_FALSE(bad.remote().state().down.empty());
}

}  // namespace laurel
