// The tickets of a server as the game thread has them, and what a durable store restores.
#include "live/auth/ticket_store.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "store/kept_store.h"

namespace laurel {
namespace {

struct Ground {
  KeptTickets in_slot(unsigned slot) { return {PersistentRows(Space(store, 2), 't'), slot}; }

  KeptStore store;
};

TEST_CASE_FIXTURE(Ground, "a ticket converted to a row and back is unchanged") {
  Ticket ticket;
  ticket.kind = Ticket::Kind::pass;
  ticket.id = 5;
  ticket.player = std::string(255, '\xFF');
  ticket.word = 0xFFFFFFFF;
  ticket.previous_word = 7;
  ticket.uses = 3;
  ticket.secret.fill('\x80');
  const std::string row = ticket_row(ticket);
  CHECK(ticket_of(5, row) == ticket);
  for (std::size_t size = 0; size < row.size(); ++size)
    CHECK_FALSE(ticket_of(5, row.substr(0, size)));
  CHECK_FALSE(ticket_of(5, row + "x"));
  CHECK_FALSE(ticket_of(5, "\x03" + row.substr(1)));  // an unknown kind
}

TEST_CASE_FIXTURE(Ground,
                  "a sealed ticket stays sealed in its row, and a row of 0.1.0 is in clear") {
  for (const auto kind : {Ticket::Kind::token, Ticket::Kind::pass, Ticket::Kind::gateway}) {
    Ticket ticket;
    ticket.kind = kind;
    ticket.sealed = true;
    ticket.id = 5;
    if (kind != Ticket::Kind::gateway) ticket.player = "ada";
    std::string row = ticket_row(ticket);
    CHECK(ticket_of(5, row) == ticket);
    row[0] = static_cast<char>(kind);  // as 0.1.0 wrote it
    REQUIRE(ticket_of(5, row));
    CHECK_FALSE(ticket_of(5, row)->sealed);
    row[0] = static_cast<char>(0x20);
    CHECK_FALSE(ticket_of(5, row));
  }
  const Ticket drawn = *in_slot(0).draw("ada", kMinute, 1, true);
  REQUIRE(in_slot(0).load(0).size() == 1);
  CHECK(in_slot(0).load(0)[0] == drawn);
  CHECK(drawn.sealed);
}

TEST_CASE_FIXTURE(Ground, "a drawn token survives a restart until it expires") {
  KeptTickets tickets = in_slot(0);
  const Ticket early = *tickets.draw("ada", kMinute, 1),
               late = *tickets.draw("bob", 5 * kMinute, 2);
  CHECK(early.word != 0);
  CHECK(early.secret != late.secret);
  KeptTickets restarted = in_slot(0);
  const auto standing = restarted.load(kMinute);
  REQUIRE(standing.size() == 1);
  CHECK(standing[0] == late);
  CHECK(in_slot(0).load(0).size() == 1);  // the row of the expired token is gone
}

TEST_CASE_FIXTURE(
    Ground,
    "a client connected when the server ended may return for ten minutes after the restart") {
  KeptTickets tickets = in_slot(0);
  Ticket pass = *tickets.draw("ada", kMinute, 1);
  pass.kind = Ticket::Kind::pass;
  pass.expires = Ticket::kNever;
  tickets.take({{pass}, {}});
  const auto standing = in_slot(0).load(100 * kMinute);
  REQUIRE(standing.size() == 1);
  CHECK(standing[0].expires == 100 * kMinute + kLivePassFor);
  CHECK(in_slot(0).load(105 * kMinute)[0].expires == 100 * kMinute + kLivePassFor);
  CHECK(in_slot(0).load(110 * kMinute).empty());
}

TEST_CASE_FIXTURE(Ground, "servers in different slots have separate tickets") {
  KeptTickets first = in_slot(0), second = in_slot(1);
  REQUIRE(first.draw("ada", kMinute, 1));
  REQUIRE(second.draw("bob", kMinute, 1));
  CHECK(in_slot(0).load(0).at(0).player == "ada");
  CHECK(in_slot(1).load(0).at(0).player == "bob");
  CHECK(in_slot(2).load(0).empty());
}

TEST_CASE_FIXTURE(Ground, "ended and forgotten tickets leave no row") {
  KeptTickets tickets = in_slot(0);
  const Ticket ended = *tickets.draw("ada", kMinute, 1);
  REQUIRE(tickets.draw("bob", kMinute, 1));
  REQUIRE(tickets.draw("bob", kMinute, 1));
  const std::size_t before = store.size();
  tickets.take({{}, {ended.id, 12345}});
  CHECK(store.size() == before - 1);
  CHECK_FALSE(tickets.forget("ada"));
  CHECK(tickets.forget("bob"));
  CHECK(store.size() == before - 3);
  CHECK(in_slot(0).load(0).empty());
}

TEST_CASE_FIXTURE(Ground, "a renamed player's tickets are the new id's, also after a restart") {
  KeptTickets tickets = in_slot(0);
  const Ticket ada = *tickets.draw("ada", kMinute, 3);
  REQUIRE(tickets.draw("bob", kMinute, 1));
  CHECK_FALSE(tickets.rename("cleo", "dora"));
  CHECK(tickets.rename("ada", "eva"));
  CHECK_FALSE(tickets.forget("ada"));
  const std::vector<Ticket> stored = in_slot(0).load(0);
  REQUIRE(stored.size() == 2);
  const bool first = stored[0].id == ada.id;
  CHECK(stored[first ? 0 : 1].player == "eva");
  CHECK(stored[first ? 0 : 1].secret == ada.secret);
  CHECK(stored[first ? 0 : 1].uses == 3);
  CHECK(stored[first ? 1 : 0].player == "bob");
}

TEST_CASE_FIXTURE(Ground, "at the limit of tokens a new one is refused until another has ended") {
  KeptTickets tickets = in_slot(0);
  TicketId last = 0;
  for (std::size_t i = 0; i < kLiveTokensMax; ++i) last = tickets.draw("ada", kMinute, 1)->id;
  const Result<Ticket> refused = tickets.draw("ada", kMinute, 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.refusal().text() ==
        "unavailable: 65536 tokens are not used up yet, the most allowed");
  tickets.take({{}, {last}});
  CHECK(tickets.draw("ada", kMinute, 1));
}

}  // namespace
}  // namespace laurel
