// Several gateways of one game server, between which a proxy may choose.
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "web/gateway_fixture.h"

namespace laurel::test {
namespace {

constexpr int kGateways = 10;

struct Fixture {
  GameWithBoard::Setup setup{.scores = players(5), .wants_tokens = true};
  GameWithBoard kills{setup};
  std::vector<std::unique_ptr<Served>> gateways;

  // All with one token.
  Fixture() {
    for (int i = 0; i < kGateways; ++i) {
      gateways.push_back(std::make_unique<Served>(kills.options(setup)));
    }
    for (const auto& gateway : gateways) gateway->wait_for("kills", 5);
  }
};

TEST_CASE("ten gateways of one server show its states under the same ids") {
  Fixture f;
  std::vector<Visitor> viewers;
  for (const auto& gateway : f.gateways) {
    viewers.push_back(gateway->stream("/v1/boards/kills/live"));
  }
  for (const double score : {100.0, 200.0, 300.0}) {
    f.kills.submit("p3", score);
    const Event first = event_with(viewers.front(), score);
    for (std::size_t i = 1; i < viewers.size(); ++i) {
      const Event other = event_with(viewers[i], score);
      CHECK(other.id == first.id);
      CHECK(other.data == first.data);
    }
  }
  const std::string etag = f.gateways.front()->get("/v1/boards/kills").field("etag");
  for (const auto& gateway : f.gateways) {
    CHECK(gateway->get("/v1/boards/kills", "If-None-Match: " + etag + "\r\n").status == 304);
  }
}

TEST_CASE("a viewer whose gateway ends continues at another, which sends only what changed") {
  Fixture f;
  Visitor viewer = f.gateways[0]->stream("/v1/boards/kills/live");
  const std::string id = event_with(viewer, 100).id;
  f.gateways[0]->end();
  CHECK(viewer.is_closed());
  Visitor again = f.gateways[1]->stream("/v1/boards/kills/live", "Last-Event-ID: " + id + "\r\n");
  CHECK_FALSE(again.has_event(200));
  f.kills.submit("p4", 200);
  event_with(again, 200);
}

TEST_CASE("each gateway tells whose a token is, and all of them spend no use of it") {
  Fixture f;
  const std::string token = f.kills.game.token("p2");
  for (const auto& gateway : f.gateways) {
    const Response response =
        gateway->get("/v1/me?board=kills&n=1", "Authorization: Bearer " + token + "\r\n");
    REQUIRE_MESSAGE(response.status == 200, response.body);
    CHECK(players_in(response.json()["entries"]) == "p1 p2 p3 ");
  }
}

}  // namespace
}  // namespace laurel::test
