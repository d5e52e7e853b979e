// The real stack: a server's thread and clients over ENet on the loopback interface.
#include <array>
#include <chrono>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "live/limits.h"
#include "live/loopback_fixture.h"
#include "live/net/enet_transport.h"

namespace laurel {
namespace {

using test::connected_to;
using test::Heard;
using test::started;
using test::Stranger;
using test::until;
using test::window;

TEST_CASE("a client over ENet receives the top at once and then each change") {
  const auto server = started();
  server->post("kills", window(7, 1));
  const auto client = connected_to(server->port());
  CHECK(client->state() == "connecting");
  Heard heard;
  REQUIRE(client->subscribe("kills", 10, heard.listener()));
  REQUIRE(until({client.get()}, [&] { return heard.has(1); }));
  CHECK(client->state() == "connected");
  CHECK(heard.last->entries == window(7, 1)->entries);
  CHECK(heard.last->size == 1001);
  for (std::uint64_t version = 2; version < 6; ++version) {
    server->post("kills", window(7, version));
    REQUIRE(until({client.get()}, [&] { return heard.has(version); }));
    CHECK(heard.last->entries == window(7, version)->entries);
  }
}

TEST_CASE("starting on a taken port is refused as in use") {
  const auto first = started();
  ServerOptions options;
  options.port = first->port();
  const auto second = Server::start(options);
  REQUIRE_FALSE(second);
  CHECK(
      second.refusal().text() ==
      fmt::format("unavailable: cannot listen on 127.0.0.1:{} (UDP): port in use", first->port()));
}

TEST_CASE("options out of range are refused, with the allowed range") {
  const auto why = [](const ServerOptions& options) {
    const auto server = Server::start(options);
    return server ? std::string("started") : std::string(server.refusal().text());
  };
  ServerOptions options;
  options.clients = 4001;
  CHECK(why(options) == "invalid: clients = 4001 is not 1 to 4000");
  options = {};
  options.clients_per_address = 0;
  CHECK(why(options) == "invalid: clients_per_address = 0 is not 1 to 4000");
  options = {};
  options.rate = 0;
  CHECK(why(options) == "invalid: rate = 0 is not above 0 and at most 1000 updates a second");
  options = {};
  options.bind = "here";
  CHECK(why(options) == "invalid: bind = \"here\" is no IPv4 address such as \"127.0.0.1\"");
  CHECK_FALSE(Client::connect({"", 7777, "", false, {}}));
  CHECK_FALSE(Client::connect({"127.0.0.1", 0, "", false, {}}));
}

TEST_CASE("a client that comes to a full server hears it, and gets in when a slot is free") {
  ServerOptions options;
  options.clients = 3;
  options.clients_per_address = 3;
  const auto server = started(options);
  server->post("kills", window(7, 1));
  std::array<Heard, 3> heard;
  std::vector<std::unique_ptr<Client>> inside;
  for (Heard& each : heard) {
    inside.push_back(connected_to(server->port()));
    REQUIRE(inside.back()->subscribe("kills", 10, each.listener()));
    REQUIRE(until({inside.back().get()}, [&] { return each.has(1); }));
  }
  const auto outside = connected_to(server->port());
  CHECK(until({outside.get()}, [&] { return outside->state() == "refused: full"; }));
  for (const auto& client : inside) CHECK(client->state() == "connected");
  CHECK(server->stats().denied == 1);
  inside.pop_back();
  const auto later = connected_to(server->port());
  CHECK(until({later.get()}, [&] { return later->state() == "connected"; }));
}

TEST_CASE("one address gets a quarter of an open server, and all of one with tokens") {
  ServerOptions options;
  options.clients = 7;
  const auto server = started(options);
  const auto a = connected_to(server->port()), b = connected_to(server->port());
  CHECK(until({a.get(), b.get()},
              [&] { return a->state() == "connected" && b->state() == "connected"; }));
  const auto c = connected_to(server->port());
  CHECK(until({c.get()}, [&] {
    return c->state() == "refused: full: this address has its share of the slots (2)";
  }));
  options.auth = Auth::token;
  const auto with_tokens = started(options);
  std::vector<std::unique_ptr<Client>> clients;
  for (TicketId id = 1; id <= options.clients; ++id) {
    Ticket ticket;
    ticket.id = id;
    ticket.player = "player";
    ticket.word = static_cast<std::uint32_t>(id);
    ticket.uses = 1;
    with_tokens->add(ticket);
    const Token token{ticket.word, ticket.secret};
    auto client = Client::connect({"127.0.0.1", with_tokens->port(), to_text(token), false, {}});
    REQUIRE(client);
    clients.push_back(std::move(*client));
    CHECK(until({clients.back().get()}, [&] { return clients.back()->state() == "connected"; }));
  }
}

TEST_CASE("with a sealed token small and large windows arrive, and the client comes again") {
  ServerOptions options;
  options.auth = Auth::token;
  options.rate = 100;
  const auto server = started(options);
  const KeyPair key = draw_key_pair();
  server->set_key(key);
  Ticket ticket;
  ticket.id = 1;
  ticket.sealed = true;
  ticket.player = "player";
  ticket.word = 77;
  ticket.uses = 1;
  ticket.secret[0] = 's';
  server->add(ticket);
  Token token{ticket.word, ticket.secret};
  token.server = key.public_key;
  auto client = Client::connect({"127.0.0.1", server->port(), to_text(token), false, {}});
  REQUIRE(client);
  Client* const one = client->get();
  Heard ten, hundred;
  REQUIRE(one->subscribe("kills", 10, ten.listener()));
  REQUIRE(one->subscribe("large", 100, hundred.listener()));
  server->post("kills", window(7, 1));
  // The longest names make a message of the most bytes.
  auto large = std::make_shared<Window>(*window(8, 1, 100));
  for (WindowEntry& entry : large->entries) entry.name = std::string(255, 'n');
  for (WindowEntry& entry : large->entries) entry.data = std::string(42, 'd');
  server->post("large", large);
  CHECK(until({one}, [&] { return ten.has(1) && hundred.has(1); }));
  REQUIRE(hundred.last);
  CHECK(hundred.last->entries.size() == 100);
  for (std::uint64_t version = 2; version < 50; ++version) {
    server->post("kills", window(7, version));
    REQUIRE(until({one}, [&] { return ten.has(version); }));
  }
  CHECK(server->stats().offences == 0);
  CHECK(server->stats().denied == 0);
  CHECK(one->player() == "player");
}

TEST_CASE("several clients follow several boards, each with its own number of entries") {
  const auto server = started();
  server->post("kills", window(7, 1, 100));
  server->post("laps", window(8, 5, 3));
  const auto a = connected_to(server->port()), b = connected_to(server->port());
  Heard ten, hundred, laps;
  REQUIRE(a->subscribe("kills", 10, ten.listener()));
  REQUIRE(b->subscribe("kills", 100, hundred.listener()));
  REQUIRE(b->subscribe("laps", 10, laps.listener()));
  REQUIRE(until({a.get(), b.get()}, [&] { return ten.has(1) && hundred.has(1) && laps.has(5); }));
  CHECK(ten.last->entries.size() == 10);
  CHECK(hundred.last->entries.size() == 100);  // more than a datagram, so it came reliably
  CHECK(laps.last->entries.size() == 3);       // only three are published
  for (std::uint64_t version = 2; version < 20; ++version)
    server->post("kills", window(7, version, 100));
  REQUIRE(until({a.get(), b.get()}, [&] { return ten.has(19) && hundred.has(19); }));
  CHECK(hundred.last->entries == window(7, 19, 100)->entries);
  CHECK(until({a.get(), b.get()}, [&] { return server->stats().subscriptions == 3; }));
  CHECK(server->stats().clients == 2);
  CHECK(server->stats().boards == 2);
  CHECK(server->stats().offences == 0);
  CHECK(server->stats().garbage == 0);
}

TEST_CASE("an unpublished board is refused once, and delivered when it is published") {
  const auto server = started();
  const auto client = connected_to(server->port());
  Heard heard;
  REQUIRE(client->subscribe("kills", 10, heard.listener()));
  REQUIRE(until({client.get()}, [&] { return heard.calls > 0; }));
  CHECK(heard.refused == "unknown: no board \"kills\" is published here");
  server->post("kills", window(7, 1));
  REQUIRE(until({client.get()}, [&] { return heard.has(1); }));
  CHECK(heard.calls == 2);
  server->unpublish("kills");
  REQUIRE(until({client.get()}, [&] { return heard.calls == 3; }));
  CHECK(heard.refused == "unknown: no board \"kills\" is published here");
}

TEST_CASE("invalid subscriptions are refused at once") {
  const auto client = connected_to(9);
  CHECK(client->subscribe("kills", 0, nullptr).refusal().text() ==
        "out_of_range: a client may ask for 1 to 100 entries, not 0");
  CHECK_FALSE(client->subscribe("kills", 101, nullptr));
  CHECK_FALSE(client->subscribe("", 10, nullptr));
  CHECK_FALSE(client->subscribe(std::string(256, 'x'), 10, nullptr));
  for (int i = 0; i < 64; ++i) REQUIRE(client->subscribe("board " + std::to_string(i), 1, nullptr));
  CHECK(client->subscribe("one more", 1, nullptr).refusal().text() ==
        "out_of_range: a client may have 64 subscriptions at most");
  CHECK(client->subscribe("board 3", 2, nullptr));  // replaces the first
  client->close();
  CHECK(client->subscribe("board 3", 2, nullptr).refusal().code() == Code::closed);
  client->tick();
  CHECK(client->state() == "closed");
}

TEST_CASE("a client's callbacks may subscribe, unsubscribe and close") {
  const auto server = started();
  for (const char* board : {"a", "b", "c"}) server->post(board, window(7, 1));
  const auto client = connected_to(server->port());
  Heard b;
  int a_calls = 0;
  REQUIRE(client->subscribe("a", 5, [&](const Result<WindowPtr>&) {
    ++a_calls;
    client->unsubscribe("a");
    REQUIRE(client->subscribe("b", 5, b.listener()));
  }));
  REQUIRE(until({client.get()}, [&] { return b.has(1); }));
  server->post("a", window(7, 2));
  server->post("b", window(7, 2));
  REQUIRE(until({client.get()}, [&] { return b.has(2); }));
  CHECK(a_calls == 1);
  REQUIRE(client->subscribe("c", 5, [&](const Result<WindowPtr>&) { client->close(); }));
  CHECK(until({client.get()}, [&] { return client->state() == "closed"; }));
  CHECK(until({}, [&] { return server->stats().clients == 0; }));
}

TEST_CASE("subscribing again replaces the number of entries and the callback") {
  const auto server = started();
  server->post("kills", window(7, 1));
  const auto client = connected_to(server->port());
  Heard ten, again, three;
  REQUIRE(client->subscribe("kills", 10, ten.listener()));
  REQUIRE(until({client.get()}, [&] { return ten.has(1); }));
  REQUIRE(client->subscribe("kills", 10, again.listener()));
  REQUIRE(until({client.get()}, [&] { return again.has(1); }));
  REQUIRE(client->subscribe("kills", 3, three.listener()));
  REQUIRE(until({client.get()}, [&] { return three.has(1); }));
  CHECK(three.last->entries.size() == 3);
  server->post("kills", window(7, 2));
  REQUIRE(until({client.get()}, [&] { return three.has(2); }));
  CHECK(ten.calls == 1);
  CHECK(again.calls == 1);
}

TEST_CASE("a server that ends says bye, and clients find the next one by themselves") {
  auto server = started();
  ServerOptions options;
  options.port = server->port();
  server->post("kills", window(7, 5));
  const auto client = connected_to(options.port);
  Heard heard;
  REQUIRE(client->subscribe("kills", 10, heard.listener()));
  REQUIRE(until({client.get()}, [&] { return heard.has(5); }));
  const std::uint64_t epoch = heard.last->epoch;

  const auto begun = std::chrono::steady_clock::now();
  server.reset();
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(1));
  REQUIRE(
      until({client.get()}, [&] { return client->state() == "lost: closing: the server ends"; }));

  server = started(options);
  server->post("kills", window(7, 3));  // a lower version, of a new epoch
  REQUIRE(until({client.get()}, [&] { return heard.has(3); }));
  CHECK(heard.last->epoch != epoch);
  CHECK(client->state() == "connected");
}

TEST_CASE("what is left of a connection does not end the next one, to a server that began again") {
  ServerOptions options;
  options.rate = 100;
  auto server = started(options);
  options.port = server->port();
  server->post("kills", window(1, 1));
  const auto client = connected_to(options.port);
  Heard kills;
  REQUIRE(client->subscribe("kills", 10, kills.listener()));
  REQUIRE(until({client.get()}, [&] { return kills.has(1); }));
  server.reset();  // its last words reach the client after it has ended
  server = started(options);
  // Longer than ENet waits before it repeats a disconnect.
  const Time end = steady_now() + 2 * kSecond;
  for (std::uint64_t version = 2; steady_now() < end; ++version) {
    server->post("kills", window(2, version));
    CAPTURE(version);
    REQUIRE(until({client.get()}, [&] { return kills.has(version); }));
    CHECK(client->state() == "connected");
  }
}

TEST_CASE("a server without clients ends at once") {
  const auto begun = std::chrono::steady_clock::now();
  started().reset();
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(300));
}

TEST_CASE("with checksums on both sides everything works as without") {
  ServerOptions options;
  options.checksum = true;
  const auto server = started(options);
  server->post("kills", window(7, 1, 100));
  auto client = Client::connect({"localhost", server->port(), "", true, {}});  // connects by name
  REQUIRE(client);
  Heard heard;
  REQUIRE((*client)->subscribe("kills", 100, heard.listener()));
  CHECK(until({client->get()}, [&] { return heard.has(1); }));
  CHECK(server->stats().garbage == 0);
}

TEST_CASE("a client whose host is unknown is lost, with the reason") {
  auto client = Client::connect({"no-such-host.invalid", 7777, "", false, {}});
  REQUIRE(client);
  CHECK(until({client->get()}, [&] {
    return (*client)->state() == "lost: there is no host \"no-such-host.invalid\"";
  }));
}

TEST_CASE("garbage is dropped and counted, and the server continues") {
  const auto server = started();
  server->post("kills", window(7, 1));
  const auto client = connected_to(server->port());
  Heard heard;
  REQUIRE(client->subscribe("kills", 10, heard.listener()));
  REQUIRE(until({client.get()}, [&] { return heard.has(1); }));

  const Stranger stranger(server->port());
  std::mt19937 random(1);
  for (std::size_t size : {1, 3, 29, 600, 5000, 60000}) {
    CAPTURE(size);
    const std::uint64_t before = server->stats().garbage;
    CHECK(until({client.get()}, [&] {
      std::string bytes(size, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      stranger.send(bytes);
      return server->stats().garbage >= before + 10;
    }));
  }
  server->post("kills", window(7, 2));
  CHECK(until({client.get()}, [&] { return heard.has(2); }));
  CHECK(server->stats().clients == 1);
}

TEST_CASE("of windows posted faster than the rate, some are skipped and the last one arrives") {
  const auto server = started();
  const auto client = connected_to(server->port());
  Heard heard;
  REQUIRE(client->subscribe("kills", 10, heard.listener()));
  for (std::uint64_t version = 1; version <= 2000; ++version)
    server->post("kills", window(7, version));
  REQUIRE(until({client.get()}, [&] { return heard.has(2000); }));
  CHECK(server->take_log().empty());
}

// A client over plain ENet that breaks the protocol.
class Rogue {
 public:
  explicit Rogue(std::uint16_t port)
      : enet_(std::move(*EnetTransport::client("127.0.0.1", port, false))) {
    peer_ = *enet_->connect(0);
    REQUIRE(until({}, [&] { return serve() && connected_; }));
  }

  bool send(Channel channel, std::string bytes) {
    const bool sent =
        enet_->send(peer_, channel, std::make_shared<const std::string>(std::move(bytes)));
    enet_->flush();
    return sent;
  }

  bool serve() {
    while (const auto event = enet_->next()) {
      connected_ = connected_ || event->kind == TransportEvent::Kind::connected;
      if (event->kind == TransportEvent::Kind::disconnected) ended_ = event->why;
    }
    return true;
  }
  // The reason with which the server ended the connection.
  std::optional<std::uint32_t> ended() {
    serve();
    return ended_;
  }

 private:
  std::unique_ptr<EnetTransport> enet_;
  PeerId peer_ = 0;
  bool connected_ = false;
  std::optional<std::uint32_t> ended_;
};

TEST_CASE("ten offences end a connection, and are logged") {
  const auto server = started();
  Rogue rogue(server->port());
  for (int i = 0; i < 10; ++i) CHECK(rogue.send(Channel::reliable, "nonsense"));
  CHECK(until({}, [&] { return rogue.ended() == static_cast<std::uint32_t>(Reason::abuse); }));
  CHECK(server->stats().offences == 10);
  CHECK(server->stats().closed == 1);
  const auto log = server->take_log();
  REQUIRE(log.size() == 1);
  CHECK(log[0].second ==
        "live: a client was sent away: abuse: 10 messages were damaged or not allowed");
}

TEST_CASE("a client that never says hello is disconnected") {
  const auto server = started();
  Rogue rogue(server->port());
  CHECK(until({}, [&] { return rogue.ended() == static_cast<std::uint32_t>(Reason::late); }));
}

TEST_CASE("fragments and large payloads never reach ENet") {
  const auto server = started();
  Rogue large(server->port()), fragments(server->port());
  large.send(Channel::reliable, std::string(kLiveClientMessageBytesMax + 1, 'x'));
  fragments.send(Channel::reliable, std::string(20'000, 'x'));
  CHECK(until({}, [&] { return server->stats().garbage >= 2; }));
  CHECK(server->stats().received == 0);
  // ENet does not even send more than its own limit.
  CHECK_FALSE(fragments.send(Channel::reliable,
                             std::string(kLiveMessageBytesMax + kLiveSealBytes + 1, 'x')));
}

}  // namespace
}  // namespace laurel
