// A server that answers later than a client waits, at any moment of the connection's beginning. The
// client gives up and comes again with the same token.
#include <string>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "live/secure/encounter.h"

namespace laurel {
namespace {

using test::Encounter;
using test::Visitor;

// The server's thread gets no processor for this long. Clients continue.
void stall(Encounter& encounter, Time duration) {
  for (const Time end = encounter.network.now() + duration; encounter.network.now() < end;) {
    encounter.network.advance(Encounter::kStep);
    for (const auto& visitor : encounter.visitors) visitor->core.tick(encounter.network.now());
  }
}

TEST_CASE("a one-use token whose answer came too late admits its client, and no second one") {
  int given_up = 0;
  for (const bool sealed : {false, true}) {
    for (int steps = 0; steps < 20; ++steps) {
      CAPTURE(sealed);
      CAPTURE(steps);
      Encounter encounter;
      encounter.post(100);
      const Token token = encounter.token(sealed);
      Visitor& visitor = encounter.visit(token);
      encounter.run(steps * Encounter::kStep);
      const bool was_in = visitor.connected();
      stall(encounter, kLiveConnectWithin + kSecond);
      given_up += !was_in && !visitor.connected() ? 1 : 0;
      REQUIRE(encounter.run_until(30 * kSecond, [&] { return encounter.is_current(visitor); }));
      encounter.run(kSecond);
      CHECK(encounter.is_current(visitor));
      CHECK(encounter.server->clients() == 1);
      Visitor& second = encounter.visit(token);
      encounter.run(30 * kSecond);
      CHECK_FALSE(second.connected());
      CHECK_FALSE(second.shown);
      CHECK(encounter.is_current(visitor));
    }
  }
  CHECK(given_up > 5);
}

TEST_CASE("a use of a token that comes back expires when the token does") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    Encounter encounter;
    encounter.post(100);
    Ticket ticket = encounter.ticket(sealed);
    ticket.expires = encounter.network.now() + 10 * kSecond;
    encounter.server->add(ticket);
    Visitor& visitor = encounter.visit(encounter.token_of_ticket(ticket));
    // Each welcome is lost, so each connection ends before the client has answered.
    visitor.tap.meddle = [](test::Crossing& crossing) {
      return crossing.way == test::Way::to_server || crossing.channel != Channel::reliable;
    };
    encounter.run(9 * kSecond);
    CHECK_FALSE(visitor.connected());
    encounter.run(kSecond);
    visitor.tap.meddle = nullptr;
    encounter.run(60 * kSecond);
    CHECK_FALSE(visitor.connected());
    CHECK_FALSE(visitor.shown);
  }
}

}  // namespace
}  // namespace laurel
