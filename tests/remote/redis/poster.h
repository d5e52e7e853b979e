// poster.h - a game server that posts to one board, with the simplest possible journal: per lane
// one post is in flight, and it is sent again until it is acknowledged.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "board/fixture.h"
#include "redis_fixture.h"
#include "remote/remote.h"
#include "remote/request/spec_codec.h"

namespace laurel {

inline constexpr Time kPatience = 30 * kSecond;

class Poster {
 public:
  Poster(const std::string& url, std::string board, Spec spec)
      : remote_(std::move(*open_remote(url))),
        board_(std::move(board)),
        spec_(std::make_shared<const Spec>(std::move(spec))),
        lanes_(spec_->engine == EngineKind::sharded ? spec_->shards : 1) {}

  Remote& remote() { return *remote_; }

  Result<Value> ask(Request what, Time timeout = kPatience) {
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

  // Asks again if the board was created but not copied in time.
  bool create() {
    const Time give_up = steady_now() + kPatience;
    for (bool again = false;; again = true) {
      const Result<Value> created = ask(request::WriteSpec{text_of(*spec_), 0});
      if (created) return std::get<bool>(*created) || again;
      const bool may_pass = created.refusal().code() == Code::unavailable;
      if (!may_pass || steady_now() > give_up) FAIL(created.refusal().text());
    }
  }

  void post(const std::string& player, double score) {
    request::Write write;
    write.how = WriteMode::add;
    write.what.player = player;
    write.what.score = score;
    write.post = PostNumber{server_, ++number_, 0};
    lanes_[lane_of(*spec_, player)].waiting.push_back(std::move(write));
  }

  // Returns whether no post waits.
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

  // Runs for this time, regardless of acknowledgements.
  void pump_for(Time time) {
    const Time until = steady_now() + time;
    while (steady_now() < until) {
      pump();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  // The number of posts not yet acknowledged.
  std::size_t waiting() const {
    std::size_t waiting = 0;
    for (const Lane& lane : lanes_) waiting += lane.waiting.size();
    return waiting;
  }

  double score(const std::string& player) {
    const Result<Value> held = ask(request::Held{player});
    if (!held) FAIL(held.refusal().text());
    return std::get<HeldEntry>(*held).score.value_or(0);
  }

 private:
  struct Lane {
    std::vector<request::Write> waiting;
    RequestId under_way = 0;
    Time retry_at = 0;
  };

  RequestId send(Request what, Time timeout) {
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

inline Spec sums(double shards) {
  return *spec({{"engine", "sharded"}, {"shards", shards}, {"keep", "sum"}}).create();
}

inline std::string new_name() { return fmt::format("outage {:x}", random_u64()); }

// Two servers post, and `disturb` is called after each round. In the end every post must have
// counted once.
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
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  first.pump_all();
  second.pump_all();
  for (const auto& each : expected) {
    CHECK_MESSAGE(first.score(each.first) == each.second, each.first);
  }
  const auto size = first.ask(request::Size{});
  REQUIRE(size);
  CHECK(std::get<std::uint64_t>(*size) == expected.size());
}

}  // namespace laurel
