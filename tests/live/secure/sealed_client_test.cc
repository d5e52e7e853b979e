// An encrypted client on a network that does what the test says: what it sends before the server
// has proven itself, and which packets end its connection.
#include "live/secure/sealed_client.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "live/secure/handshake_fixture.h"

namespace laurel {
namespace {

using test::secret_of;

// Records what is sent and closed; its events are those that the test puts in.
class ScriptedNetwork final : public ClientTransport {
 public:
  std::deque<TransportEvent> events;
  std::vector<std::string> sent;
  std::vector<PeerId> closed;

  Result<PeerId> connect(std::uint32_t) override { return ++last_; }
  std::optional<TransportEvent> next() override {
    if (events.empty()) return std::nullopt;
    TransportEvent event = std::move(events.front());
    events.pop_front();
    return event;
  }
  bool send(PeerId, Channel, const MessagePtr& message) override {
    sent.push_back(*message);
    return true;
  }
  void flush() override {}
  void close(PeerId peer, std::uint32_t) override { closed.push_back(peer); }
  Time round_trip(PeerId) const override { return 0; }
  std::uint32_t address(PeerId) const override { return 0; }
  void set_connect_filter(ConnectFilter*) override {}

 private:
  PeerId last_ = 0;
};

// A client that has begun to connect to a server of which it has a token.
struct Attempt {
  static constexpr std::uint32_t kWord = 7;

  ScriptedNetwork network;
  SealedClient client{network};
  KeyPair server = draw_key_pair();
  Secret secret = secret_of('s');
  PeerId peer = connect();

  PeerId connect() {
    Token token{kWord, secret, false};
    token.server = server.public_key;
    return *client.connect(kWord, token);
  }
  // What the client makes of the event.
  std::optional<TransportEvent> of(TransportEvent event) {
    event.peer = peer;
    network.events.push_back(std::move(event));
    return client.next();
  }
  std::optional<TransportEvent> arrives(Channel channel, std::string bytes) {
    TransportEvent event;
    event.channel = channel;
    event.bytes = std::move(bytes);
    return of(std::move(event));
  }
  std::optional<TransportEvent> connects() {
    TransportEvent event;
    event.kind = TransportEvent::Kind::connected;
    return of(std::move(event));
  }
  // The server's answer to the first message that the client sent last.
  ServerAnswer answer() {
    return answer_to(network.sent.back(), kWord, secret, server, draw_key_pair()).value();
  }
  bool send(const char* message) {
    return client.send(peer, Channel::reliable, std::make_shared<const std::string>(message));
  }
};

bool is(const std::optional<TransportEvent>& event, TransportEvent::Kind kind) {
  return event && event->kind == kind;
}

TEST_CASE("a client sends its first message alone before the server has proven itself") {
  Attempt attempt;
  CHECK_FALSE(attempt.send("hello"));
  CHECK_FALSE(attempt.connects());
  CHECK_FALSE(attempt.send("hello"));
  REQUIRE(attempt.network.sent.size() == 1);
  CHECK(is_first_message(attempt.network.sent[0]));
  const ServerAnswer answer = attempt.answer();
  CHECK(is(attempt.arrives(Channel::reliable, answer.second), TransportEvent::Kind::connected));
  REQUIRE(attempt.send("hello"));
  SealedSession at_server(answer.keys);
  std::string message;
  REQUIRE(at_server.open(Channel::reliable, attempt.network.sent.back(), message));
  CHECK(message == "hello");
}

TEST_CASE("an unsequenced packet before the answer changes nothing") {
  Attempt attempt;
  CHECK_FALSE(attempt.connects());
  const ServerAnswer answer = attempt.answer();
  CHECK_FALSE(attempt.arrives(Channel::unsequenced, "a state in clear"));
  CHECK_FALSE(attempt.arrives(Channel::unsequenced, answer.second));
  CHECK(is(attempt.arrives(Channel::reliable, answer.second), TransportEvent::Kind::connected));
  CHECK(attempt.network.closed.empty());
}

TEST_CASE(
    "a reliable packet that is not authentic ends the connection, an unsequenced one does not") {
  Attempt attempt;
  CHECK_FALSE(attempt.connects());
  CHECK(is(attempt.arrives(Channel::reliable, attempt.answer().second),
           TransportEvent::Kind::connected));
  CHECK_FALSE(attempt.arrives(Channel::unsequenced, "in clear, and long enough for a seal"));
  CHECK(attempt.client.is_sealed());
  CHECK(is(attempt.arrives(Channel::reliable, "in clear, and long enough for a seal"),
           TransportEvent::Kind::disconnected));
  CHECK(attempt.network.closed == std::vector<PeerId>{attempt.peer});
  CHECK_FALSE(attempt.client.is_sealed());
}

TEST_CASE("another connection begins with a handshake of its own") {
  Attempt attempt;
  CHECK_FALSE(attempt.connects());
  const ServerAnswer old = attempt.answer();
  CHECK(is(attempt.arrives(Channel::reliable, old.second), TransportEvent::Kind::connected));
  attempt.peer = attempt.connect();
  CHECK_FALSE(attempt.client.is_sealed());
  CHECK_FALSE(attempt.send("hello"));
  CHECK_FALSE(attempt.connects());
  CHECK(attempt.network.sent[0] != attempt.network.sent[1]);
  CHECK(is(attempt.arrives(Channel::reliable, old.second), TransportEvent::Kind::disconnected));
}

}  // namespace
}  // namespace laurel
