// Event streams and WebSockets of boards, over a real server.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/steady_clock.h"
#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

constexpr std::string_view kUpgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

Visitor viewer(std::uint16_t port, std::string_view target, std::string_view fields = {}) {
  Visitor made(port);
  made.get(target, fields);
  const Response head = made.head();
  REQUIRE_MESSAGE(head.status == 200, head.status);
  return made;
}

// The first event whose leader has the score.
Event event_with(Visitor& visitor, double score) {
  while (true) {
    const Event event = visitor.event();
    const Json json = event.json();
    if (json.contains("top") && !json["top"].empty() && json["top"][0]["score"] == score) {
      return event;
    }
  }
}

TEST_CASE("a stream begins with the state, and each change comes as a whole state") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  Visitor visitor(served.port());
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
  game.submit(kills, "bob", 2);
  game.submit(kills, "cleo", 3);
  const Event next = event_with(visitor, 3);
  CHECK(next.id != first.id);
  CHECK(next.json()["top"].size() == 2);
  CHECK(next.json()["size"] == 3);
  CHECK(next.json() == get(served.port(), "/v1/boards/kills?top=2").json());
}

TEST_CASE("a viewer that has the state is sent nothing until it changes") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  const Event first = [&] {
    Visitor visitor = viewer(served.port(), "/v1/boards/kills/live");
    return event_with(visitor, 1);
  }();
  Visitor again =
      viewer(served.port(), "/v1/boards/kills/live", "Last-Event-ID: " + first.id + "\r\n");
  CHECK_FALSE(again.has_event(200));
  game.submit(kills, "ada", 2);
  event_with(again, 2);
  // An id that is no longer true is an old one.
  Visitor old =
      viewer(served.port(), "/v1/boards/kills/live", "Last-Event-ID: " + first.id + "\r\n");
  CHECK(event_with(old, 2).id != first.id);
  Visitor strange = viewer(served.port(), "/v1/boards/kills/live", "Last-Event-ID: x,y,,\r\n");
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
  Visitor both = viewer(served.port(), "/v1/live?board=a&board=none&board=b&top=1");
  const Event first = event_with(both, 1);
  CHECK(first.json()["board"] == "a");
  CHECK(first.id.ends_with(",,"));
  const Event second = event_with(both, 2);
  CHECK(second.json()["board"] == "b");
  CHECK(second.id.starts_with(first.id.substr(0, first.id.size() - 1)));
  CHECK(second.id.find(",,") != std::string::npos);
  both.close();
  game.submit(b, "bob", 3);
  REQUIRE(holds_soon(
      [&] { return get(served.port(), "/v1/boards/b").json()["top"][0]["score"] == 3; }));
  Visitor again = viewer(served.port(), "/v1/live?board=a&board=none&board=b&top=1",
                         "Last-Event-ID: " + second.id + "\r\n");
  CHECK(again.event().json()["board"] == "b");
  CHECK_FALSE(again.has_event(200));
}

TEST_CASE("an unpublished board is gone, the stream stays, and its top comes when it is back") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  Visitor visitor = viewer(served.port(), "/v1/boards/kills/live");
  event_with(visitor, 1);
  game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.unpublish(registry, kills));
  });
  const Event gone = visitor.event();
  CHECK(gone.event == "gone");
  CHECK(gone.id.empty());
  CHECK(gone.json() == Json{{"board", "kills"}, {"error", "unknown: no board is called 'kills'"}});
  CHECK(get(served.port(), "/v1/boards/kills").status == 404);
  Visitor newcomer = viewer(served.port(), "/v1/boards/kills/live");
  CHECK_FALSE(newcomer.has_event(100));
  game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.publish(registry, kills, {}));
  });
  CHECK(event_with(visitor, 1).event == "top");
  event_with(newcomer, 1);
}

TEST_CASE("a reset is a top of the new season") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  Visitor visitor = viewer(served.port(), "/v1/boards/kills/live");
  const Event before = event_with(visitor, 1);
  CHECK(before.json()["season"] == 1);
  game.act([&](Registry& registry, Publisher&) { REQUIRE(registry.get(kills)->reset()); });
  const Event after = visitor.event();
  CHECK(after.event == "top");
  CHECK(after.json()["season"] == 2);
  CHECK(after.json()["top"].empty());
  CHECK(after.json()["epoch"] != before.json()["epoch"]);
}

TEST_CASE("a stream of a board that is not published waits without a word") {
  Game game;
  Served served(game);
  REQUIRE(holds_soon([&] { return get(served.port(), "/healthz").status == 200; }));
  Visitor visitor = viewer(served.port(), "/v1/boards/to%20come/live");
  CHECK_FALSE(visitor.has_event(100));
  const BoardHandle board = game.publish("to come");
  game.submit(board, "ada", 5);
  event_with(visitor, 5);
}

TEST_CASE("a viewer gets at most as many events a second as the rate, and the last state") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 0.5);
  web::GatewayOptions options = options_for(game.port());
  options.rate = 5;
  Served served(std::move(options));
  served.wait_for("kills", 1);
  Visitor visitor = viewer(served.port(), "/v1/boards/kills/live");
  event_with(visitor, 0.5);
  const Time begin = steady_now();
  double score = 1;
  int events = 0;
  while (steady_now() - begin < kSecond) {
    game.submit(kills, "ada", score++);
    if (visitor.has_event(10)) ++events;
  }
  CHECK(events >= 2);
  CHECK(events <= 5);
  event_with(visitor, score - 1);
}

TEST_CASE("a WebSocket gets the same JSON, one text frame a state") {
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  Visitor visitor(served.port());
  visitor.get("/v1/boards/kills/live?top=1", kUpgrade);
  const Response head = visitor.head();
  CHECK(head.status == 101);
  CHECK(head.field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const Frame first = visitor.frame();
  CHECK(first.opcode == 1);
  CHECK(first.json() == get(served.port(), "/v1/boards/kills?top=1").json());
  game.submit(kills, "a player with a name that makes the frame longer than 125 bytes", 2);
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
  Game game;
  const BoardHandle kills = game.publish("kills");
  game.submit(kills, "ada", 1);
  Served served(game);
  served.wait_for("kills", 1);
  Visitor events = viewer(served.port(), "/v1/boards/kills/live");
  const std::string id = event_with(events, 1).id;
  Visitor visitor(served.port());
  visitor.get("/v1/live?board=kills&last=" + id, kUpgrade);
  CHECK(visitor.head().status == 101);
  game.act([&](Registry& registry, Publisher& publisher) {
    REQUIRE(publisher.unpublish(registry, kills));
  });
  CHECK(visitor.frame().json() ==
        Json{{"board", "kills"}, {"error", "unknown: no board is called 'kills'"}});
}

TEST_CASE("a WebSocket that breaks the protocol is closed with 1002, a bad request is 400") {
  Game game;
  game.publish("kills");
  Served served(game);
  served.wait_for("kills", 0);
  Visitor visitor(served.port());
  visitor.get("/v1/live?board=none", kUpgrade);
  CHECK(visitor.head().status == 101);
  visitor.send(std::string("\x81\x05hello and more", 16));  // not masked
  const Frame close = visitor.frame();
  CHECK(close.opcode == 8);
  CHECK(close.payload == std::string("\x03\xea", 2));
  CHECK(visitor.is_closed());
  CHECK(get(served.port(), "/v1/live?board=a",
            "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
            .status == 400);
  CHECK(get(served.port(), "/v1/live?board=a",
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
  Game game;
  const BoardHandle kills = game.publish("kills", {}, {.data = true});
  const std::string data(1000, 'x');
  for (int i = 0; i < 20; ++i) game.submit(kills, fmt::format("p{}", i), i, data);
  web::GatewayOptions options = options_for(game.port());
  options.rate = 20;
  Served served(std::move(options));
  served.wait_for("kills", 20);
  Visitor slow(served.port(), "127.0.0.1", 4096);
  slow.get("/v1/boards/kills/live?top=20");
  Visitor fast = viewer(served.port(), "/v1/boards/kills/live?top=20");
  const auto conflated = [&] {
    const std::string text = get(served.port(), "/metrics").body;
    return std::stod(text.substr(text.find("\nlaurel_web_conflated_total ") + 28));
  };
  double score = 100;
  REQUIRE(holds_soon([&] {
    game.submit(kills, "p0", ++score, data);
    event_with(fast, score);
    return conflated() > 3;
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
  Game game;
  game.publish("kills");
  Served served(game);
  served.wait_for("kills", 0);
  Visitor events = viewer(served.port(), "/v1/boards/kills/live");
  events.event();
  events.retry = 0;
  Visitor frames(served.port());
  frames.get("/v1/boards/kills/live", kUpgrade);
  frames.head();
  frames.frame();
  const Time begin = steady_now();
  served.end();
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
