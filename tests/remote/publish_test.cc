// A remote board on the live channel: writes of another server reach this server's clients.
#include <functional>
#include <poll.h>

#include <doctest/doctest.h>

#include "live/auth/token.h"
#include "live/client/client.h"
#include "live/limits.h"
#include "live/server/publisher.h"
#include "servers.h"

namespace laurel {

namespace {

std::string shown(const WindowPtr& window) {
  std::string text;
  if (!window) return text;
  for (const WindowEntry& entry : window->entries) {
    text += fmt::format("{}{} {} {}{}", text.empty() ? "" : ", ", entry.rank, entry.player,
                        entry.score, entry.data ? " " + *entry.data : "");
  }
  return text;
}

struct OnAir {
  OnAir() {
    Result<std::unique_ptr<Publisher>> started = Publisher::start({});
    REQUIRE_MESSAGE(started, started.refusal().text());
    live = started->get();
    slot = here.registry->attach(std::move(*started));
  }

  std::unique_ptr<Client> connect(const std::string& token = {}) const {
    auto client = Client::connect({"127.0.0.1", live->port(), token, false, {}});
    REQUIRE_MESSAGE(client, client.refusal().text());
    return std::move(*client);
  }
  // Ticks until the condition holds. Returns false if it does not within ten seconds.
  bool until(Client& client, const std::function<bool()>& holds) {
    const Time end = steady_now() + 10 * kSecond;
    while (steady_now() < end) {
      here.tick();
      there.tick();
      client.tick();
      if (holds()) return true;
      poll(nullptr, 0, 1);  // the pace of a game loop, not a wait for an event
    }
    return false;
  }

  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer here{time, store};
  GameServer there{time, store};
  BoardHandle ours = here.open("world");
  BoardHandle theirs = there.open("world");
  Publisher* live = nullptr;
  Registry::ObserverId slot = 0;
};

}  // namespace

TEST_CASE(
    "writes of another server reach this server's clients, and an outage does not clear them") {
  OnAir game;
  REQUIRE(game.live->publish_remote(*game.here.registry, game.ours, {.top = 2, .data = false}));
  const std::unique_ptr<Client> client = game.connect();
  std::string heard;
  REQUIRE(client->subscribe("world", 10, [&](const Result<WindowPtr>& top) {
    heard = top ? shown(*top) : std::string(top.refusal().text());
  }));
  request::Write write{.what = {.player = "alice", .score = 10, .data = "secret"}};
  REQUIRE(game.there.ask(game.theirs, write));
  REQUIRE(game.until(*client, [&] { return heard == "1 alice 10"; }));
  REQUIRE(game.there.submit(game.theirs, "bob", 20));
  REQUIRE(game.until(*client, [&] { return heard == "1 bob 20, 2 alice 10"; }));
  REQUIRE(game.there.submit(game.theirs, "carol", 30));
  REQUIRE(game.until(*client, [&] { return heard == "1 carol 30, 2 bob 20"; }));

  game.here.remote->down("gone");
  game.here.tick(20);
  client->tick();
  CHECK(heard == "1 carol 30, 2 bob 20");
  REQUIRE(game.there.submit(game.theirs, "dora", 40));
  game.here.remote->down("");
  REQUIRE(game.until(*client, [&] { return heard == "1 dora 40, 2 carol 30"; }));

  CHECK(game.live->unpublish_remote(*game.here.registry, game.ours));
  CHECK_FALSE(game.live->unpublish_remote(*game.here.registry, game.ours));
  REQUIRE(game.until(*client, [&] { return heard.starts_with("unknown"); }));
  CHECK_FALSE(game.here.remote->follows("world"));
}

TEST_CASE("a subscription to a board whose top was not yet read waits, without an error") {
  OnAir game;
  game.here.remote->stall(true);
  REQUIRE(game.live->publish_remote(*game.here.registry, game.ours, {}));
  const std::unique_ptr<Client> client = game.connect();
  std::vector<std::string> heard;
  const auto listen = [&](const std::string& board) {
    return [&heard, board](const Result<WindowPtr>& top) {
      heard.push_back(board + ": " + (top ? shown(*top) : std::string(word(top.refusal().code()))));
    };
  };
  REQUIRE(client->subscribe("world", 10, listen("world")));
  REQUIRE(client->subscribe("other", 10, listen("other")));  // not published
  REQUIRE(game.until(*client, [&] { return !heard.empty(); }));
  CHECK(heard == std::vector<std::string>{"other: unknown"});
  REQUIRE(game.there.submit(game.theirs, "alice", 10));
  game.here.remote->stall(false);
  REQUIRE(game.until(*client, [&] { return heard.back() == "world: 1 alice 10"; }));
  for (const std::string& each : heard) CHECK(each != "world: unknown");
}

TEST_CASE("a subscription that waits for a first top is told when the board is unpublished") {
  OnAir game;
  game.here.remote->stall(true);
  REQUIRE(game.live->publish_remote(*game.here.registry, game.ours, {}));
  const std::unique_ptr<Client> client = game.connect();
  std::string heard;
  REQUIRE(client->subscribe("world", 10, [&](const Result<WindowPtr>& top) {
    heard = top ? shown(*top) : std::string(word(top.refusal().code()));
  }));
  REQUIRE(game.until(*client, [&] { return game.live->stats().subscriptions == 1; }));
  CHECK(heard.empty());
  CHECK(game.live->unpublish_remote(*game.here.registry, game.ours));
  REQUIRE(game.until(*client, [&] { return heard == "unknown"; }));
}

TEST_CASE("dropping a remote board unpublishes it") {
  OnAir game;
  REQUIRE(game.live->publish_remote(*game.here.registry, game.ours, {}));
  const std::unique_ptr<Client> client = game.connect();
  std::string heard;
  REQUIRE(client->subscribe("world", 10, [&](const Result<WindowPtr>& top) {
    heard =
        top ? fmt::format("{} entries", (*top)->entries.size()) : std::string(top.refusal().text());
  }));
  REQUIRE(game.until(*client, [&] { return heard == "0 entries"; }));
  CHECK(game.here.get<bool>(game.ours, request::Drop{}));
  REQUIRE(game.until(*client, [&] { return heard.starts_with("unknown"); }));
  CHECK(verdict(game.live->publish_remote(*game.here.registry, game.ours, {})) == "unknown");
}

TEST_CASE(
    "the entries around a followed player are read at most at the rate that clients are shown") {
  OnAir game;
  REQUIRE(game.live->publish_remote(*game.here.registry, game.ours, {}));
  for (int i = 0; i < 20; ++i) {
    REQUIRE(game.there.submit(game.theirs, fmt::format("p{:02}", i), 100 - i));
  }
  const Result<Token> token = game.live->token(*game.here.registry, "p10", 60, 1);
  REQUIRE(token);
  const std::unique_ptr<Client> client = game.connect(to_text(*token));
  std::string heard;
  const Time began = steady_now();
  REQUIRE(client->follow("world", 1, [&](const Result<WindowPtr>& around) {
    heard = around ? shown(*around) : std::string(around.refusal().text());
  }));
  REQUIRE(game.until(*client, [&] { return heard == "10 p09 91, 11 p10 90, 12 p11 89"; }));
  REQUIRE(game.there.submit(game.theirs, "p11", 91.5));
  REQUIRE(game.until(*client, [&] { return heard == "11 p09 91, 12 p10 90, 13 p12 88"; }));
  const auto passed = static_cast<double>(steady_now() - began) / kSecond;
  CHECK(static_cast<double>(game.here.remote->asked<request::Around>()) <=
        2 + passed * kLiveAroundRate);
}

}  // namespace laurel
