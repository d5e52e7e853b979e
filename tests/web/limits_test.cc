// How much one client, and all of them, may take of the gateway.
#include "web/http/limits.h"

#include <algorithm>
#include <arpa/inet.h>
#include <memory>
#include <netinet/tcp.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "long_form.h"
#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

web::GatewayOptions few(std::uint16_t game_port) {
  web::GatewayOptions options = options_for(game_port);
  options.viewers = 5;
  options.site.viewers_per_address = 3;
  return options;
}

int status_of_stream(Visitor& visitor, std::string_view fields = {}) {
  visitor.get("/v1/boards/kills/live", fields);
  return visitor.head().status;
}

TEST_CASE("an address has its share of the streams, and all have a limit: 429 with Retry-After") {
  Served served(few(9));
  std::vector<Visitor> visitors;
  for (int i = 0; i < 3; ++i) {
    visitors.emplace_back(served.port());
    CHECK(status_of_stream(visitors.back()) == 200);
  }
  Visitor more(served.port());
  more.get("/v1/boards/kills/live");
  const Response refused = more.response();
  CHECK(refused.status == 429);
  CHECK(refused.field("retry-after") == "1");
  CHECK(refused.error().starts_with("full: "));
  // That is said once, with the option for proxies.
  more.get("/v1/boards/kills/live");
  CHECK(more.response().status == 429);
  const std::string lines = served.lines();
  const std::size_t said = lines.find("--behind-proxy");
  CHECK(said != std::string::npos);
  CHECK(lines.find("--behind-proxy", said + 1) == std::string::npos);
  for (int i = 0; i < 2; ++i) {
    visitors.emplace_back(served.port(), "127.0.0.2");
    CHECK(status_of_stream(visitors.back()) == 200);
  }
  Visitor last(served.port(), "127.0.0.3");
  CHECK(status_of_stream(last) == 429);
  visitors.front().close();
  CHECK(holds_soon([&] {
    Visitor again(served.port());
    return status_of_stream(again) == 200;
  }));
}

TEST_CASE("behind a proxy the last address that it names counts, and not what a client names") {
  web::GatewayOptions options = few(9);
  options.site.behind_proxy = true;
  Served served(std::move(options));
  std::vector<Visitor> visitors;
  for (int i = 0; i < 3; ++i) {
    visitors.emplace_back(served.port());
    const auto field = fmt::format("X-Forwarded-For: 9.9.9.{}, 1.1.1.1\r\n", i);
    CHECK(status_of_stream(visitors.back(), field) == 200);
  }
  Visitor same(served.port()), other(served.port());
  CHECK(status_of_stream(same, "X-Forwarded-For: 8.8.8.8, 1.1.1.1\r\n") == 429);
  CHECK(status_of_stream(other, "X-Forwarded-For: 1.1.1.1, 8.8.8.8\r\n") == 200);
  CHECK(served.lines().find("--behind-proxy") == std::string::npos);
}

TEST_CASE("an address has four times as many other connections as streams") {
  Served served(few(9));
  std::vector<Visitor> visitors;
  for (int i = 0; i < 12; ++i) {
    visitors.emplace_back(served.port());
    visitors.back().get("/");
    CHECK(visitors.back().response().status == 200);
  }
  Visitor more(served.port());
  CHECK(more.response().status == 429);
  CHECK(more.is_closed());
  Visitor other(served.port(), "127.0.0.2");
  other.get("/");
  CHECK(other.response().status == 200);
  // A stream is not counted among them.
  visitors.front().get("/v1/boards/kills/live");
  CHECK(visitors.front().head().status == 200);
  CHECK(holds_soon([&] {
    Visitor again(served.port());
    again.get("/");
    return again.response().status == 200;
  }));
}

// Sets the soft limit of descriptors as high as it may be. Returns it.
std::size_t descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur;
}

// Both ends are this process's. The gateway's are few, because it closes them.
TEST_CASE("10,000 half-open connections make room for newcomers, and no viewer notices") {
  constexpr std::size_t kSpare = 200;
  const std::size_t count =
      std::min<std::size_t>(10'000, descriptors() - web::kOtherConnectionsMax - kSpare);
  CAPTURE(count);
  ServedBoard kills;
  Visitor viewer = kills.stream("/v1/boards/kills/live");
  event_with(viewer, 1);
  std::vector<Visitor> half_open;
  double score = 1;
  for (std::size_t i = 0; i < count; ++i) {
    half_open.emplace_back(kills.port(), fmt::format("127.0.1.{}", 1 + i % 200));
    half_open.back().send("GET / HTT");
    if (i % 1000 != 999) continue;
    kills.submit("ada", ++score);
    const Time begin = steady_now();
    event_with(viewer, score);
    CHECK(steady_now() - begin < kSecond);
  }
  Visitor newcomer(kills.port(), "127.0.0.9");
  newcomer.get("/");
  CHECK(newcomer.response().status == 200);
  CHECK(half_open.front().is_closed());
  CHECK(kills.metric("laurel_web_refused_total{reason=\"idle\"}") >=
        static_cast<double>(count - web::kOtherConnectionsMax));
  CHECK(kills.metric("laurel_web_viewers") == 1);
}

// The gateway's end of a connection, which is a descriptor of this process, too.
int gateways_end_of(const Visitor& visitor) {
  const std::uint16_t wanted = visitor.own_port();
  for (int descriptor = 3; descriptor < 4096; ++descriptor) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family == AF_INET && ntohs(peer.sin_port) == wanted) return descriptor;
  }
  FAIL("the gateway has no such connection");
  return -1;
}

// Else the kernel holds megabytes of old states for a viewer, and a dead one for minutes.
TEST_CASE("the kernel holds little for a viewer, and ends one that confirms nothing for 10 s") {
  ServedBoard kills;
  for (const bool is_stream : {true, false}) {
    Visitor viewer = is_stream ? kills.stream("/v1/boards/kills/live")
                               : kills.websocket("/v1/boards/kills/live");
    const int socket = gateways_end_of(viewer);
    int buffer = 0, within = 0;
    socklen_t size = sizeof buffer;
    REQUIRE(::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer, &size) == 0);
    CHECK(buffer == 2 * web::kSendBufferBytes);  // Linux doubles it, for what it needs itself
    REQUIRE(::getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &within, &size) == 0);
    CHECK(within == 10'000);
  }
}

TEST_CASE("a viewer that sends much is sent away") {
  Served served(few(9));
  Visitor visitor(served.port());
  CHECK(status_of_stream(visitor) == 200);
  visitor.send(std::string(2 * web::kStrayBytesMax, 'x'));
  CHECK(visitor.is_closed());
}

TEST_CASE("too few descriptors are refused with the number that would do") {
  web::GatewayOptions options = options_for(9);
  options.viewers = 900'000'000;
  const auto gateway = web::Gateway::open(std::move(options), Log([](Level, std::string_view) {}));
  REQUIRE_FALSE(gateway);
  CHECK(gateway.refusal().code() == Code::invalid);
  CHECK(gateway.refusal().text().find("900001088 descriptors") != std::string_view::npos);
}

// These wait for the limits themselves, all at once.
TEST_CASE(
    "slow headers end after 10 s, viewers that take nothing too, comments come each 15 s, "
    "and idle connections end after 30 s") {
  if (!long_form()) return;
  ServedBoard kills({.scores = players(100),
                     .data = std::string(1000, 'x'),
                     .gateway = [](web::GatewayOptions& options) { options.rate = 20; }});
  const Time begin = steady_now();
  const auto seconds = [&] { return static_cast<double>(steady_now() - begin) / kSecond; };
  Visitor slow_header(kills.port()), idle(kills.port()), quiet(kills.port()),
      silent(kills.port(), "127.0.0.1", 4096);
  slow_header.send("GET / HTTP/1.1\r\nHost:");
  quiet.get("/v1/boards/none/live");
  silent.get("/v1/boards/kills/live?top=100");
  double score = 100, closed_at = 0;
  while (seconds() < 32) {
    if (closed_at == 0) {
      kills.submit("p0", ++score);
      if (kills.metric("laurel_web_closed_total{reason=\"slow\"}") == 1) closed_at = seconds();
    }
    (void)quiet.has_event(20);
  }
  CHECK(closed_at > 9.5);
  CHECK(closed_at < 20);
  CHECK(slow_header.response().status == 408);
  CHECK(slow_header.is_closed());
  CHECK(idle.is_closed());
  CHECK(quiet.comments == 2);
}

}  // namespace
}  // namespace laurel::test
