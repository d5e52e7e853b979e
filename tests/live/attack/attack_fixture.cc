#include "live/attack/attack_fixture.h"

#include <algorithm>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <thread>

#include <doctest/doctest.h>

#include "live/snapshots.h"

namespace laurel::test {

namespace {

using std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr std::size_t kTens = 16;     // honest clients with ten entries
constexpr std::size_t kHundreds = 4;  // honest clients with a hundred
constexpr std::uint64_t kPostedKept = 400;
constexpr int kLowerPriority = 15;

double in_milliseconds(steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

double at(std::vector<double> samples, double share) {
  if (samples.empty()) return 1e9;
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
}

}  // namespace

std::size_t allocated() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

Scene::Scene(const ServerOptions& options)
    : tokens_(options.auth == Auth::token), next_post_(steady_clock::now()) {
  auto server = Server::start(options);
  REQUIRE_MESSAGE(server, server.refusal().text());
  server_ = std::move(*server);
  server_->set_key(key_);
  for (std::size_t i = 0; i < kTens + kHundreds; ++i) add_honest(i < kTens ? 10 : 100);
  REQUIRE(until(std::chrono::seconds(10), [this] {
    return std::all_of(honest_.begin(), honest_.end(),
                       [](const auto& each) { return each->version > 0; });
  }));
}

Token Scene::token(std::uint32_t uses, bool sealed) {
  Ticket ticket;
  ticket.sealed = sealed;
  ticket.id = random_();
  ticket.player = player_id(ticket.id % 1000);
  ticket.word = static_cast<std::uint32_t>(ticket.id);
  ticket.uses = uses;
  for (char& byte : ticket.secret) byte = static_cast<char>(random_());
  server_->add(ticket);
  Token token{ticket.word, ticket.secret};
  if (sealed) token.server = key_.public_key;
  return token;
}

void Scene::add_honest(std::size_t top) {
  ClientOptions options;
  options.host = "127.0.0.1";
  options.port = server_->port();
  if (tokens_) options.token = to_text(token(1, true));
  auto client = Client::connect(options);
  REQUIRE(client);
  auto& honest = *honest_.emplace_back(std::make_unique<Honest>());
  honest.client = std::move(*client);
  honest.top = top;
  REQUIRE(honest.client->subscribe(kBoard, top, [this, &honest](const Result<WindowPtr>& window) {
    if (window) hear(honest, *window);
  }));
}

void Scene::hear(Honest& honest, const WindowPtr& window) {
  ++figures_.states;
  const auto posted = posted_.find(window->version);
  const bool newer = window->version > std::exchange(honest.version, window->version);
  if (posted == posted_.end() || !newer) {
    ++figures_.wrong;
    return;
  }
  const Window& right = *posted->second.window;
  const bool same =
      window->size == right.size && window->entries.size() == honest.top &&
      std::equal(window->entries.begin(), window->entries.end(), right.entries.begin());
  figures_.wrong += same ? 0 : 1;
  latencies_.push_back(in_milliseconds(steady_clock::now() - posted->second.at));
}

// Ten of the hundred entries change rank and score at each tick, all of them among the first ten.
WindowPtr Scene::next_window() {
  Window window = ladder(100, 7, ++version_);
  window.size = 1000 + version_ % 7;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t player = (i + version_) % 10;
    window.entries[i] =
        entry(player_id(player), 2e6 + static_cast<double>(version_ * 10 - i), i + 1);
  }
  return std::make_shared<const Window>(std::move(window));
}

void Scene::step() {
  const auto now = steady_clock::now();
  if (now >= next_post_) {
    next_post_ = std::max(next_post_ + kTick, now);
    const WindowPtr window = next_window();
    posted_[version_] = {window, now};
    posted_.erase(posted_.begin(), posted_.lower_bound(version_ - std::min(version_, kPostedKept)));
    server_->set_time(
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
    server_->post(kBoard, window);
    figures_.bytes_most = std::max(figures_.bytes_most, allocated());
    figures_.clients_most = std::max(figures_.clients_most, server_->stats().clients);
  }
  for (const auto& honest : honest_) honest->client->tick();
  ::poll(nullptr, 0, 1);  // the pace of a game loop, not a wait for an event
}

Figures Scene::play(std::chrono::milliseconds time, const Attack& attack) {
  figures_ = {};
  latencies_.clear();
  std::atomic<bool> over{false};
  std::thread attacker;
  if (attack) {
    attacker = std::thread([&, port = server_->port()] {
      ::setpriority(PRIO_PROCESS, 0, kLowerPriority);  // of this thread only
      attack(port, over);
    });
  }
  const auto end = steady_clock::now() + time;
  while (steady_clock::now() < end) step();
  over = true;
  if (attacker.joinable()) attacker.join();
  figures_.median = at(latencies_, 0.5);
  figures_.p99 = at(latencies_, 0.99);
  return figures_;
}

bool Scene::until(std::chrono::milliseconds time, const std::function<bool()>& holds) {
  const auto end = steady_clock::now() + time;
  while (steady_clock::now() < end) {
    if (holds()) return true;
    step();
  }
  return holds();
}

double Scene::newcomer(double milliseconds_most) {
  const auto begun = steady_clock::now();
  add_honest(10);
  const Honest& added = *honest_.back();
  (void)until(std::chrono::milliseconds(static_cast<int>(milliseconds_most)),
              [&] { return added.version > 0; });
  const double took = added.version > 0 ? in_milliseconds(steady_clock::now() - begun) : 1e9;
  honest_.pop_back();
  return took;
}

bool Scene::all_connected() const {
  return std::all_of(honest_.begin(), honest_.end(),
                     [](const auto& each) { return each->client->state() == "connected"; });
}

}  // namespace laurel::test
