// /v1/me: the entries around the player of a token, once and live.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "folder.h"
#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

constexpr std::string_view kLive = "Accept: text/event-stream\r\n";

std::string bearer(std::string_view token) {
  return fmt::format("Authorization: Bearer {}\r\n", token);
}

// A game server that wants tokens, with a board of nine players, and a gateway of it.
struct Place {
  Folder folder{"web"};
  Game game{[] {
    ServerOptions options;
    options.auth = Auth::token;
    return options;
  }()};
  BoardHandle kills = game.publish("kills");
  std::unique_ptr<Served> served;

  Place() {
    for (int i = 0; i < 9; ++i) game.submit(kills, fmt::format("p{}", i), 100 - i);
    folder.write("token", game.gateway_token() + "\n");
    web::GatewayOptions options = options_for(game.port());
    options.feed.channel.token_file = folder / "token";
    served = std::make_unique<Served>(std::move(options));
    served->wait_for("kills", 9);
  }
  Response me(std::string_view query, std::string_view token, std::string_view fields = {}) const {
    return get(served->port(), fmt::format("/v1/me?{}", query),
               bearer(token) + std::string(fields));
  }
};

std::string players(const Json& me) {
  std::string text;
  for (const Json& entry : me["entries"]) text += entry["player"].get<std::string>() + " ";
  return text;
}

TEST_CASE("a player's token answers with the entries around the player, and is not spent by it") {
  Place place;
  const std::string token = place.game.token("p4");
  for (int i = 0; i < 3; ++i) {
    const Response response = place.me("board=kills&n=1", token);
    REQUIRE_MESSAGE(response.status == 200, response.body);
    CHECK(response.field("cache-control") == "no-store");
    CHECK(response.field("vary") == "Origin");
    const Json me = response.json();
    CHECK(me["player"] == "p4");
    CHECK(me["board"] == "kills");
    CHECK(me["size"] == 9);
    CHECK(me["season"] == 1);
    CHECK(me["stale"] == false);
    CHECK(players(me) == "p3 p4 p5 ");
    CHECK(me["entries"][1]["rank"] == 5);
  }
  CHECK(players(place.me("board=kills", token).json()) == "p2 p3 p4 p5 p6 ");
  CHECK(players(place.me("board=kills&n=0", token).json()) == "p4 ");
  CHECK(players(place.me("board=kills&n=10", place.game.token("p0")).json()) ==
        "p0 p1 p2 p3 p4 p5 p6 p7 p8 ");
  CHECK(place.me("board=kills", place.game.token("stranger")).json()["entries"] == Json::array());
}

TEST_CASE("without a valid token the answer is 401, for a board that is not there 404") {
  Place place;
  const std::uint16_t port = place.served->port();
  CHECK(get(port, "/v1/me?board=kills").status == 401);
  CHECK(get(port, "/v1/me?board=kills", "Authorization: Basic YTpi\r\n").status == 401);
  CHECK(place.me("board=kills", "nonsense").status == 401);
  CHECK(place.me("board=kills", std::string(300, 'a')).status == 401);
  CHECK(place.me("board=kills", std::string(40, 'a')).status == 401);
  const std::string token = place.game.token("p4");
  CHECK(place.me("board=none", token).status == 404);
  CHECK(place.me("board=kills&n=11", token).status == 400);
  CHECK(place.me("", token).status == 400);
}

TEST_CASE("a player follows the own place live, with an id that is not sent again") {
  Place place;
  Visitor visitor(place.served->port());
  visitor.get("/v1/me?board=kills&n=1", bearer(place.game.token("p4", 2)) + std::string(kLive));
  const Response head = visitor.head();
  CHECK(head.status == 200);
  CHECK(head.field("content-type") == "text/event-stream");
  CHECK(head.field("cache-control") == "no-store");
  CHECK(head.field("x-accel-buffering") == "no");
  const Event first = visitor.event();
  CHECK(first.event == "top");
  CHECK(players(first.json()) == "p3 p4 p5 ");
  place.game.submit(place.kills, "p4", 200);
  const Event next = visitor.event();
  CHECK(players(next.json()) == "p4 p0 p1 ");
  Visitor again(place.served->port());
  again.get("/v1/me?board=kills&n=1", bearer(place.game.token("p4")) + std::string(kLive) +
                                          "Last-Event-ID: " + next.id + "\r\n");
  CHECK(again.head().status == 200);
  CHECK_FALSE(again.has_event(200));
}

TEST_CASE("a stream that was let in may come again, although its token is used up") {
  Place place;
  const std::string token = place.game.token("p4");
  Visitor visitor(place.served->port());
  visitor.get("/v1/me?board=kills", bearer(token) + std::string(kLive));
  visitor.event();
  {
    const auto connected = Client::connect({"127.0.0.1", place.game.port(), token, false, {}});
    REQUIRE(connected);
    Client* const client = connected->get();
    REQUIRE(client->subscribe("kills", 1, nullptr));
    REQUIRE(holds_soon([&] {
      client->tick();
      return client->player().has_value() && place.me("board=kills", token).status == 401;
    }));
    place.game.submit(place.kills, "p4", 300);
    CHECK(visitor.event().json()["entries"][0]["player"] == "p4");  // it outlives its token
    visitor.close();
    Visitor again(place.served->port());
    again.get("/v1/me?board=kills", bearer(token) + std::string(kLive));
    CHECK(again.head().status == 200);
    CHECK(again.event().json()["player"] == "p4");
    client->close();
  }
}

TEST_CASE("pages of an allowed origin may ask, after an OPTIONS, and others may not") {
  Place place;
  const std::uint16_t port = place.served->port();
  const std::string own = "Origin: https://boards.example\r\n",
                    other = "Origin: https://x.example\r\n";
  const Response allowed = get(port, "/v1/me?board=kills", own, "OPTIONS");
  CHECK(allowed.status == 204);
  CHECK(allowed.field("access-control-allow-origin") == "https://boards.example");
  CHECK(allowed.field("access-control-allow-headers") == "Authorization");
  CHECK(allowed.field("vary") == "Origin");
  CHECK(get(port, "/v1/me", other, "OPTIONS").status == 405);
  CHECK(get(port, "/v1/me", "", "OPTIONS").status == 405);
  CHECK(get(port, "/v1/boards", own, "OPTIONS").status == 405);
  const std::string token = place.game.token("p4");
  const Response mine = place.me("board=kills", token, own);
  CHECK(mine.status == 200);
  CHECK(mine.field("access-control-allow-origin") == "https://boards.example");
  CHECK(mine.field("vary") == "Origin");
  const Response refused = place.me("board=kills", token, other);
  CHECK(refused.status == 403);
  CHECK(refused.field("access-control-allow-origin").empty());
  CHECK(place.me("board=kills", "nonsense", own).field("access-control-allow-origin") ==
        "https://boards.example");
}

TEST_CASE("a gateway without a gateway's token says that it cannot tell whose a token is") {
  Game game;
  game.publish("kills");
  Served served(game);
  served.wait_for("kills", 0);
  const Response response = get(served.port(), "/v1/me?board=kills", bearer("any"));
  CHECK(response.status == 503);
  CHECK(response.error().starts_with("unsupported: "));
}

TEST_CASE("a player who is followed by many needs one subscription, which ends after a while") {
  Place place;
  std::vector<Visitor> visitors;
  const auto followed = [&] {
    std::uint64_t count = 0;
    place.game.act([&](Registry&, Publisher& publisher) { count = publisher.stats().followed; });
    return count;
  };
  for (int i = 0; i < 10; ++i) {
    visitors.emplace_back(place.served->port());
    visitors.back().get(fmt::format("/v1/me?board=kills&n={}", i),
                        bearer(place.game.token("p4")) + std::string(kLive));
    CHECK(visitors.back().event().json()["entries"].size() ==
          static_cast<std::size_t>(std::min(2 * i + 1, 9)));
  }
  CHECK(holds_soon([&] { return followed() == 1; }));
}

}  // namespace
}  // namespace laurel::test
