// How much one client, and all of them, may take of the gateway.
#include "web/http/limits.h"

#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

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

TEST_CASE("half-open connections of many addresses make room for newcomers") {
  web::GatewayOptions options = options_for(9);
  options.viewers = 10;
  Served served(std::move(options));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;  // both ends are this process's
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  Visitor viewer(served.port());
  CHECK(status_of_stream(viewer) == 200);
  std::vector<Visitor> half_open;
  for (int i = 0; i < 1500; ++i) {
    half_open.emplace_back(served.port(), fmt::format("127.0.1.{}", 1 + i % 100));
    half_open.back().send("GET / HTT");
  }
  Visitor newcomer(served.port(), "127.0.0.9");
  newcomer.get("/");
  CHECK(newcomer.response().status == 200);
  CHECK(half_open.front().is_closed());
  newcomer.get("/metrics");
  CHECK(newcomer.response().body.find("laurel_web_viewers 1\n") != std::string::npos);
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
  Game game;
  const BoardHandle kills = game.publish("kills", {}, {.data = true});
  const std::string data(1000, 'x');
  for (int i = 0; i < 100; ++i) game.submit(kills, fmt::format("p{}", i), i, data);
  web::GatewayOptions options = options_for(game.port());
  options.rate = 20;
  Served served(std::move(options));
  served.wait_for("kills", 100);
  const Time begin = steady_now();
  const auto seconds = [&] { return static_cast<double>(steady_now() - begin) / kSecond; };
  Visitor slow_header(served.port()), idle(served.port()), quiet(served.port()),
      silent(served.port(), "127.0.0.1", 4096);
  slow_header.send("GET / HTTP/1.1\r\nHost:");
  quiet.get("/v1/boards/none/live");
  silent.get("/v1/boards/kills/live?top=100");
  const auto slow_viewers = [&] {
    const std::string text = get(served.port(), "/metrics").body;
    return text.find("laurel_web_closed_total{reason=\"slow\"} 1") != std::string::npos;
  };
  double score = 100, closed_at = 0;
  while (seconds() < 32) {
    if (closed_at == 0) {
      game.submit(kills, "p0", ++score, data);
      if (slow_viewers()) closed_at = seconds();
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
