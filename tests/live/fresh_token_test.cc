// A token is good as soon as the game has it, although the server's thread learns of it a little
// later, and may be reading what clients send at that moment.
#include <optional>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "live/auth/admission.h"
#include "live/client/client_core.h"
#include "live/enet_bytes.h"
#include "live/limits.h"
#include "live/loopback_fixture.h"
#include "live/secure/key_pair.h"
#include "live/server/server_core.h"
#include "live/simulation/lossy_network.h"

namespace laurel {
namespace {

Ticket fresh_token(TicketId id) {
  Ticket token;
  token.id = id;
  token.player = "ada";
  token.uses = 1;
  token.word = static_cast<std::uint32_t>(1'000'000 + id);
  token.secret.fill(static_cast<char>('a' + id % 20));
  return token;
}

// What the game has handed over, and the server has not fetched.
struct Letterbox final : TicketsOnTheWay {
  bool any() const override { return ticket.has_value(); }
  void arrive() override { core->add(*std::exchange(ticket, std::nullopt)); }

  std::optional<Ticket> ticket;
  ServerCore* core = nullptr;
};

TEST_CASE("a word that is not known is refused only if no token is on the way") {
  Letterbox letterbox;
  Admission admission(Auth::token, std::mt19937_64(7), &letterbox);
  CHECK(admission.expects(5, 1) == ConnectFilter::Verdict::reject);
  letterbox.ticket = fresh_token(1);
  CHECK(admission.expects(5, 1) == ConnectFilter::Verdict::ignore);
  letterbox.ticket.reset();
  CHECK(admission.expects(5, 1) == ConnectFilter::Verdict::reject);
}

TEST_CASE("an open server knows the player of a token that arrives after its round began") {
  test::LossyNetwork network({0, 0, 1000, 0}, 1);
  Letterbox letterbox;
  ServerCore::Options options;
  options.random = std::mt19937_64(7);
  options.on_the_way = &letterbox;
  ServerCore server(network.server(), options);
  letterbox.core = &server;
  letterbox.ticket = fresh_token(1);
  const std::string text = to_text({letterbox.ticket->word, letterbox.ticket->secret});
  const auto end = network.client();
  ClientCore client(*end, Credentials([&] { return Result<std::string>(text); }, false), 1);
  for (int i = 0; i < 100; ++i) {
    network.advance(1000);
    server.receive(network.now());
    client.tick(network.now());
  }
  CHECK(client.player() == "ada");
}

TEST_CASE("a client whose connect is read before its token arrives gets in") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    test::LossyNetwork network({0, 0, 1000, 0}, 1);
    Letterbox letterbox;
    ServerCore::Options options;
    options.auth = Auth::token;
    options.random = std::mt19937_64(7);
    options.on_the_way = &letterbox;
    ServerCore server(network.server(), options);
    letterbox.core = &server;
    const KeyPair key = draw_key_pair();
    server.set_key(key);
    letterbox.ticket = fresh_token(1);
    letterbox.ticket->sealed = sealed;
    Token token{letterbox.ticket->word, letterbox.ticket->secret};
    if (sealed) token.server = key.public_key;
    const auto end = network.client();
    ClientCore client(*end, Credentials([&] { return Result<std::string>(to_text(token)); }, false),
                      1);
    for (int i = 0; i < 1000; ++i) {
      network.advance(1000);
      if (i == 10) letterbox.arrive();  // the next round of the server
      server.receive(network.now());
      client.tick(network.now());
    }
    CHECK(client.state() == "connected");
    CHECK(client.player() == "ada");
  }
}

// The live thread has fetched thousands of tokens, and is still adding them when one more is given
// out, and its client connects.
TEST_CASE("a token is not refused because the server had just fetched other tokens") {
  ServerOptions options;
  options.auth = Auth::token;
  const auto server = test::started(options);
  server->set_time(kSecond);
  const test::Stranger stranger(server->port());
  TicketId last = 0;
  for (int trial = 0; trial < 20; ++trial) {
    for (int i = 0; i < 5000; ++i) {
      Ticket other = fresh_token(++last);
      other.player = "crowd";
      server->add(std::move(other));
    }
    stranger.send(test::connect_datagram(7, 7));  // the thread wakes up,
    poll(nullptr, 0, 1);  // and begins; if it begins later, this trial shows nothing
    const Ticket token = fresh_token(++last);
    server->add(token);
    const test::Stranger client(server->port());
    const auto connect = test::connect_datagram(static_cast<std::uint32_t>(last), token.word);
    std::string answer;
    int tries = 0;
    REQUIRE(test::until({}, [&] {
      if (tries++ % 100 == 0) client.send(connect);
      answer = client.receive();
      return !answer.empty();
    }));
    CHECK(answer.size() == 48);  // the answer to a connect, not a disconnect
    server->revoke("crowd");
  }
}

}  // namespace
}  // namespace laurel
