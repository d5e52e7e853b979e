// A connection over TLS whose bytes are disturbed on their way.
#include <algorithm>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "redis_fixture.h"
#include "relay.h"
#include "remote/redis/net/connection.h"

namespace laurel {

namespace {

struct TlsLine {
  CertificateAuthority authority;
  std::unique_ptr<RedisServers> servers = RedisServers::one(
      {.tls = ServerTls{
           .own = authority.issue({"127.0.0.1"}), .ca = authority.own().cert, .client = {}}});
  std::shared_ptr<const redis::TlsClient> client = std::move(
      *redis::TlsClient::open({.ca = authority.own().cert, .cert = {}, .key = {}, .name = {}}));
};

// What a connection brought until it failed or had all the answers.
struct TlsOutcome {
  std::vector<redis::Reply> replies;
  std::string error;
};

TlsOutcome talk(const TlsLine& line, std::uint16_t port, const std::vector<redis::Words>& commands,
                Time patience = 20 * kSecond) {
  redis::Connection connection({"127.0.0.1", port}, line.client.get());
  for (const redis::Words& command : commands) connection.send(command);
  TlsOutcome outcome;
  const Time give_up = steady_now() + patience;
  while (!connection.failed() && outcome.replies.size() < commands.size() &&
         steady_now() < give_up) {
    pollfd entry{connection.fd(), connection.events(), 0};
    ::poll(&entry, 1, 100);
    connection.on_events(entry.revents, outcome.replies);
  }
  outcome.error = connection.error();
  return outcome;
}

}  // namespace

TEST_CASE("large commands and answers pass TLS whole, however small the pieces are") {
  const TlsLine line;
  if (!line.servers) return;
  Relay relay(line.servers->port(0));
  std::string text;
  for (int i = 0; text.size() < 60'000; ++i) text += fmt::format("{} ", i);
  for (const std::size_t piece : {1, 2, 7, 1000, 65'536}) {
    CAPTURE(piece);
    relay.piece = piece;
    const std::string part = text.substr(0, piece < 1000 ? 20'000 : text.size());
    const TlsOutcome outcome =
        talk(line, relay.port(), {{"ECHO", part}, {"ECHO", "between"}, {"ECHO", part}});
    CHECK(outcome.error.empty());
    REQUIRE(outcome.replies.size() == 3);
    CHECK(outcome.replies[0].text == part);
    CHECK(outcome.replies[1].text == "between");
    CHECK(outcome.replies[2].text == part);
  }
}

TEST_CASE("more is sent over TLS than the socket takes at once, while the send buffer moves") {
  const TlsLine line;
  if (!line.servers) return;
  std::vector<redis::Words> commands;
  for (int i = 0; i < 40; ++i) commands.push_back({"ECHO", std::string(500'000 + i, 'x')});
  const TlsOutcome outcome = talk(line, line.servers->port(0), commands);
  CHECK(outcome.error.empty());
  REQUIRE(outcome.replies.size() == commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    CHECK(outcome.replies[i].text.size() == 500'000 + i);
  }
}

TEST_CASE(
    "a TLS connection that ends after any byte fails with a sentence, and brings nothing false") {
  const TlsLine line;
  if (!line.servers) return;
  Relay relay(line.servers->port(0));
  // The handshake takes about 1,000 bytes from the server; after it come tickets and the answer.
  for (std::size_t cut = 0; cut < 2'400; cut += cut % 300 < 20 ? 1 : 37) {
    CAPTURE(cut);
    relay.cut_at = cut;
    const TlsOutcome outcome = talk(line, relay.port(), {{"ECHO", std::string(800, 'x')}});
    for (const redis::Reply& reply : outcome.replies) CHECK(reply.text == std::string(800, 'x'));
    CHECK(outcome.replies.size() + (outcome.error.empty() ? 0 : 1) == 1);
    if (outcome.replies.empty()) {
      const bool is_told = outcome.error.find("the server closed the connection") == 0 ||
                           outcome.error == "Connection reset by peer";
      CHECK_MESSAGE(is_told, outcome.error);
    }
  }
}

TEST_CASE("a wrong byte from a TLS server ends the connection, and never becomes an answer") {
  const TlsLine line;
  if (!line.servers) return;
  Relay relay(line.servers->port(0));
  std::size_t broken = 0;
  for (std::size_t place = 0; place < 2'400; place += place % 200 < 10 ? 1 : 41) {
    CAPTURE(place);
    relay.spoilt = place;
    // A wrong length may announce bytes that never come: then it is the caller who gives up.
    const TlsOutcome outcome =
        talk(line, relay.port(), {{"ECHO", std::string(800, 'x')}}, kSecond / 5);
    for (const redis::Reply& reply : outcome.replies) CHECK(reply.text == std::string(800, 'x'));
    if (outcome.replies.empty()) ++broken;
  }
  CHECK(broken > 50);
}

TEST_CASE("a TLS server that closes says so, and the connection tells it") {
  const TlsLine line;
  if (!line.servers) return;
  const TlsOutcome outcome = talk(line, line.servers->port(0), {{"ECHO", "a"}, {"QUIT"}, {"PING"}});
  REQUIRE(outcome.replies.size() == 2);
  CHECK(outcome.error == "the server closed the connection");
}

}  // namespace laurel
