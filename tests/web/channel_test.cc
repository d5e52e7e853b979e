// What viewers see of the game server's absence: stale states, refusals, restarts.
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "folder.h"
#include "live/proxy.h"
#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

TEST_CASE("without a server: boards are 503, streams are let in, and health says why") {
  Served served(options_for(9));
  const Response health = served.get("/healthz");
  CHECK(health.status == 503);
  CHECK(health.body.starts_with("connecting: "));
  for (const std::string_view target : {"/v1/boards", "/v1/boards/kills"}) {
    const Response response = served.get(target);
    CHECK(response.status == 503);
    CHECK(response.field("retry-after") == "1");
  }
  Visitor visitor(served.port());
  visitor.get("/v1/boards/kills/live");
  CHECK(visitor.head().status == 200);
  CHECK_FALSE(visitor.has_event(50));
  CHECK(served.get("/").status == 200);
}

TEST_CASE("a silent server is noticed within five seconds: states are stale, then current again") {
  Game game;
  const BoardHandle kills = game.publish("kills"), laps = game.publish("laps");
  game.submit(kills, "ada", 1);
  game.submit(laps, "ada", 1);
  Proxy proxy(game.port(), 1);
  Served served(options_for(proxy.port()));
  served.wait_for("kills", 1);
  served.wait_for("laps", 1);
  Visitor visitor(served.port());
  visitor.get("/v1/boards/kills/live");
  const Event before = visitor.event();
  const std::string etag = served.get("/v1/boards/kills").field("etag");
  proxy.black_out(true);
  const Time begin = steady_now();
  const Event stale = visitor.event();
  CHECK(steady_now() - begin < 5 * kSecond);
  CHECK(stale.json()["stale"] == true);
  CHECK(stale.json()["version"] == before.json()["version"]);
  CHECK(stale.id != before.id);
  const Response health = served.get("/healthz");
  CHECK(health.status == 503);
  CHECK(health.body.starts_with("lost: "));
  const Response response = served.get("/v1/boards/kills", "If-None-Match: " + etag + "\r\n");
  CHECK(response.status == 200);
  CHECK(response.json()["stale"] == true);
  CHECK(served.get("/v1/boards/none").status == 503);
  CHECK(served.get("/v1/boards").status == 200);
  CHECK(served.get("/metrics").body.find("laurel_web_channel_up 0") != std::string::npos);
  // One board changes meanwhile, the other does not.
  game.submit(laps, "bob", 2);
  proxy.black_out(false);
  const Event back = visitor.event();
  CHECK(back.json()["stale"] == false);
  CHECK(back.id == before.id);
  CHECK(served.is_healthy());
  CHECK(holds_soon([&] {
    const Json json = served.get("/v1/boards/laps").json();
    return json["size"] == 2 && json["stale"] == false;
  }));
}

TEST_CASE("every kind of stream is told that states are stale, and that they are not any longer") {
  ProxiedBoard kills({.scores = players(3), .wants_tokens = true});
  Served& served = kills.served;
  Visitor several = served.stream("/v1/live?board=kills&board=none");
  Visitor frames = served.websocket("/v1/boards/kills/live");
  Visitor me = served.stream(
      "/v1/me?board=kills", fmt::format("Accept: text/event-stream\r\nAuthorization: Bearer {}\r\n",
                                        kills.game.token("p1")));
  const auto all_are = [&](bool stale) {
    const Event event = several.event();
    CHECK(event.json()["stale"] == stale);
    CHECK((event.id.find("-stale") != std::string::npos) == stale);
    CHECK(frames.frame().json()["stale"] == stale);
    CHECK(me.event().json()["stale"] == stale);
  };
  all_are(false);
  kills.proxy.black_out(true);
  all_are(true);
  kills.proxy.black_out(false);
  all_are(false);
}

TEST_CASE("a server that says goodbye is missed at once, and one that comes back is found") {
  auto game = std::make_unique<Game>();
  game->submit(game->publish("kills"), "ada", 1);
  const std::uint16_t port = game->port();
  Served served(options_for(port));
  served.wait_for("kills", 1);
  Visitor visitor(served.port());
  visitor.get("/v1/boards/kills/live");
  const Event before = visitor.event();
  game.reset();
  Event event = visitor.event();
  while (event.json()["stale"] == false) event = visitor.event();
  ServerOptions options;
  options.port = port;
  game = std::make_unique<Game>(options);
  game->submit(game->publish("kills"), "bob", 2);
  while (event.json()["stale"] == true || event.json()["top"].empty()) event = visitor.event();
  CHECK(event.json()["top"][0]["player"] == "bob");
  CHECK(event.json()["epoch"] != before.json()["epoch"]);
}

TEST_CASE("a refused gateway says so, and is let in with the token that its file has later") {
  GameWithBoard::Setup setup{.scores = {}, .wants_tokens = true};
  GameWithBoard kills(setup);
  const std::string good = kills.folder.read("token");
  kills.folder.write("token", std::string("gateway-") + std::string(40, 'a'));
  web::GatewayOptions options = kills.options(setup);
  options.feed.channel.again_after = 200'000;
  Served served(std::move(options));
  REQUIRE(holds_soon([&] { return served.get("/healthz").body.starts_with("refused: "); }));
  CHECK(served.get("/healthz").status == 503);
  const std::string lines = served.lines();
  const std::size_t said = lines.find("refused: ");
  CHECK(said != std::string::npos);
  CHECK(lines.find("refused: ", said + 1) == std::string::npos);
  kills.folder.write("token", good);
  CHECK(holds_soon([&] { return served.is_healthy(); }));
  served.wait_for("kills", 0);
}

TEST_CASE("a gateway whose token is revoked is refused, and serves what it knows as stale") {
  ServedBoard kills({.wants_tokens = true});
  std::string token = kills.folder.read("token");
  token.pop_back();  // the end of its line
  kills.game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(*publisher.revoke_gateway_token(registry, token));
  });
  CHECK(holds_soon([&] { return kills.get("/healthz").body.starts_with("refused: "); }));
  CHECK(kills.get("/v1/boards/kills").json()["stale"] == true);
}

TEST_CASE("1,024 boards are served to a gateway, and sixty-four to one without a token") {
  constexpr int kBoards = 1100;
  Game game;
  for (int i = 0; i < kBoards; ++i) game.publish(fmt::format("b{:04}", i));
  const auto served_boards = [](const Served& served) {
    Visitor visitor(served.port());
    int count = 0;
    for (int i = 0; i < kBoards; ++i) {
      visitor.get(fmt::format("/v1/boards/b{:04}", i));
      count += visitor.response().status == 200 ? 1 : 0;
    }
    return count;
  };
  const Folder folder("web");
  folder.write("token", game.gateway_token());
  web::GatewayOptions with_token = options_for(game.port());
  with_token.feed.channel.token_file = folder / "token";
  Served all(std::move(with_token)), some(game);
  CHECK(holds_soon([&] { return served_boards(all) == 1024; }));
  CHECK(holds_soon([&] { return served_boards(some) == 64; }));
  CHECK(all.lines().find("76 of 1100 boards are not served") != std::string::npos);
  CHECK(some.lines().find("1036 of 1100 boards are not served") != std::string::npos);
  CHECK(all.get("/v1/boards").json().size() == kBoards);
}

}  // namespace
}  // namespace laurel::test
