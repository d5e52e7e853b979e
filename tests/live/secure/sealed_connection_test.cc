// Encrypted connections of real clients and a real server, with an attacker between them.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "live/secure/encounter.h"
#include "live/secure/handshake.h"

namespace laurel {
namespace {

using test::Crossing;
using test::Encounter;
using test::Replayer;
using test::Visitor;
using test::Way;

bool appears(const std::vector<Crossing>& recorded, std::string_view what) {
  return std::any_of(recorded.begin(), recorded.end(), [what](const Crossing& crossing) {
    return crossing.bytes.find(what) != std::string::npos;
  });
}

std::string_view text_of_secret(const Token& token) {
  return {token.secret.data(), token.secret.size()};
}

// The n-th message of a connection in one direction, of those that cross reliably: the handshake's
// message, then hello or welcome, then the others.
std::function<bool(Crossing&)> meddle_once(Way way, int nth, std::function<bool(Crossing&)> how) {
  return [=, seen = 0](Crossing& crossing) mutable {
    if (crossing.way != way || crossing.channel != Channel::reliable || seen++ != nth) return true;
    return how(crossing);
  };
}

TEST_CASE("with a token the board arrives, and no name, board or secret crosses in clear") {
  Encounter encounter;
  encounter.post(100);
  const Token token = encounter.token();
  Visitor& visitor = encounter.visit(token);
  REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  for (int i = 0; i < 20; ++i) {
    encounter.post(200 + i);
    REQUIRE(encounter.run_until(kSecond, [&] { return encounter.is_current(visitor); }));
  }
  CHECK(visitor.core.player() == std::string(Encounter::kPlayer));
  REQUIRE(visitor.tap.recorded.size() > 40);
  for (const std::string_view what :
       {Encounter::kPlayer, Encounter::kOther, std::string_view("season"), text_of_secret(token),
        std::string_view("LRL")}) {
    CAPTURE(what);
    CHECK_FALSE(appears(visitor.tap.recorded, what));
  }
  CHECK(encounter.server->stats().offences == 0);
  CHECK(encounter.server->stats().resyncs == 0);
}

TEST_CASE("a token in clear, and an open server, are served in clear as before") {
  for (const Auth auth : {Auth::token, Auth::open}) {
    Encounter encounter({0, 0, 20'000, 0, 0}, 1, auth);
    encounter.post(100);
    Visitor& visitor = encounter.visit(auth == Auth::token ? to_text(encounter.token(false)) : "");
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
    CHECK(appears(visitor.tap.recorded, Encounter::kPlayer));
  }
}

TEST_CASE("an open server encrypts for a client whose token says so") {
  Encounter encounter({0, 0, 20'000, 0, 0}, 1, Auth::open);
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token());
  REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  CHECK_FALSE(appears(visitor.tap.recorded, Encounter::kPlayer));
}

TEST_CASE("datagrams of encrypted states are no longer than a datagram may be") {
  Encounter encounter;
  encounter.post(1);
  Visitor& visitor = encounter.visit(encounter.token());
  for (int i = 0; i < 50; ++i) {
    encounter.post(i);
    encounter.run(100'000);
  }
  CHECK(std::all_of(visitor.tap.recorded.begin(), visitor.tap.recorded.end(),
                    [](const Crossing& crossing) {
                      return crossing.channel == Channel::reliable ||
                             crossing.bytes.size() <= kLiveDatagramBytesMax;
                    }));
}

// One connection, of which one bit of a reliable message is flipped.
void flip_each_bit(Way way, int nth, std::size_t bits) {
  Encounter encounter;
  encounter.post(100);
  const Token token = encounter.token(true, 1'000'000);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    CAPTURE(bit);
    PeerId flipped = 0;  // the connection
    Visitor& visitor = encounter.visit(token);
    visitor.tap.meddle = meddle_once(way, nth, [&](Crossing& crossing) {
      if (bit / 8 >= crossing.bytes.size()) return true;
      crossing.bytes[bit / 8] = static_cast<char>(crossing.bytes[bit / 8] ^ 1 << bit % 8);
      flipped = visitor.tap.peer();
      return true;
    });
    // The connection with the changed message never stands; a later one does.
    REQUIRE(encounter.run_until(30 * kSecond, [&] {
      REQUIRE_FALSE((visitor.tap.peer() == flipped && visitor.shown));
      return encounter.is_current(visitor);
    }));
    REQUIRE(flipped != 0);
    visitor.core.close();
    encounter.run(50'000);
    encounter.visitors.clear();
  }
}

TEST_CASE("whatever bit of the first message is flipped, the connection is made again") {
  flip_each_bit(Way::to_server, 0, 8 * kFirstBytes);
}

TEST_CASE("whatever bit of the second message is flipped, the connection is made again") {
  flip_each_bit(Way::to_client, 0, 8 * kSecondBytes);
}

TEST_CASE("whatever bit of the client's first packet is flipped, the connection is made again") {
  flip_each_bit(Way::to_server, 1, 8 * (1 + 3 + 2 + 1 + kLiveSecretBytes + 16));
}

TEST_CASE("whatever bit of the welcome is flipped, the connection is made again") {
  flip_each_bit(Way::to_client, 1, 8 * 20);
}

TEST_CASE("an unsequenced packet that is changed is dropped, and the client stays connected") {
  Encounter encounter;
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token());
  REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  std::mt19937 random(7);
  visitor.tap.meddle = [&](Crossing& crossing) {
    if (crossing.channel == Channel::unsequenced && random() % 2 == 0) {
      char& byte = crossing.bytes[random() % crossing.bytes.size()];
      byte = static_cast<char>(byte ^ 1 << random() % 8);
    }
    return true;
  };
  const PeerId peer = visitor.tap.peer();
  for (int i = 0; i < 50; ++i) {
    encounter.post(i);
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  }
  CHECK(visitor.tap.peer() == peer);
  CHECK(encounter.server->stats().offences == 0);
}

TEST_CASE("everything that was recorded, sent again, takes no connection and gets no entry") {
  for (const bool same_address : {true, false}) {
    CAPTURE(same_address);
    Encounter encounter;
    encounter.post(100);
    Visitor& visitor = encounter.visit(encounter.token(true, 10));
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
    std::vector<Crossing> sent;
    std::copy_if(visitor.tap.recorded.begin(), visitor.tap.recorded.end(), std::back_inserter(sent),
                 [](const Crossing& crossing) { return crossing.way == Way::to_server; });
    const PeerId peer = visitor.tap.peer();
    // At once, and later; all of it, and each message alone.
    for (const Time later : {Time{0}, 4 * kSecond, 60 * kSecond}) {
      encounter.run(later);
      std::vector<std::vector<Crossing>> tries = {sent};
      for (const Crossing& each : sent) tries.push_back({each});
      for (const auto& messages : tries) {
        Replayer replayer(
            encounter, visitor.tap.words[0], messages,
            same_address ? std::optional(visitor.tap.end().address(peer)) : std::nullopt);
        encounter.actors = {[&] { replayer.act(); }};
        encounter.run(4 * kSecond);
        encounter.actors.clear();
        CHECK(replayer.connected);
        CHECK(replayer.ended);
        CHECK(replayer.answers.size() <= 1);  // the answer of the handshake
        for (const std::string& answer : replayer.answers) CHECK(answer.size() == kSecondBytes);
        encounter.post(static_cast<double>(encounter.network.now()));
        REQUIRE(encounter.run_until(kSecond, [&] { return encounter.is_current(visitor); }));
        CHECK(visitor.tap.peer() == peer);
      }
    }
  }
}

// What an eavesdropper does with all that it heard of a client: it looks for a secret in a hello,
// and for the word of a welcome, and connects with them.
struct Eavesdropper {
  explicit Eavesdropper(const Visitor& visitor) {
    for (const Crossing& crossing : visitor.tap.recorded) {
      if (crossing.way == Way::to_server) {
        const auto message = decode_client(crossing.bytes, crossing.channel);
        if (message && std::holds_alternative<Hello>(*message)) hello = crossing;
      } else {
        const auto message = decode_server(crossing.bytes, crossing.channel);
        if (!message) continue;
        if (const auto* welcome = std::get_if<Welcome>(&*message)) word = welcome->word;
      }
    }
  }
  std::optional<Crossing> hello;
  std::uint32_t word = 0;
};

TEST_CASE("an eavesdropper takes a connection in clear over, and no encrypted one") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    Encounter encounter;
    encounter.post(100);
    Visitor& visitor = encounter.visit(encounter.token(sealed, 10));
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
    const PeerId peer = visitor.tap.peer();
    const Eavesdropper eavesdropper(visitor);
    CHECK(eavesdropper.hello.has_value() == !sealed);
    CHECK((eavesdropper.word != 0) == !sealed);
    // If the connection is encrypted, all that it can use is what the client sent.
    std::vector<Crossing> messages;
    for (const Crossing& crossing : visitor.tap.recorded) {
      if (crossing.way == Way::to_server) messages.push_back(crossing);
    }
    if (!sealed) messages = {*eavesdropper.hello};
    Replayer thief(encounter, sealed ? visitor.tap.words[0] : eavesdropper.word, messages);
    encounter.actors = {[&] { thief.act(); }};
    encounter.run(2 * kSecond);
    REQUIRE(!thief.answers.empty());  // a welcome; or the handshake's answer, which is no use
    CHECK(decode_server(thief.answers.front(), Channel::reliable).has_value() == !sealed);
    CHECK((visitor.tap.peer() == peer && visitor.connected()) == sealed);
  }
}

TEST_CASE("a client that was replaced connects again with what it holds") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    Encounter encounter;
    encounter.post(100);
    const Token token = encounter.token(sealed);
    Visitor& visitor = encounter.visit(token);
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
    // A message of the server says so, as it did when another connection had the client's secret.
    const PeerId peer = visitor.tap.peer();
    encounter.network.server().close(peer, static_cast<std::uint32_t>(Reason::replaced));
    REQUIRE(encounter.run_until(2 * kSecond, [&] { return !visitor.connected(); }));
    CHECK(visitor.core.state().starts_with("lost: "));
    REQUIRE(encounter.run_until(30 * kSecond, [&] { return encounter.is_current(visitor); }));
  }
}

TEST_CASE("of two clients with one token of one use, one is in and the other is refused") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    Encounter encounter;
    encounter.post(100);
    const Token token = encounter.token(sealed);
    Visitor& one = encounter.visit(token);
    Visitor& other = encounter.visit(token);
    encounter.run(60 * kSecond);
    CHECK(encounter.is_current(one) != encounter.is_current(other));
    const Visitor& out = encounter.is_current(one) ? other : one;
    CHECK(out.core.state().starts_with("refused: "));
  }
}

TEST_CASE("a forged end of an encrypted connection never makes a client give up") {
  Encounter encounter;
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token(true, 10));
  for (std::uint32_t reason = 0; reason < 300; ++reason) {
    CAPTURE(reason);
    REQUIRE(encounter.run_until(30 * kSecond, [&] { return encounter.is_current(visitor); }));
    encounter.network.server().close(visitor.tap.peer(), reason);
    REQUIRE(encounter.run_until(kSecond, [&] { return !visitor.connected(); }));
    CHECK(visitor.core.state() == "lost: the server ended the connection");
  }
}

TEST_CASE("the server's own reason is believed, also when ENet drops the message before it") {
  Encounter encounter;
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token());
  REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  visitor.tap.meddle = [](Crossing& crossing) { return crossing.way == Way::to_server; };
  encounter.server->close();
  REQUIRE(encounter.run_until(kSecond, [&] { return !visitor.connected(); }));
  CHECK(visitor.core.state() == "lost: closing: the server ends");
}

TEST_CASE("a forged refusal before the handshake does not keep a client out") {
  Encounter encounter;
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token());
  REQUIRE(encounter.run_until(kSecond, [&] { return visitor.tap.peer() != 0; }));
  encounter.run(30'000);
  encounter.network.server().close(visitor.tap.peer(), static_cast<std::uint32_t>(Reason::refused));
  REQUIRE(
      encounter.run_until(kSecond, [&] { return visitor.core.state().starts_with("refused: "); }));
  CHECK(encounter.run_until(30 * kSecond, [&] { return encounter.is_current(visitor); }));
}

TEST_CASE("a client with an unknown token is refused, and says so") {
  Encounter encounter;
  Visitor& visitor = encounter.visit(encounter.token_of_ticket(encounter.ticket(true)));
  REQUIRE(encounter.run_until(30 * kSecond,
                              [&] { return visitor.core.state().starts_with("refused: "); }));
  encounter.run(60 * kSecond);
  CHECK_FALSE(visitor.connected());
  CHECK(visitor.tap.words.size() < 15);
}

TEST_CASE("an open server refuses an encrypting token that it does not know") {
  Encounter encounter({0, 0, 20'000, 0, 0}, 1, Auth::open);
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token_of_ticket(encounter.ticket(true)));
  REQUIRE(encounter.run_until(kSecond, [&] { return visitor.tap.peer() != 0; }));
  CHECK(
      encounter.run_until(kSecond, [&] { return visitor.core.state().starts_with("refused: "); }));
  CHECK(visitor.shown == nullptr);
}

TEST_CASE("a man in the middle with a key of its own is not a server") {
  Encounter encounter;
  encounter.post(100);
  const Token token = encounter.token();
  Visitor& visitor = encounter.visit(token);
  // It even knows the secret, and answers in the server's place.
  const KeyPair own = draw_key_pair();
  int answered = 0;
  visitor.tap.meddle = [&](Crossing& crossing) {
    if (crossing.way == Way::to_client && crossing.bytes.size() == kSecondBytes) {
      ClientHandshake other(token.word, token.secret, own.public_key, draw_key_pair());
      crossing.bytes =
          answer_to(other.first().value(), token.word, token.secret, own, draw_key_pair())->second;
      ++answered;
    }
    return true;
  };
  for (int i = 0; i < 3000; ++i) {
    encounter.step();
    REQUIRE_FALSE(visitor.connected());
  }
  CHECK(answered > 2);
  CHECK(visitor.shown == nullptr);
}

TEST_CASE("a client whose token names another key than the server's is not served") {
  Encounter encounter;
  Token token = encounter.token();
  token.server = draw_key_pair().public_key;
  const Visitor& visitor = encounter.visit(token);
  encounter.run(30 * kSecond);
  CHECK(visitor.shown == nullptr);
  CHECK(visitor.core.state().starts_with("refused: "));
  CHECK(encounter.server->stats().denied > 0);
}

TEST_CASE("a client with an encrypting token takes nothing that comes in clear") {
  Encounter encounter;
  encounter.post(100);
  const Token sealed = encounter.token(true, 10);
  const std::string welcome = encode(ServerMessage(Welcome{1, 7, 50'000}));
  for (int nth = 0; nth < 3; ++nth) {
    CAPTURE(nth);
    Visitor& visitor = encounter.visit(sealed);
    visitor.tap.meddle = meddle_once(Way::to_client, nth, [&](Crossing& crossing) {
      crossing.bytes = welcome;
      return true;
    });
    REQUIRE(encounter.run_until(30 * kSecond, [&] { return encounter.is_current(visitor); }));
    CHECK(visitor.tap.words.size() == 2);  // the first connection has ended
  }
}

TEST_CASE("the word of an encrypting token is not served in clear, whatever hello says") {
  Encounter encounter;
  encounter.post(100);
  Token token = encounter.token(true, 10);
  token.server.reset();  // as a client of 0.1.0 would use its first 40 digits
  Visitor& visitor = encounter.visit(token);
  encounter.run(30 * kSecond);
  CHECK(visitor.shown == nullptr);
  CHECK(visitor.core.state().starts_with("refused: "));
  CHECK(std::none_of(visitor.tap.recorded.begin(), visitor.tap.recorded.end(),
                     [](const Crossing& crossing) { return crossing.way == Way::to_client; }));
}

TEST_CASE("the word of a token in clear makes no encrypted connection") {
  Encounter encounter;
  encounter.post(100);
  Token token = encounter.token(false, 10);
  token.server = encounter.key.public_key;
  const Visitor& visitor = encounter.visit(token);
  encounter.run(30 * kSecond);
  CHECK(visitor.shown == nullptr);
}

TEST_CASE("tokens of both kinds that have one word by chance serve both clients") {
  Encounter encounter;
  encounter.post(100);
  std::vector<Token> tokens;
  for (const bool sealed : {true, true, false, false}) {
    Ticket ticket = encounter.ticket(sealed);
    ticket.word = 77;
    encounter.server->add(ticket);
    tokens.push_back(encounter.token_of_ticket(ticket));
  }
  for (const Token& token : tokens) {
    Visitor& visitor = encounter.visit(token);
    CHECK(encounter.run_until(20 * kSecond, [&] { return encounter.is_current(visitor); }));
    CHECK(appears(visitor.tap.recorded, Encounter::kPlayer) == !token.server);
  }
}

TEST_CASE("an encrypted connection is made again with the welcome's word, also after a restart") {
  Encounter encounter;
  encounter.post(100);
  Visitor& visitor = encounter.visit(encounter.token());
  REQUIRE(encounter.run_until(5 * kSecond, [&] { return encounter.is_current(visitor); }));
  std::set<std::uint32_t> words(visitor.tap.words.begin(), visitor.tap.words.end());
  for (int i = 0; i < 5; ++i) {
    encounter.run(kSecond);
    const TicketNews news = encounter.server->take_tickets();
    for (const TicketId id : news.ended) {
      std::erase_if(encounter.tickets, [id](const Ticket& ticket) { return ticket.id == id; });
    }
    for (const Ticket& ticket : news.stand) {
      std::erase_if(encounter.tickets, [&](const Ticket& t) { return t.id == ticket.id; });
      encounter.tickets.push_back(ticket);
    }
    encounter.network.crash_server();
    encounter.start_server();
    encounter.post(200 + i);
    REQUIRE(encounter.run_until(60 * kSecond, [&] { return encounter.is_current(visitor); }));
    CHECK(words.insert(visitor.tap.words.back()).second);
  }
}

TEST_CASE("a gateway with an encrypting token asks about such tokens, and one in clear does not") {
  for (const bool sealed : {true, false}) {
    CAPTURE(sealed);
    Encounter encounter;
    const Token token = encounter.token();
    const Ticket ticket = encounter.ticket(sealed, 1, Ticket::Kind::gateway);
    encounter.server->add(ticket);
    Visitor& gateway = encounter.visit(encounter.token_of_ticket(ticket));
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return gateway.connected(); }));
    std::string whose;
    REQUIRE(gateway.core.ask_player(to_text(token), [&](const Result<std::string>& player) {
      whose = player ? *player : std::string(player.refusal().text());
    }));
    REQUIRE(encounter.run_until(5 * kSecond, [&] { return !whose.empty(); }));
    if (sealed) {
      CHECK(whose == Encounter::kPlayer);
    } else {
      CHECK(whose.starts_with("unsupported: "));
    }
    CHECK_FALSE(appears(gateway.tap.recorded, to_text(token)));
  }
}

TEST_CASE("a connection that begins no handshake, or does not finish it, ends in time") {
  Encounter encounter;
  const Token token = encounter.token();
  Replayer silent(encounter, token.word, {});
  Replayer unproven(
      encounter, token.word,
      {{Way::to_server, Channel::reliable,
        ClientHandshake(token.word, token.secret, encounter.key.public_key, draw_key_pair())
            .first()
            .value()}});
  encounter.actors = {[&] { silent.act(), unproven.act(); }};
  encounter.run(kLiveHelloWithin + kSecond);
  CHECK(silent.ended);
  CHECK(unproven.ended);
  CHECK(silent.answers.empty());
  CHECK(unproven.answers.size() == 1);
  CHECK(encounter.server->clients() == 0);
}

}  // namespace
}  // namespace laurel
