// Which viewer is offered which state, and when: passes over viewers that come, leave and are slow.
#include "web/feed/pacer.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "long_form.h"
#include "web/feed/topic.h"
#include "web/http/limits.h"

namespace laurel::web {
namespace {

WindowPtr window(std::uint64_t version) {
  auto made = std::make_shared<Window>();
  made->epoch = 1;
  made->version = version;
  return made;
}

struct Fixture final : Topic::Owner {
  Pacer pacer{10};
  std::unique_ptr<Topic> topic;
  int unused_calls = 0;

  Fixture() {
    Topic::Owner& owner = *this;
    topic = std::make_unique<Topic>("a", "", owner, pacer);
  }
  void unused(Topic&) override { ++unused_calls; }
};

struct Watcher final : Viewer {
  explicit Watcher(Topic& of) : topic(of) { topic.join(*this, 0, place); }
  ~Watcher() { leave(); }
  void leave() {
    if (joined) topic.leave(place);
    joined = false;
  }
  void offer(std::uint8_t, Time now) override {
    seen.push_back(topic.state()->id().version);
    at.push_back(now);
    if (leaves) leave();
    if (sends_away != nullptr) sends_away->leave();
  }

  Topic& topic;
  std::uint32_t place = 0;
  bool joined = true, leaves = false;
  Watcher* sends_away = nullptr;
  std::vector<std::uint64_t> seen;
  std::vector<Time> at;
};

TEST_CASE("a new state is offered at once, the next ones at the rate, and only the newest") {
  Fixture f;
  Watcher watcher(*f.topic);
  std::uint64_t version = 0;
  for (Time now = kSecond; now < 2 * kSecond; now += 5'000) {
    f.topic->show(*window(++version), 1, false);
    CHECK_FALSE(f.pacer.run(now, 1000));
  }
  CHECK(watcher.seen.size() == 10);
  CHECK(watcher.at.front() == kSecond);
  for (std::size_t i = 1; i < watcher.at.size(); ++i) {
    CHECK(watcher.at[i] - watcher.at[i - 1] >= 100'000);
  }
  // The last one is not forgotten.
  CHECK(f.pacer.next() == watcher.at.back() + 100'000);
  f.pacer.run(*f.pacer.next(), 1000);
  CHECK(watcher.seen.back() == version);
  CHECK_FALSE(f.pacer.next());
}

// A server's states come each 50 ms. From the third on they are a millisecond late: without a wait
// each pass would offer a state that is 50 ms old.
TEST_CASE("passes come with the states: one that is expected soon is waited for") {
  Fixture f;
  Watcher watcher(*f.topic);
  std::vector<Time> made(1);
  f.pacer.run(kSecond - kMillisecond, 1);
  for (Time now = kSecond; now < 3 * kSecond; now += kMillisecond) {
    const Time since = now - kSecond - (now >= kSecond + 100'000 ? kMillisecond : 0);
    if (since % (50 * kMillisecond) == 0) {
      f.topic->show(*window(made.size()), 1, false);
      made.push_back(now);
    }
    f.pacer.run(now, 1000);
  }
  REQUIRE(watcher.at.size() >= 19);
  for (std::size_t i = 1; i < watcher.at.size(); ++i) {
    CHECK(watcher.at[i] - watcher.at[i - 1] >= 100'000);
    CHECK(watcher.at[i] - made[watcher.seen[i]] == 0);
  }
}

TEST_CASE("a state that is expected and does not come is not waited for long") {
  Fixture f;
  Watcher watcher(*f.topic);
  Time last = 0;
  f.pacer.run(kSecond - kMillisecond, 1);
  for (Time now = kSecond; now < 2 * kSecond; now += kMillisecond) {
    const Time since = now - kSecond;
    if (since % (60 * kMillisecond) == 0 && since <= 60 * kMillisecond) {
      f.topic->show(*window(static_cast<std::uint64_t>(1 + since)), 1, false);
      last = now;
    }
    f.pacer.run(now, 1000);
  }
  REQUIRE(watcher.at.size() == 2);
  CHECK(watcher.at.back() > last + 60 * kMillisecond);
  CHECK(watcher.at.back() <= last + 60 * kMillisecond + kStateLate);
  CHECK_FALSE(f.pacer.next());
}

TEST_CASE("a state that differs in nothing is offered once") {
  Fixture f;
  Watcher watcher(*f.topic);
  f.topic->show(*window(1), 1, false);
  f.pacer.run(kSecond, 10);
  f.topic->show(*window(1), 1, false);
  CHECK_FALSE(f.pacer.next());
  f.topic->show(*window(1), 1, true);
  f.pacer.run(2 * kSecond, 10);
  f.topic->show(*window(1), 2, true);
  f.pacer.run(3 * kSecond, 10);
  CHECK(watcher.seen.size() == 3);
  f.topic->show_gone();
  f.topic->show_gone();
  f.pacer.run(4 * kSecond, 10);
  CHECK(watcher.seen.size() == 4);
}

TEST_CASE("a pass over many viewers is done in rounds, and topics take turns") {
  Fixture f, other;
  Topic::Owner& owner = other;
  Topic second("b", "", owner, f.pacer);
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < 200; ++i) watchers.push_back(std::make_unique<Watcher>(*f.topic));
  Watcher single(second);
  f.topic->show(*window(1), 1, false);
  second.show(*window(1), 1, false);
  CHECK(f.pacer.run(kSecond, 100));
  CHECK(single.seen.size() == 1);
  CHECK(f.pacer.run(kSecond, 100));
  CHECK_FALSE(f.pacer.run(kSecond, 100));
  for (const auto& watcher : watchers) CHECK(watcher->seen.size() == 1);
}

TEST_CASE("viewers that leave during a pass make no other miss it or see it twice") {
  const std::uint32_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < short_or_long(300, 30'000); ++round) {
    Fixture f;
    std::vector<std::unique_ptr<Watcher>> watchers;
    for (auto i = 1 + random() % 20; i > 0; --i) {
      watchers.push_back(std::make_unique<Watcher>(*f.topic));
      watchers.back()->leaves = random() % 3 == 0;
    }
    for (const auto& watcher : watchers) {
      if (random() % 3 == 0) watcher->sends_away = watchers[random() % watchers.size()].get();
    }
    f.topic->show(*window(1), 1, false);
    while (f.pacer.run(kSecond, 1 + random() % 5)) {
      if (random() % 4 == 0) watchers[random() % watchers.size()]->leave();
    }
    for (const auto& watcher : watchers) {
      if (watcher->joined) CHECK(watcher->seen.size() == 1);
      CHECK(watcher->seen.size() <= 1);
    }
    watchers.clear();
    CHECK(f.unused_calls >= 1);
    CHECK_FALSE(f.topic->is_used());
  }
}

TEST_CASE("a topic may be destroyed before and during its pass") {
  Fixture f;
  auto watcher = std::make_unique<Watcher>(*f.topic);
  auto second = std::make_unique<Watcher>(*f.topic);
  f.topic->show(*window(1), 1, false);
  CHECK(f.pacer.run(kSecond, 1));
  watcher.reset();
  second.reset();
  f.topic.reset();
  CHECK_FALSE(f.pacer.run(kSecond, 10));
  CHECK_FALSE(f.pacer.next());
}

}  // namespace
}  // namespace laurel::web
