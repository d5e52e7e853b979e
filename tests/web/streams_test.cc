// Event streams and WebSockets of boards, over a real server.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

TEST_CASE("a stream begins with the state, and each change comes as a whole state") {
  ServedBoard kills;
  Visitor visitor(kills.port());
  visitor.get("/v1/boards/kills/live?top=2");
  const Response head = visitor.head();
  CHECK(head.status == 200);
  CHECK(head.field("content-type") == "text/event-stream");
  CHECK(head.field("cache-control") == "no-store");
  CHECK(head.field("x-accel-buffering") == "no");
  CHECK(head.field("access-control-allow-origin") == "*");
  CHECK(head.field("x-content-type-options") == "nosniff");
  const Event first = event_with(visitor, 1);
  CHECK(first.event == "top");
  CHECK(first.id == fmt::format("{}-{}", first.json()["epoch"].get<std::string>(),
                                first.json()["version"].get<std::uint64_t>()));
  CHECK(visitor.retry >= 500);
  CHECK(visitor.retry <= 1500);
  kills.submit("bob", 2);
  kills.submit("cleo", 3);
  const Event next = event_with(visitor, 3);
  CHECK(next.id != first.id);
  CHECK(next.json()["top"].size() == 2);
  CHECK(next.json()["size"] == 3);
  CHECK(next.json() == kills.get("/v1/boards/kills?top=2").json());
}

TEST_CASE("a viewer that has the state is sent nothing until it changes") {
  ServedBoard kills;
  const Event first = [&] {
    Visitor visitor = kills.stream("/v1/boards/kills/live");
    return event_with(visitor, 1);
  }();
  Visitor again = kills.stream("/v1/boards/kills/live", "Last-Event-ID: " + first.id + "\r\n");
  CHECK_FALSE(again.has_event(200));
  kills.submit("ada", 2);
  event_with(again, 2);
  // An id that is no longer true is an old one.
  Visitor old = kills.stream("/v1/boards/kills/live", "Last-Event-ID: " + first.id + "\r\n");
  CHECK(event_with(old, 2).id != first.id);
  Visitor strange = kills.stream("/v1/boards/kills/live", "Last-Event-ID: x,y,,\r\n");
  event_with(strange, 2);
}

TEST_CASE("an id of several boards joins theirs, and only what changed is sent again") {
  Game game;
  const BoardHandle a = game.publish("a"), b = game.publish("b");
  game.submit(a, "ada", 1);
  game.submit(b, "bob", 2);
  Served served(game);
  served.wait_for("a", 1);
  served.wait_for("b", 1);
  Visitor both = served.stream("/v1/live?board=a&board=none&board=b&top=1");
  const Event first = event_with(both, 1);
  CHECK(first.json()["board"] == "a");
  CHECK(first.id.ends_with(",,"));
  const Event second = event_with(both, 2);
  CHECK(second.json()["board"] == "b");
  CHECK(second.id.starts_with(first.id.substr(0, first.id.size() - 1)));
  CHECK(second.id.find(",,") != std::string::npos);
  both.close();
  game.submit(b, "bob", 3);
  REQUIRE(holds_soon([&] { return served.get("/v1/boards/b").json()["top"][0]["score"] == 3; }));
  Visitor again = served.stream("/v1/live?board=a&board=none&board=b&top=1",
                                "Last-Event-ID: " + second.id + "\r\n");
  CHECK(again.event().json()["board"] == "b");
  CHECK_FALSE(again.has_event(200));
}

TEST_CASE("an unpublished board is gone, the stream stays, and its top comes when it is back") {
  ServedBoard kills;
  Visitor visitor = kills.stream("/v1/boards/kills/live");
  event_with(visitor, 1);
  kills.game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.unpublish(registry, kills.board));
  });
  const Event gone = visitor.event();
  CHECK(gone.event == "gone");
  CHECK(gone.id.empty());
  CHECK(gone.json() == Json{{"board", "kills"}, {"error", "unknown: no board is called 'kills'"}});
  CHECK(kills.get("/v1/boards/kills").status == 404);
  Visitor newcomer = kills.stream("/v1/boards/kills/live");
  CHECK_FALSE(newcomer.has_event(100));
  kills.game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.publish(registry, kills.board, {}));
  });
  CHECK(event_with(visitor, 1).event == "top");
  event_with(newcomer, 1);
}

TEST_CASE("a board that is dropped under a stream is gone, and one of its name is another") {
  ServedBoard kills;
  Visitor visitor = kills.stream("/v1/boards/kills/live");
  const Event before = event_with(visitor, 1);
  kills.game.act([&](Registry& registry, Publisher&) { REQUIRE(*registry.drop("kills")); });
  CHECK(visitor.event().event == "gone");
  kills.game.submit(kills.game.publish("kills"), "bob", 2);
  CHECK(event_with(visitor, 2).json()["epoch"] != before.json()["epoch"]);
}

TEST_CASE("a reset is a top of the new season") {
  ServedBoard kills;
  Visitor visitor = kills.stream("/v1/boards/kills/live");
  const Event before = event_with(visitor, 1);
  CHECK(before.json()["season"] == 1);
  kills.game.act(
      [&](Registry& registry, Publisher&) { REQUIRE(registry.get(kills.board)->reset()); });
  const Event after = visitor.event();
  CHECK(after.event == "top");
  CHECK(after.json()["season"] == 2);
  CHECK(after.json()["top"].empty());
  CHECK(after.json()["epoch"] != before.json()["epoch"]);
}

TEST_CASE("a stream of a board that is not published waits without a word") {
  Game game;
  Served served(game);
  REQUIRE(holds_soon([&] { return served.get("/healthz").status == 200; }));
  Visitor visitor = served.stream("/v1/boards/to%20come/live");
  CHECK_FALSE(visitor.has_event(100));
  const BoardHandle board = game.publish("to come");
  game.submit(board, "ada", 5);
  event_with(visitor, 5);
}

TEST_CASE("a viewer gets no more events a second than the rate, and the last state") {
  ServedBoard kills({.scores = {{"ada", 0.5}},
                     .gateway = [](web::GatewayOptions& options) { options.rate = 5; }});
  Visitor visitor = kills.stream("/v1/boards/kills/live");
  event_with(visitor, 0.5);
  const Time begin = steady_now();
  double score = 1;
  int events = 0;
  while (steady_now() - begin < kSecond) {
    kills.submit("ada", score++);
    if (visitor.has_event(10)) ++events;
  }
  CHECK(events >= 2);
  CHECK(events <= 5);
  event_with(visitor, score - 1);
}

TEST_CASE("a WebSocket gets the same JSON, one text frame a state") {
  ServedBoard kills;
  Visitor visitor(kills.port());
  visitor.get("/v1/boards/kills/live?top=1", kUpgrade);
  const Response head = visitor.head();
  CHECK(head.status == 101);
  CHECK(head.field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const Frame first = visitor.frame();
  CHECK(first.opcode == 1);
  CHECK(first.json() == kills.get("/v1/boards/kills?top=1").json());
  kills.submit("a player with a name that makes the frame longer than 125 bytes", 2);
  CHECK(visitor.frame().json()["top"][0]["score"] == 2);
  // A ping is answered, text is not, and a close is.
  visitor.send(std::string("\x89\x82\x00\x00\x00\x00hi", 8));
  visitor.send(std::string("\x81\x82\x00\x00\x00\x00hi", 8));
  const Frame pong = visitor.frame();
  CHECK(pong.opcode == 10);
  CHECK(pong.payload == "hi");
  visitor.send(std::string("\x88\x82\x00\x00\x00\x00\x03\xe8", 8));
  CHECK(visitor.frame().opcode == 8);
  CHECK(visitor.is_closed());
}

TEST_CASE("?last= of a WebSocket stands for Last-Event-ID, and a gone board is a frame") {
  ServedBoard kills;
  Visitor events = kills.stream("/v1/boards/kills/live");
  const std::string id = event_with(events, 1).id;
  Visitor visitor = kills.websocket("/v1/live?board=kills&last=" + id);
  kills.game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.unpublish(registry, kills.board));
  });
  CHECK(visitor.frame().json() ==
        Json{{"board", "kills"}, {"error", "unknown: no board is called 'kills'"}});
}

TEST_CASE("a WebSocket that breaks the protocol is closed with 1002, a bad request is 400") {
  ServedBoard kills({.scores = {}});
  Visitor visitor = kills.websocket("/v1/live?board=none");
  visitor.send(std::string("\x81\x05hello and more", 16));  // not masked
  const Frame close = visitor.frame();
  CHECK(close.opcode == 8);
  CHECK(close.payload == std::string("\x03\xea", 2));
  CHECK(visitor.is_closed());
  CHECK(kills
            .get("/v1/live?board=a",
                 "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
            .status == 400);
  CHECK(kills
            .get("/v1/live?board=a",
                 "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
            .field("sec-websocket-version") == "13");
}

TEST_CASE("WebSockets are for the gateway's own pages, or for those of the origins given") {
  Game game;
  const auto status = [](std::uint16_t port, const std::string& origin) {
    Visitor visitor(port);
    visitor.get("/v1/live?board=a", std::string(kUpgrade) + "Origin: " + origin + "\r\n");
    return visitor.head().status;
  };
  {
    Served served(game);
    CHECK(status(served.port(), "https://boards.example") == 101);
    CHECK(status(served.port(), "http://BOARDS.example") == 101);
    CHECK(status(served.port(), "https://evil.example") == 403);
    CHECK(status(served.port(), "https://boards.example.evil") == 403);
    CHECK(status(served.port(), "null") == 403);
  }
  web::GatewayOptions options = options_for(game.port());
  options.site.origins = {"https://game.example"};
  Served served(std::move(options));
  CHECK(status(served.port(), "https://game.example") == 101);
  CHECK(status(served.port(), "https://boards.example") == 403);
}

TEST_CASE("a viewer that does not read misses states, holds up no other, and gets the newest") {
  ServedBoard kills({.scores = players(20),
                     .data = std::string(1000, 'x'),
                     .gateway = [](web::GatewayOptions& options) { options.rate = 20; }});
  Visitor slow(kills.port(), "127.0.0.1", 4096);
  slow.get("/v1/boards/kills/live?top=20");
  Visitor fast = kills.stream("/v1/boards/kills/live?top=20");
  double score = 100;
  REQUIRE(holds_soon([&] {
    kills.submit("p0", ++score);
    event_with(fast, score);
    return kills.metric("laurel_web_conflated_total") > 3;
  }));
  slow.head();
  int events = 0;
  while (true) {
    ++events;
    const Json json = slow.event().json();
    if (!json["top"].empty() && json["top"][0]["score"] == score) break;
  }
  CHECK(events < static_cast<int>(score) - 100);
}

TEST_CASE("a gateway that ends tells its viewers to come again") {
  ServedBoard kills({.scores = {}});
  Visitor events = kills.stream("/v1/boards/kills/live");
  events.event();
  events.retry = 0;
  Visitor frames = kills.websocket("/v1/boards/kills/live");
  frames.frame();
  const Time begin = steady_now();
  kills.end();
  CHECK(steady_now() - begin < kSecond);
  CHECK_FALSE(events.has_event(1000));
  CHECK(events.retry > 0);
  CHECK(events.is_closed());
  const Frame close = frames.frame();
  CHECK(close.opcode == 8);
  CHECK(close.payload == std::string("\x03\xf4", 2));
}

}  // namespace
}  // namespace laurel::test
