// The heads of requests: what is read from them, what is refused, and what they ask for.
#include "web/http/request.h"

#include <random>
#include <string>
#include <string_view>
#include <variant>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "long_form.h"
#include "web/http/limits.h"
#include "web/routes.h"

namespace laurel::web {
namespace {

Request read(std::string_view target, std::string_view fields = {}) {
  const std::string head = fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n{}\r\n", target, fields);
  auto request = request_of(head);
  REQUIRE_MESSAGE(std::holds_alternative<Request>(request), std::get<Failure>(request).error);
  return std::get<Request>(request);
}

unsigned status_of(std::string_view head) {
  const auto request = request_of(head);
  const auto* const failure = std::get_if<Failure>(&request);
  return failure == nullptr ? 200 : failure->status;
}

// The status of the route; 200 if there is one.
unsigned routed(std::string_view target) {
  const auto route = route_of(read(target));
  const auto* const failure = std::get_if<Failure>(&route);
  return failure == nullptr ? 200 : failure->status;
}

template <typename Route>
Route routed_to(std::string_view target) {
  const auto route = route_of(read(target));
  REQUIRE_MESSAGE(std::holds_alternative<web::Route>(route), std::get<Failure>(route).error);
  REQUIRE(std::holds_alternative<Route>(std::get<web::Route>(route)));
  return std::get<Route>(std::get<web::Route>(route));
}

TEST_CASE("a segment of a path is decoded by itself, so that a name may have a slash") {
  const Request request = read("/v1/boards/a%2Fb%20%C3%A9+c/live?board=x+y%2B&top=3&empty&=v");
  CHECK(request.path == std::vector<std::string>{"v1", "boards", "a/b é+c", "live"});
  CHECK(request.parameter("board") == "x y+");
  CHECK(request.parameter("top") == "3");
  CHECK(request.parameter("empty") == "");
  CHECK_FALSE(request.parameter("missing"));
  CHECK(read("/").path == std::vector<std::string>{""});
  CHECK(read("http://proxy.example:80/a?b=c").path == std::vector<std::string>{"a"});
  CHECK(read("http://proxy.example").path == std::vector<std::string>{""});
  CHECK(read("/a?b=c?d").parameter("b") == "c?d");
}

TEST_CASE("a percent sign without two hexadecimal digits is refused") {
  for (const std::string_view target : {"/%", "/%4", "/%zz", "/a?b=%g0", "/?%"}) {
    CAPTURE(target);
    CHECK(status_of(fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", target)) == 400);
  }
}

TEST_CASE("what is not HTTP/1 is refused") {
  for (const std::string_view head :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    CAPTURE(head);
    CHECK(status_of(head) == 400);
  }
  CHECK(status_of("GET / HTTP/1.0\r\n\r\n") == 200);
}

TEST_CASE("keep-alive is HTTP/1.1's default, and close is said") {
  CHECK(read("/").keep_alive);
  CHECK_FALSE(read("/", "Connection: close\r\n").keep_alive);
  CHECK_FALSE(std::get<Request>(request_of("GET / HTTP/1.0\r\n\r\n")).keep_alive);
}

TEST_CASE("a body is noticed by its length or by chunks, and none by a length of 0") {
  CHECK(read("/", "Content-Length: 1\r\n").has_body);
  CHECK(read("/", "Content-Length: 99999999999\r\n").has_body);
  CHECK(read("/", "Transfer-Encoding: chunked\r\n").has_body);
  CHECK_FALSE(read("/", "Content-Length: 0\r\n").has_body);
  CHECK_FALSE(read("/").has_body);
}

TEST_CASE("an upgrade to WebSocket is one only with both fields") {
  CHECK(read("/", "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n").wants_websocket);
  CHECK_FALSE(read("/", "Upgrade: websocket\r\n").wants_websocket);
  CHECK_FALSE(read("/", "Connection: upgrade\r\nUpgrade: h2c\r\n").wants_websocket);
}

TEST_CASE("the last field of X-Forwarded-For is the nearest proxy's") {
  CHECK(read("/", "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2, 3.3.3.3\r\n")
            .forwarded_for == "2.2.2.2, 3.3.3.3");
}

TEST_CASE("the end of a head is found wherever its bytes were cut") {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nmore";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    CAPTURE(cut);
    const auto first = end_of_head(std::string_view(bytes).substr(0, cut), 0);
    CHECK(first.has_value() == (cut >= bytes.size() - 4));
    if (!first) CHECK(end_of_head(bytes, cut) == bytes.size() - 4);
  }
}

TEST_CASE("a head that is too long is the request line's fault, or the header's") {
  CHECK(too_long("GET /aaaaaaaa").status == 414);
  CHECK(too_long("GET / HTTP/1.1\r\nCookie: aaaa").status == 431);
}

TEST_CASE("each path of the site has its route, and no other path has one") {
  CHECK(routed_to<PageRoute>("/").file == "index.html");
  CHECK(routed_to<PageRoute>("/overlay/any%2Fname?theme=clear").file == "overlay.html");
  CHECK(routed_to<PageRoute>("/me?board=a").file == "me.html");
  CHECK_FALSE(routed_to<PageRoute>("/me").may_be_framed);
  CHECK(routed_to<PageRoute>("/overlay/a").may_be_framed);
  CHECK(routed_to<PageRoute>("/assets/overlay.css").file == "overlay.css");
  CHECK(routed_to<TopRoute>("/v1/boards/a%2Fb").board == "a/b");
  CHECK(routed_to<TopRoute>("/v1/boards/a").top == 10);
  CHECK(routed_to<TopRoute>("/v1/boards?board=a&top=100").top == 100);
  CHECK(routed_to<LiveRoute>("/v1/boards/a/live?top=3").top == 3);
  CHECK(routed_to<LiveRoute>("/v1/live?board=a&board=b&board=a").boards ==
        std::vector<std::string>{"a", "b"});
  CHECK(routed_to<MeRoute>("/v1/me?board=a").n == 2);
  CHECK(routed_to<MeRoute>("/v1/me?board=a&n=0").n == 0);
  routed_to<ListRoute>("/v1/boards");
  routed_to<MetricsRoute>("/metrics");
  routed_to<HealthRoute>("/healthz");
  for (const std::string_view target :
       {"/v1", "/v1/", "/v1/boards/", "/v1/boards/a/", "/v1/boards/a/live/", "/v1/boards//live",
        "/overlay", "/overlay/", "/overlay/a/b", "/assets/", "/assets/index.html", "/me/",
        "/v1/me/x", "/V1/boards", "/v1%2Fboards", "//", "/..", "/assets/../index.html"}) {
    CAPTURE(target);
    CHECK(routed(target) == 404);
  }
}

TEST_CASE("top is a whole number from 1 to 100, n one from 0 to 10, a stream has 1 to 64 boards") {
  for (const std::string_view top :
       {"0", "101", "-1", "1.0", "+1", "", "x", "1e1", "%201", "99999999999999999999"}) {
    CAPTURE(top);
    CHECK(routed(fmt::format("/v1/boards/a?top={}", top)) == 400);
    CHECK(routed(fmt::format("/v1/live?board=a&top={}", top)) == 400);
  }
  CHECK(routed("/v1/boards/a?top=1") == 200);
  CHECK(routed("/v1/me?board=a&n=11") == 400);
  CHECK(routed("/v1/me?n=1") == 400);
  CHECK(routed("/v1/live") == 400);
  std::string boards;
  for (int i = 0; i < 64; ++i) boards += fmt::format("board=b{}&", i);
  CHECK(routed("/v1/live?" + boards) == 200);
  CHECK(routed("/v1/live?board=more&" + boards) == 400);
}

TEST_CASE("any bytes are read or refused") {
  const std::uint32_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::string valid =
      "GET /v1/boards/a%2F?top=1&board=x HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n"
      "Connection: Upgrade\r\nUpgrade: websocket\r\nX-Forwarded-For: 1.1.1.1, ::1\r\n\r\n";
  int refused = 0;
  const int rounds = short_or_long(20'000, 2'000'000);
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = valid;
    for (auto i = random() % 6; i-- > 0 && !bytes.empty();) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.erase(at, random() % 8); break;
        case 2: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40)); break;
        default: bytes.insert(at, 1, "%\r\n :?&/,;="[random() % 11]); break;
      }
    }
    const auto end = end_of_head(bytes, 0);
    if (!end) continue;
    const auto request = request_of(std::string_view(bytes).substr(0, *end));
    if (std::holds_alternative<Failure>(request)) {
      ++refused;
      CHECK(std::get<Failure>(request).status == 400);
      continue;
    }
    (void)route_of(std::get<Request>(request));
  }
  CHECK(refused > 0);
}

}  // namespace
}  // namespace laurel::web
