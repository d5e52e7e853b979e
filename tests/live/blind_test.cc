// Senders that do not see the server's answers, because they send from another's address: what they
// can make the server send there. ENet's datagrams are made by hand.
#include <memory>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "live/enet_bytes.h"
#include "live/limits.h"
#include "live/loopback_fixture.h"
#include "live/net/enet_guard.h"
#include "live/wire/wire.h"

namespace laurel {
namespace {

using test::acknowledgement;
using test::connect_datagram;
using test::connected_to;
using test::head;
using test::head_to;
using test::Heard;
using test::number_of;
using test::reliable;
using test::started;
using test::Stranger;
using test::until;
using test::window;

// A sender of datagrams; counts bytes both ways.
struct Sender {
  explicit Sender(std::uint16_t port, std::uint32_t from = INADDR_LOOPBACK) : socket(port, from) {}
  void send(const std::string& bytes) {
    socket.send(bytes);
    sent += bytes.size();
  }
  // The first of the answers that have arrived; counts all of them.
  std::string take() {
    const std::string first = socket.receive();
    answered += first.size();
    while (const std::size_t more = first.empty() ? 0 : socket.receive().size()) answered += more;
    return first;
  }
  std::string next_answer() {
    std::string answer;
    REQUIRE(until({}, [&] { return !(answer = take()).empty(); }));
    return answer;
  }
  // Sends a connect, and returns the answer to it.
  std::string connect(std::uint32_t connect_id) {
    send(connect_datagram(connect_id));
    const std::string answer = next_answer();
    REQUIRE(answer.size() == 48);
    REQUIRE((answer[4] & 0xF) == 3);
    return answer;
  }

  Stranger socket;
  std::size_t sent = 0, answered = 0;
};

// Whether all datagrams sent before have been handled and the number of clients is this.
bool clients_are(const Server& server, std::size_t count) {
  Sender other(server.port());
  const std::string answer = other.connect(0x0FFFFFFF);
  other.send(head_to(answer) + acknowledgement(number_of(answer)));
  return until({}, [&] { return server.stats().clients > count; }) &&
         server.stats().clients == count + 1;
}

TEST_CASE("a sender who sees no answers brings its victim no more bytes than it sends") {
  const auto server = started();
  server->post("kills", window(7, 1, 100));
  const auto honest = connected_to(server->port());
  Heard heard;
  REQUIRE(honest->subscribe("kills", 10, heard.listener()));
  REQUIRE(until({honest.get()}, [&] { return heard.has(1); }));
  Sender victim(server->port());
  Subscribe subscribe;
  subscribe.board = "kills";
  subscribe.n = 100;
  for (std::uint64_t round = 0; round < 30; ++round) {
    CAPTURE(round);
    if (round % 10 == 0) victim.send(connect_datagram(static_cast<std::uint32_t>(100 + round)));
    // It knows the number of its peer, the first session, and ENet's number of a first command.
    for (std::uint32_t peer = 1; peer <= 3; ++peer) {
      victim.send(head(peer) + acknowledgement(1));
      victim.send(head(peer) + reliable(1, encode(ClientMessage(Hello{}))));
      victim.send(head(peer) + reliable(2, encode(ClientMessage(subscribe))));
    }
    server->post("kills", window(7, 2 + round, 100));
    REQUIRE(until({honest.get()}, [&] { return heard.has(2 + round); }));
    (void)victim.take();
    CHECK(victim.answered <= victim.sent);
  }
  CHECK(victim.answered > 0);
  CHECK(server->stats().clients == 1);
  CHECK(server->stats().subscriptions == 1);
}

TEST_CASE("a connect is answered once, and again when it is repeated") {
  const auto server = started();
  Sender client(server->port());
  const std::string first = client.connect(7);
  ::poll(nullptr, 0, 1200);  // ENet's clock is that of the machine; it would send it twice more
  CHECK(client.take().empty());
  const std::string second = client.connect(7);
  CHECK(number_of(second) == number_of(first));
  CHECK(head_to(second).substr(0, 2) == head_to(first).substr(0, 2));
  CHECK(client.answered <= client.sent);
  client.send(head_to(first) + acknowledgement(number_of(first)));
  CHECK(until({}, [&] { return server->stats().clients == 1; }));
}

// Passes datagrams between one client and a server, and loses those that acknowledge a connect.
struct Relay {
  explicit Relay(std::uint16_t server_port) : to_server(server_port) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(front, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0);
  }
  ~Relay() { ::close(front); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::uint16_t port() const {
    sockaddr_in own{};
    socklen_t bytes = sizeof own;
    REQUIRE(::getsockname(front, reinterpret_cast<sockaddr*>(&own), &bytes) == 0);
    return ntohs(own.sin_port);
  }
  // The head is followed by a checksum if there are checksums.
  void pass(bool checksum, int to_lose) {
    std::string bytes(2048, '\0');
    socklen_t of_client = sizeof client;
    for (ssize_t got = 0;
         (got = ::recvfrom(front, bytes.data(), bytes.size(), MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&client), &of_client)) > 0;) {
      const std::string datagram = bytes.substr(0, static_cast<std::size_t>(got));
      const bool proof = acknowledged_number(datagram, checksum).has_value();
      if (proof && lost < to_lose) {
        ++lost;
      } else {
        to_server.send(datagram);
      }
    }
    for (std::string got; !(got = to_server.receive()).empty();) {
      questions += got.size() == (checksum ? 12U : 8U) ? 1 : 0;
      (void)!::sendto(front, got.data(), got.size(), 0, reinterpret_cast<const sockaddr*>(&client),
                      sizeof client);
    }
  }

  int front = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  Stranger to_server;
  sockaddr_in client{};
  int lost = 0, questions = 0;
};

TEST_CASE("a client whose acknowledgements were lost is asked for one when it speaks") {
  for (const bool checksum : {false, true}) {
    CAPTURE(checksum);
    ServerOptions options;
    options.checksum = checksum;
    const auto server = started(options);
    Relay relay(server->port());
    auto client = Client::connect({"127.0.0.1", relay.port(), "", checksum, {}});
    REQUIRE(client);
    CHECK(until({client->get()}, [&] {
      relay.pass(checksum, 2);
      return (*client)->state() == "connected";
    }));
    CHECK(relay.lost == 2);
    CHECK(relay.questions > 0);
    CHECK(server->stats().clients == 1);
  }
}

TEST_CASE("the number that a client must acknowledge cannot be foreseen or tried out") {
  const auto server = started();
  Sender guesser(server->port());
  std::set<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::string answer = guesser.connect(i);
    numbers.insert(number_of(answer));
    for (std::uint32_t wrong = 1; wrong <= kLiveWrongProofsMax; ++wrong) {
      guesser.send(head_to(answer) + acknowledgement(number_of(answer) + wrong));
    }
    guesser.send(head_to(answer) + acknowledgement(number_of(answer)));
  }
  CHECK(numbers.size() > 4);
  CHECK(clients_are(*server, 0));
}

TEST_CASE("a client gets in after a stray acknowledgement") {
  const auto server = started();
  Sender client(server->port());
  const std::string answer = client.connect(7);
  client.send(head_to(answer) + acknowledgement(number_of(answer) - 1));
  client.send(head_to(answer) + acknowledgement(number_of(answer)));
  CHECK(until({}, [&] { return server->stats().clients == 1; }));
}

TEST_CASE("one address that begins all the connections it can leaves slots to other addresses") {
  constexpr std::uint32_t kAnotherAddress = INADDR_LOOPBACK + 1;
  ServerOptions options;
  options.clients = 16;
  const auto server = started(options);
  const Sender attacker(server->port());
  for (std::uint32_t i = 0; i < 200; ++i) attacker.socket.send(connect_datagram(i));
  Sender other(server->port(), kAnotherAddress);
  const std::string answer = other.connect(7);
  other.send(head_to(answer) + acknowledgement(number_of(answer)));
  CHECK(until({}, [&] { return server->stats().clients == 1; }));
}

}  // namespace
}  // namespace laurel
