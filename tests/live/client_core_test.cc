// The client's own decisions: when to connect, when to give up, how much to ask for.
#include "live/client/client_core.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/limits.h"
#include "live/server/server_core.h"
#include "live/simulation/lossy_network.h"
#include "live/snapshots.h"
#include "live/wire/delta.h"

namespace laurel {
namespace {

using test::LossyNetwork;

// A network that never answers, and records the attempts to connect.
class Deaf final : public ClientTransport {
 public:
  explicit Deaf(const Time& now) : now_(now) {}
  std::optional<TransportEvent> next() override { return std::nullopt; }
  bool send(PeerId, Channel, const MessagePtr&) override { return true; }
  void flush() override {}
  void close(PeerId, std::uint32_t) override {}
  Time round_trip(PeerId) const override { return 0; }
  std::uint32_t address(PeerId) const override { return 0; }
  void set_connect_filter(ConnectFilter*) override {}
  Result<PeerId> connect(std::uint32_t) override {
    if (now_ < found_at) return PeerId{0};
    attempts.push_back(now_);
    return PeerId{attempts.size()};
  }

  Time found_at = 0;  // until then the server's name is being looked up
  std::vector<Time> attempts;

 private:
  const Time& now_;
};

TEST_CASE("a silent server is tried again after growing pauses of up to ten seconds") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Time now = 0;
    Deaf network(now);
    ClientCore client(network, test::no_token(), seed);
    client.tick(now);
    CHECK(client.state() == "connecting");
    for (; now < 120 * kSecond; now += 10'000) client.tick(now);
    CHECK(client.state() == "lost: the server does not answer");
    REQUIRE(network.attempts.size() > 8);
    Time expected = kLiveBackoffMin;
    for (std::size_t i = 1; i < network.attempts.size(); ++i) {
      const Time pause = network.attempts[i] - network.attempts[i - 1] - kLiveConnectWithin;
      CHECK(pause >= expected * 3 / 4);
      CHECK(pause <= expected * 5 / 4 + 20'000);
      expected = std::min(2 * expected, kLiveBackoffMax);
    }
  }
}

TEST_CASE("a token is fetched once per attempt, even if the name lookup takes long") {
  Time now = 0;
  Deaf network(now);
  network.found_at = 10 * kSecond;
  int fetched = 0;
  ClientCore client(network,
                    Credentials(
                        [&] {
                          ++fetched;
                          return Result<std::string>(std::string());
                        },
                        true),
                    1);
  for (; now < network.found_at; now += 10'000) client.tick(now);
  CHECK(fetched == 1);
  for (; network.attempts.size() < 3; now += 10'000) client.tick(now);
  CHECK(fetched == 3);
}

// A server's end of the network, played by the test.
struct Hand {
  LossyNetwork network{{0, 0, 1000, 0}, 1};
  std::unique_ptr<LossyNetwork::End> end = network.client();
  ClientCore client{*end, test::no_token(), 1};
  std::vector<ClientMessage> heard;
  std::vector<Channel> channels;   // the channel of each
  std::vector<std::string> bytes;  // the messages point into these
  PeerId peer = 0;

  Hand() { bytes.reserve(1000); }

  void run(Time duration) {
    for (const Time until = network.now() + duration; network.now() < until;) {
      network.advance(1000);
      client.tick(network.now());
      while (auto event = network.server().next()) {
        peer = event->peer;
        if (event->kind != TransportEvent::Kind::received) continue;
        bytes.push_back(std::move(event->bytes));
        heard.push_back(*decode_client(bytes.back(), event->channel));
        channels.push_back(event->channel);
      }
    }
  }
  void say(const ServerMessage& message, Channel channel = Channel::reliable) {
    network.server().send(peer, channel, std::make_shared<const std::string>(encode(message)));
  }
  template <typename Message>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(heard.begin(), heard.end(), [](const auto& one) {
      return std::holds_alternative<Message>(one);
    }));
  }
};

TEST_CASE("a server without a common version is not tried again") {
  Hand hand;
  hand.run(10'000);
  REQUIRE(hand.count<Hello>() == 1);
  Error error;
  error.reason = Reason::version;
  error.version_min = error.version_max = 9;
  error.sentence = "this server speaks versions 9 to 9 of the protocol, the client 1 to 1";
  hand.say(error);
  hand.run(60 * kSecond);
  CHECK(hand.client.state() ==
        "refused: this server speaks versions 9 to 9 of the protocol, the client 1 to 1");
  CHECK(hand.count<Hello>() == 1);
}

TEST_CASE(
    "after a bye that allows a return the client reconnects, and its state shows the reason") {
  Hand hand;
  hand.run(10'000);
  hand.say(Welcome{});
  hand.run(10'000);
  CHECK(hand.client.state() == "connected");
  hand.say(Bye{Reason::slow, "nothing was acknowledged\n"});
  hand.run(10'000);
  CHECK(hand.client.state() == "lost: slow: nothing was acknowledged\\n");
  hand.run(kSecond);
  CHECK(hand.count<Hello>() == 2);
}

TEST_CASE("a silent server is pinged, and given up later") {
  Hand hand;
  hand.run(10'000);
  hand.say(Welcome{});
  hand.run(kLiveDoubtAfter);
  CHECK(hand.count<Ping>() == 1);
  hand.run(kLiveLostAfter - kLiveDoubtAfter - 50'000);
  CHECK(hand.count<Ping>() >= 25);
  CHECK(hand.client.state() == "connected");
  hand.run(100'000);
  CHECK(hand.client.state() == "lost: nothing was heard from the server");
}

TEST_CASE("a damaged state is not acknowledged but resynced, and other streams are ignored") {
  Hand hand;
  REQUIRE(hand.client.subscribe("kills", View::top, 10, nullptr));
  hand.run(10'000);
  hand.say(Welcome{});
  hand.run(10'000);
  hand.say(Subscribed{"kills", View::top, 10, 3, 99});
  State empty;
  empty.stream = 3;
  empty.version = 5;
  empty.digest = 0;
  hand.say(empty, Channel::unsequenced);  // does not match the digest
  hand.run(10'000);
  CHECK(hand.count<Ack>() == 0);
  CHECK(hand.count<Resync>() == 1);
  hand.say(empty, Channel::unsequenced);
  hand.run(10'000);
  CHECK(hand.count<Resync>() == 1);  // at most once a second
  empty.stream = 4;
  hand.say(empty, Channel::unsequenced);
  hand.run(10'000);
  CHECK(hand.count<Ack>() == 0);
}

TEST_CASE("a state that came reliably is acknowledged reliably, whatever came at the same time") {
  // The server waits for this acknowledgement before it sends the next state, so it must not be
  // lost.
  for (const bool reliable_first : {true, false}) {
    CAPTURE(reliable_first);
    Hand hand;
    REQUIRE(hand.client.subscribe("kills", View::top, 10, nullptr));
    hand.run(10'000);
    hand.say(Welcome{});
    hand.run(10'000);
    hand.say(Subscribed{"kills", View::top, 10, 3, 99});
    hand.run(10'000);
    const Window window{99, 5, 0, {}};
    State state;
    state.stream = 3;
    state.version = 5;
    state.digest = digest(window, 10, "");
    hand.say(state, reliable_first ? Channel::reliable : Channel::unsequenced);
    hand.say(state, reliable_first ? Channel::unsequenced : Channel::reliable);
    hand.run(10'000);
    REQUIRE(hand.count<Ack>() == 1);
    CHECK(std::holds_alternative<Ack>(hand.heard.back()));
    CHECK(hand.channels.back() == Channel::reliable);
  }
}

TEST_CASE("a script that subscribes and unsubscribes constantly stays within the server's limits") {
  LossyNetwork network({0, 0, 5000, 0}, 1);
  ServerCore server(network.server(), {.rate = 20, .random = std::mt19937_64(1)});
  const auto end = network.client();
  ClientCore client(*end, test::no_token(), 1);
  std::mt19937 random(1);
  int windows = 0;
  const auto count = [&](const Result<WindowPtr>& top) { windows += top ? 1 : 0; };
  for (int i = 0; i < 30; ++i) {
    server.post("board " + std::to_string(i), std::make_shared<const Window>(test::ladder(10)));
  }
  for (int i = 0; i < 6000; ++i) {
    network.advance(10'000);
    server.receive(network.now());
    if (i % 5 == 0) server.tick(network.now());
    for (int k = 0; k < 10; ++k) {
      const std::string board = "board " + std::to_string(random() % 30);
      if (random() % 2 == 0)
        client.unsubscribe(board);
      else
        (void)client.subscribe(board, View::top, 1 + random() % 20, count);
    }
    client.tick(network.now());
  }
  CHECK(server.stats().offences == 0);
  CHECK(server.stats().closed == 0);
  CHECK(windows > 0);
  CHECK(server.stats().subscriptions <= kLiveMoreSubscriptionsMax);
}

}  // namespace
}  // namespace laurel
