// What the gateway answers over HTTP, about a real server's boards.
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

TEST_CASE("the boards are listed with their descriptions, in the order of their names") {
  Game game;
  game.publish("laps", {{"columns", "laps, seconds asc 3 0 100000"}, {"closes", 4e9}});
  const BoardHandle race = game.publish("a race", {{"order", "asc"},
                                                   {"decimals", 3.0},
                                                   {"ranking", "dense"},
                                                   {"meta", "format=time"},
                                                   {"reset", "0 0 * * *"}});
  game.submit(race, "ada", 61.5);
  Served served(game);
  served.wait_for("laps", 0);
  served.wait_for("a%20race", 1);
  REQUIRE(holds_soon([&] { return served.get("/v1/boards").json()[0]["size"] == 1; }));
  const Response response = served.get("/v1/boards");
  CHECK(response.field("content-type") == "application/json; charset=utf-8");
  CHECK(response.field("cache-control") == "no-cache");
  const Json list = response.json();
  REQUIRE(list.size() == 2);
  CHECK(list[0]["board"] == "a race");
  CHECK(list[0]["order"] == "asc");
  CHECK(list[0]["decimals"] == 3);
  CHECK(list[0]["ranking"] == "dense");
  CHECK(list[0]["meta"] == "format=time");
  CHECK(list[0]["season"] == 1);
  CHECK(list[0]["resets_at"].get<double>() > 1.7e9);
  CHECK_FALSE(list[0].contains("columns"));
  CHECK_FALSE(list[0].contains("closes_at"));
  CHECK(
      list[1]["columns"] ==
      Json{{{"name", "laps"}, {"order", "desc"}, {"decimals", 0}, {"min", 0}, {"max", 999'999'999}},
           {{"name", "seconds"}, {"order", "asc"}, {"decimals", 3}, {"min", 0}, {"max", 100'000}}});
  CHECK_FALSE(list[1].contains("meta"));
  CHECK(list[1]["closes_at"] == 4e9);
  const Response again =
      served.get("/v1/boards", "If-None-Match: " + response.field("etag") + "\r\n");
  CHECK(again.status == 304);
}

TEST_CASE("results end with the season's duration or at the board's end, whichever is first") {
  constexpr double kLong = 86'400, kFarAway = 4e9, kSoon = 1.7e9;
  Game game;
  game.publish("by duration", {{"reset", "0 0 * * *"}, {"duration", 3600.0}, {"closes", kFarAway}});
  game.publish("by end", {{"reset", "0 0 * * *"}, {"duration", kLong}, {"closes", kSoon}});
  Served served(game);
  REQUIRE(holds_soon([&] {
    const Response response = served.get("/v1/boards");
    return response.status == 200 && response.json().size() == 2;
  }));
  const Json list = served.get("/v1/boards").json();
  CHECK(list[0]["closes_at"] == list[0]["resets_at"].get<double>() - kLong + 3600);
  CHECK(list[1]["closes_at"] == kSoon);
}

TEST_CASE("a board's top is JSON with an ETag, and 304 while it has not changed") {
  Game game;
  const BoardHandle kills = game.publish("kills", {}, {.top = 5, .data = true});
  for (int i = 0; i < 8; ++i) game.submit(kills, fmt::format("p{}", i), i, "x");
  Served served(game);
  served.wait_for("kills", 8);
  const Response response = served.get("/v1/boards/kills?top=3");
  CHECK(response.status == 200);
  const Json top = response.json();
  CHECK(top["board"] == "kills");
  CHECK(top["season"] == 1);
  CHECK(top["stale"] == false);
  CHECK(top["epoch"].get<std::string>().size() == 16);
  REQUIRE(top["top"].size() == 3);
  CHECK(top["top"][0]["player"] == "p7");
  CHECK(top["top"][0]["rank"] == 1);
  CHECK(top["top"][0]["data"] == "x");
  CHECK(top["top"][0]["at"].get<double>() > 1.7e9);
  CHECK(served.get("/v1/boards/kills?top=100").json()["top"].size() == 5);
  CHECK(served.get("/v1/boards?board=kills&top=3").json() == top);
  CHECK(served.get("/v1/boards/%6bills?top=3").json() == top);

  const std::string etag = response.field("etag");
  for (const std::string& known : {etag, "W/" + etag, "\"x\", " + etag, std::string("*")}) {
    const Response same = served.get("/v1/boards/kills?top=3", "If-None-Match: " + known + "\r\n");
    CHECK(same.status == 304);
    CHECK(same.field("etag") == etag);
    CHECK(same.field("content-length").empty());
  }
  game.submit(kills, "p0", 100);
  CHECK(holds_soon([&] {
    return served.get("/v1/boards/kills?top=3", "If-None-Match: " + etag + "\r\n").status == 200;
  }));
}

TEST_CASE("names and ids that are not UTF-8, or have a slash, are served") {
  Game game;
  const BoardHandle board = game.publish("a/b \xff");
  game.submit(board, "\xfe", 1);
  Served served(game);
  served.wait_for("a%2Fb%20%FF", 1);
  REQUIRE(holds_soon([&] { return served.get("/v1/boards/a%2Fb%20%ff").json()["size"] == 1; }));
  const Json top = served.get("/v1/boards/a%2Fb%20%FF").json();
  CHECK(top["board"] == Json{{"base64", "YS9iIP8="}});
  CHECK(top["top"][0]["player"] == Json{{"base64", "/g=="}});
}

TEST_CASE("public data may be read by any page, and every answer has the headers of safety") {
  ServedBoard kills({.scores = {}});
  for (const std::string target : {"/v1/boards", "/v1/boards/kills", "/v1/boards/none", "/", "/me",
                                   "/overlay/kills", "/healthz", "/metrics", "/nothing"}) {
    CAPTURE(target);
    const Response response = kills.get(target);
    const bool is_data = target.starts_with("/v1/");
    CHECK(response.field("access-control-allow-origin") == (is_data ? "*" : ""));
    CHECK(response.field("access-control-expose-headers") == (is_data ? "ETag" : ""));
    CHECK(response.field("x-content-type-options") == "nosniff");
    CHECK(response.field("referrer-policy") == "no-referrer");
    CHECK(response.field("content-security-policy").starts_with("default-src 'self'"));
    CHECK_FALSE(response.field("date").empty());
  }
  CHECK(kills.get("/healthz").field("cache-control") == "no-store");
  CHECK(kills.get("/metrics").field("cache-control") == "no-store");
  CHECK(kills.get("/").field("cache-control") == "no-cache");
}

TEST_CASE("pages are served with an ETag; only /me may not be framed") {
  Game game;
  Served served(game);
  for (const std::string target : {"/", "/overlay/any%20name?top=3&theme=clear", "/me?board=a"}) {
    CAPTURE(target);
    const Response response = served.get(target);
    CHECK(response.status == 200);
    CHECK(response.field("content-type") == "text/html; charset=utf-8");
    CHECK(response.body.find("<") != std::string::npos);
    const bool is_me = target.starts_with("/me");
    CHECK((response.field("content-security-policy").find("frame-ancestors 'none'") !=
           std::string::npos) == is_me);
    CHECK(response.field("x-frame-options") == (is_me ? "DENY" : ""));
    const std::string known = "If-None-Match: " + response.field("etag") + "\r\n";
    CHECK(served.get(target, known).status == 304);
  }
}

TEST_CASE("an error is JSON with a sentence and its status") {
  ServedBoard kills({.scores = {}});
  const Response unknown = kills.get("/v1/boards/x");
  CHECK(unknown.status == 404);
  CHECK(unknown.json() == Json{{"error", "unknown: no board is called 'x'"}});
  CHECK(kills.get("/nothing").status == 404);
  CHECK(kills.get("/assets/none.js").status == 404);
  CHECK(kills.get("/v1/boards/kills?top=0").status == 400);
  CHECK(kills.get("/v1/boards/%zz").status == 400);
  CHECK(kills.get("/v1/me?board=kills").status == 401);
  CHECK(kills.get("/v1/me?board=kills").field("www-authenticate") == "Bearer");
}

TEST_CASE("only GET and HEAD are allowed; HEAD has the head of GET") {
  ServedBoard kills({.scores = {}});
  for (const std::string method : {"POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO"}) {
    CAPTURE(method);
    const Response refused = kills.get("/v1/boards/kills", "", method);
    CHECK(refused.status == 405);
    CHECK(refused.field("allow") == "GET, HEAD");
    CHECK(refused.error().starts_with("unsupported: "));
  }
  CHECK(kills.get("/v1/me", "", "POST").field("allow") == "GET, HEAD, OPTIONS");
  const Response get_head = kills.get("/v1/boards/kills");
  const Response head = kills.get("/v1/boards/kills", "", "HEAD");
  CHECK(head.status == 200);
  CHECK(head.field("content-length") == get_head.field("content-length"));
  CHECK(head.field("etag") == get_head.field("etag"));
  Visitor visitor(kills.port());
  visitor.get("/v1/boards/kills/live", "", "HEAD");
  const Response stream = visitor.head();
  CHECK(stream.status == 200);
  CHECK(stream.field("content-type") == "text/event-stream");
  CHECK(visitor.is_closed());
  CHECK(visitor.unread().empty());
}

TEST_CASE("a connection takes one request after the other, also those that come together") {
  ServedBoard kills({.scores = {}});
  Visitor visitor(kills.port());
  for (int i = 0; i < 3; ++i) {
    visitor.get("/v1/boards/kills");
    const Response response = visitor.response();
    CHECK(response.status == 200);
    CHECK(response.field("connection") == "keep-alive");
  }
  std::string together = "\r\n";
  for (int i = 0; i < 50; ++i) together += "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  together += "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  visitor.send(together);
  for (int i = 0; i < 50; ++i) CHECK(visitor.response().body == "ok");
  CHECK(visitor.response().field("connection") == "close");
  CHECK(visitor.is_closed());
  Visitor slow(kills.port());
  for (const char c : std::string("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")) {
    slow.send({&c, 1});
  }
  CHECK(slow.response().status == 200);
}

TEST_CASE("a body, a long header and a long request line are refused, and the connection ends") {
  Game game;
  Served served(game);
  const auto refused = [&](const std::string& bytes) {
    Visitor visitor(served.port());
    visitor.send(bytes);
    const Response response = visitor.response();
    CHECK(response.field("connection") == "close");
    CHECK(response.json().contains("error"));
    CHECK(visitor.is_closed());
    return response.status;
  };
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: a\r\n";
  CHECK(refused(get + "Content-Length: 5\r\n\r\nhello") == 413);
  CHECK(refused(get + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 413);
  CHECK(refused(get + "Cookie: " + std::string(9000, 'x') + "\r\n\r\n") == 431);
  CHECK(refused("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n") == 414);
  CHECK(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc") == 405);
  CHECK(refused("nonsense\r\n\r\n") == 400);
  CHECK(refused(get + "Cookie: " + std::string(100'000, 'x') + "\r\n\r\n") == 431);
  // Just short enough.
  Visitor visitor(served.port());
  visitor.send(get + "Cookie: " + std::string(8192 - get.size() - 12, 'x') + "\r\n\r\n");
  CHECK(visitor.response().status != 431);
}

TEST_CASE("metrics count viewers, events, bytes, what was refused, and the channel") {
  ServedBoard kills;
  CHECK(kills.get("/metrics").field("content-type").starts_with("text/plain; version="));
  CHECK(kills.metric("laurel_web_viewers") == 0);
  CHECK(kills.metric("laurel_web_channel_up") == 1);
  CHECK(kills.metric("laurel_web_channel_round_trip_seconds") < 1);
  {
    Visitor viewer = kills.stream("/v1/boards/kills/live");
    viewer.event();
    CHECK(kills.metric("laurel_web_viewers") == 1);
    CHECK(kills.metric("laurel_web_events_total") == 1);
    CHECK(kills.metric("laurel_web_sent_bytes_total") > 100);
    CHECK(kills.metric("laurel_web_conflated_total") == 0);
  }
  CHECK(holds_soon([&] { return kills.metric("laurel_web_closed_total{reason=\"left\"}") == 1; }));
  CHECK(kills.metric("laurel_web_viewers") == 0);
  const double before = kills.metric("laurel_web_refused_total{reason=\"unknown\"}");
  kills.get("/v1/boards/none");
  CHECK(kills.metric("laurel_web_refused_total{reason=\"unknown\"}") == before + 1);
}

TEST_CASE("with a port of their own, metrics are only there") {
  Game game;
  web::GatewayOptions options = options_for(game.port());
  options.metrics = web::HostPort{"127.0.0.1", 0};
  options.site.has_metrics_port = true;
  Served served(std::move(options));
  const std::uint16_t port = served.gateway().metrics_place()->port;
  CHECK(get(port, "/metrics").status == 200);
  CHECK(served.get("/metrics").status == 404);
  CHECK(get(port, "/").status == 404);
  CHECK(get(port, "/v1/boards").status == 404);
}

TEST_CASE("only the boards that were chosen are served") {
  Game game;
  game.publish("a");
  game.publish("b");
  web::GatewayOptions options = options_for(game.port());
  options.feed.boards = {"b", "later"};
  Served served(std::move(options));
  served.wait_for("b", 0);
  CHECK(served.get("/v1/boards/a").status == 404);
  CHECK(served.get("/v1/boards").json().size() == 1);
  game.publish("later");
  served.wait_for("later", 0);
}

}  // namespace
}  // namespace laurel::test
