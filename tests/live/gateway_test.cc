// Version 2 of the protocol between a server and its clients: gateways, lists of boards, and what
// remains of it if one side speaks version 1 only.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/auth/ticket_store.h"
#include "live/client/client_core.h"
#include "live/server/server_core.h"
#include "live/simulation/lossy_network.h"
#include "live/snapshots.h"
#include "store/kept_store.h"

namespace laurel {
namespace {

using test::LossyNetwork;

Ticket ticket(Ticket::Kind kind, const std::string& player, TicketId id) {
  Ticket made;
  made.kind = kind;
  made.id = id;
  made.player = player;
  made.word = static_cast<std::uint32_t>(1000 + id);
  made.uses = 1;
  made.expires = Ticket::kNever;
  made.secret.fill(static_cast<char>('a' + id));
  return made;
}

std::string text_of(const Ticket& of) {
  return to_text({of.word, of.secret, of.kind == Ticket::Kind::gateway});
}

Credentials with_token(const std::string& text) {
  return Credentials([text] { return Result<std::string>(text); }, false);
}

WindowPtr top(std::uint64_t version, double first = 2e6) {
  Window window = test::ladder(10, 7, version);
  window.entries[0].score = first;
  return std::make_shared<const Window>(std::move(window));
}

BoardDescription in_season(std::uint64_t season) {
  BoardDescription description;
  description.season = season;
  return description;
}

// A server and clients on a network without loss.
struct Place {
  explicit Place(std::uint8_t version = kWireVersionMax, Auth auth = Auth::open)
      : server(network.server(),
               {.rate = 20, .auth = auth, .random = std::mt19937_64(1), .version_max = version}) {
    server.set_time(kSecond);
    server.add(gateway);
    server.add(ada);
  }

  ClientCore& client(Credentials credentials, std::uint8_t version = kWireVersionMax) {
    ends.push_back(network.client());
    clients.push_back(
        std::make_unique<ClientCore>(*ends.back(), std::move(credentials), 1, version));
    return *clients.back();
  }

  void run(Time duration) {
    for (const Time until = network.now() + duration; network.now() < until;) {
      network.advance(kTick);
      server.set_time(kSecond + network.now());
      server.receive(network.now());
      if (server.waiting()) server.tick(network.now());
      for (const auto& [id, around] : server.take_follows().begun) {
        followed.push_back(around);
        Window window = test::ladder(1);
        window.entries[0].player = around.player;
        server.post(id, std::make_shared<const Window>(std::move(window)));
      }
      for (const auto& each : clients) each->tick(network.now());
    }
  }

  static constexpr Time kTick = 50'000;
  LossyNetwork network{{0, 0, 1000, 0}, 1};
  Ticket gateway = ticket(Ticket::Kind::gateway, "", 1);
  Ticket ada = ticket(Ticket::Kind::token, "ada", 2);
  ServerCore server;
  std::vector<std::unique_ptr<LossyNetwork::End>> ends;
  std::vector<std::unique_ptr<ClientCore>> clients;
  std::vector<Around> followed;
};

// What a callback was told: the first player, or the refusal.
struct Seen {
  std::string text;
  int calls = 0;
  OnTop take() {
    return [this](const Result<WindowPtr>& window) {
      ++calls;
      if (!window) {
        text = window.refusal().text();
      } else {
        text = (*window)->entries.empty() ? "nobody" : (*window)->entries[0].player;
      }
    };
  }
};

TEST_CASE("a gateway follows any player, and asks whose a token is without spending it") {
  Place place;
  place.server.post("kills", top(1));
  ClientCore& gateway = place.client(with_token(text_of(place.gateway)));
  Seen bob, cleo;
  REQUIRE(gateway.subscribe("kills", View::around, 2, bob.take(), "bob"));
  REQUIRE(gateway.subscribe("kills", View::around, 2, cleo.take(), "cleo"));
  std::vector<std::string> players;
  const auto hear = [&](const Result<std::string>& player) {
    players.push_back(player ? *player : std::string(player.refusal().text()));
  };
  for (const std::string& token :
       {text_of(place.ada), text_of(place.ada), std::string("no token"), text_of(place.gateway)}) {
    REQUIRE(gateway.ask_player(token, hear));
  }
  place.run(kSecond);
  CHECK(bob.text == "bob");
  CHECK(cleo.text == "cleo");
  CHECK(players == std::vector<std::string>{"ada", "ada", "unknown: the server knows no such token",
                                            "unknown: the server knows no such token"});
  CHECK_FALSE(gateway.player());
  // The token still admits its player.
  ClientCore& ada = place.client(with_token(text_of(place.ada)));
  place.run(kSecond);
  CHECK(ada.player() == "ada");
  // Ending one follow leaves the other.
  gateway.unfollow("kills", "bob");
  place.run(kSecond);
  CHECK(place.server.stats().subscriptions == 1);
  CHECK(place.server.stats().followed == 1);
  gateway.unsubscribe("kills");
  place.run(kSecond);
  CHECK(place.server.stats().subscriptions == 0);
  CHECK(place.server.stats().offences == 0);
}

TEST_CASE("only a gateway follows other players and asks for them") {
  Place place;
  place.server.post("kills", top(1));
  ClientCore& client = place.client(with_token(text_of(place.ada)));
  Seen bob;
  REQUIRE(client.subscribe("kills", View::around, 2, bob.take(), "bob"));
  std::string player;
  REQUIRE(client.ask_player("a token", [&](const Result<std::string>& answer) {
    player = answer ? *answer : std::string(answer.refusal().text());
  }));
  place.run(kSecond);
  CHECK(bob.text == "unsupported: only a gateway follows any player");
  CHECK(bob.calls == 1);
  CHECK(player == "unsupported: only a gateway asks whose a token is");
  CHECK(place.followed.empty());
  CHECK(place.server.stats().offences == 0);
}

TEST_CASE("a gateway's token admits any number of clients, again and again, until it is revoked") {
  Place place(kWireVersionMax, Auth::token);
  std::vector<ClientCore*> gateways;
  for (int i = 0; i < 10; ++i) {
    gateways.push_back(&place.client(with_token(text_of(place.gateway))));
  }
  ClientCore& other = place.client(with_token(text_of(place.ada)));
  place.run(kSecond);
  for (const ClientCore* gateway : gateways) CHECK(gateway->state() == "connected");
  CHECK(place.server.stats().clients == 11);
  place.server.end_gateway(place.gateway.id);
  place.run(kSecond);
  for (const ClientCore* gateway : gateways) CHECK(gateway->state() != "connected");
  CHECK(other.state() == "connected");
}

TEST_CASE("a client has 64 subscriptions, a gateway 1,024, and each gets its board") {
  Place place;
  const auto board = [](std::size_t i) { return "board " + std::to_string(i); };
  for (std::size_t i = 0; i < 1024; ++i) place.server.post(board(i), top(1));
  for (const std::size_t most : {std::size_t{64}, std::size_t{1024}}) {
    CAPTURE(most);
    ClientCore& client = place.client(with_token(text_of(most == 64 ? place.ada : place.gateway)));
    std::vector<Seen> seen(most);
    for (std::size_t i = 0; i < most; ++i) {
      REQUIRE(client.subscribe(board(i), View::top, 10, seen[i].take()));
    }
    CHECK_FALSE(client.subscribe("one more", View::top, 10, nullptr));
    place.run(3 * kSecond);
    for (std::size_t i = 0; i < most; ++i) {
      CAPTURE(i);
      CHECK(seen[i].text == test::player_id(0));
    }
    // A change reaches it, and is acknowledged: nothing more is sent.
    for (std::size_t i = 0; i < most; ++i) {
      place.server.post(board(i), top(most, static_cast<double>(3'000'000 + most)));
    }
    place.run(kSecond);
    for (std::size_t i = 0; i < most; ++i) CHECK(seen[i].calls == 2);
    const std::uint64_t sent = place.server.stats().sent;
    place.run(kSecond);
    CHECK(place.server.stats().sent <= sent + 8);  // pongs
    CHECK(place.server.stats().offences == 0);
    client.close();
    place.run(kSecond / 2);
  }
}

TEST_CASE(
    "the published boards are listed to clients that ask, and listed again when they change") {
  Place place;
  place.server.post("kills", top(1));
  place.server.describe("kills", in_season(1));
  ClientCore& asking = place.client(test::no_token());
  ClientCore& silent = place.client(test::no_token());
  std::vector<std::string> told;
  const auto tell = [&](const Result<ListedBoardsPtr>& boards) {
    REQUIRE(boards);
    std::string text;
    for (const ListedBoard& board : **boards) {
      text += fmt::format("{}:{}:{} ", board.board, board.description.season, board.size);
    }
    told.push_back(text);
  };
  REQUIRE(asking.on_boards(tell));
  CHECK((*asking.boards())->empty());
  place.run(kSecond);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "kills:1:1539 ");
  place.server.post("laps", top(1));
  place.server.describe("laps", in_season(4));
  place.run(kSecond);
  CHECK(told.back() == "kills:1:1539 laps:4:1539 ");
  place.server.unpublish("kills");
  place.run(kSecond);
  CHECK(told.back() == "laps:4:1539 ");
  const std::size_t before = told.size();
  place.run(5 * kSecond);
  CHECK(told.size() == before);
  CHECK((*asking.boards())->size() == 1);
  CHECK((*silent.boards())->empty());  // it asks from now on
  place.run(kSecond);
  CHECK((*silent.boards())->size() == 1);
  CHECK(place.server.stats().offences == 0);
}

TEST_CASE("many clients that hold the same list share one encoding") {
  Place place;
  place.server.post("kills", top(1));
  place.server.describe("kills", in_season(1));
  for (int i = 0; i < 20; ++i) (void)place.client(test::no_token()).boards();
  place.run(kSecond);
  CHECK(place.server.stats().encoded == 1);
  place.server.describe("kills", in_season(2));
  place.run(kSecond);
  CHECK(place.server.stats().encoded == 2);
  for (const auto& client : place.clients) {
    CHECK((*client->boards())->at(0).description.season == 2);
  }
}

TEST_CASE(
    "a client of version 2 follows a server of version 1, which has no list and no gateways") {
  Place place(1);
  place.server.post("kills", top(1));
  ClientCore& client = place.client(with_token(text_of(place.gateway)));
  Seen kills, bob;
  REQUIRE(client.subscribe("kills", View::top, 10, kills.take()));
  REQUIRE(client.subscribe("kills", View::around, 2, bob.take(), "bob"));
  std::string boards, player;
  int told = 0;
  REQUIRE(client.on_boards([&](const Result<ListedBoardsPtr>& list) {
    ++told;
    boards = list ? "a list" : std::string(list.refusal().text());
  }));
  REQUIRE(client.ask_player("a token", [&](const Result<std::string>& answer) {
    player = answer ? *answer : std::string(answer.refusal().text());
  }));
  std::vector<Seen> more(20);
  for (std::size_t i = 0; i < more.size(); ++i) {
    REQUIRE(client.subscribe("board " + std::to_string(i), View::top, 1, more[i].take()));
  }
  place.run(10 * kSecond);
  CHECK(client.state() == "connected");
  CHECK(kills.text == test::player_id(0));
  CHECK(bob.text.starts_with("unsupported: the server speaks version 1"));
  CHECK(boards.starts_with("unsupported: the server speaks version 1"));
  CHECK(told == 1);
  CHECK(player.starts_with("unsupported: the server speaks version 1"));
  CHECK_FALSE(client.boards());
  CHECK_FALSE(client.player());
  CHECK(more[0].text.starts_with("unknown: "));
  CHECK(more.back().text == "out_of_range: this server takes 16 subscriptions of this client");
  CHECK(place.server.stats().offences == 0);
  CHECK(place.server.stats().subscriptions <= 16);
}

TEST_CASE("a client of version 1 is served, and boards that it cannot read are unknown to it") {
  Place place;
  place.server.post("kills", top(1));
  Window laps = test::ladder(3);
  laps.columns = *ScoreColumns::parse("laps, seconds asc");
  for (WindowEntry& entry : laps.entries) entry.score = *laps.columns->number({{3, 5}, 2});
  place.server.post("laps", std::make_shared<const Window>(laps));
  ClientCore& first = place.client(test::no_token(), 1);
  ClientCore& second = place.client(test::no_token());
  Seen kills, columns, shown;
  REQUIRE(first.subscribe("kills", View::top, 10, kills.take()));
  REQUIRE(first.subscribe("laps", View::top, 10, columns.take()));
  REQUIRE(second.subscribe("laps", View::top, 10, shown.take()));
  place.run(kSecond);
  CHECK(kills.text == test::player_id(0));
  CHECK(columns.text.starts_with("unknown: "));
  CHECK(shown.text == test::player_id(0));
  CHECK(place.server.stats().offences == 0);
}

TEST_CASE("a player who takes another id while connected is told") {
  Place place;
  ClientCore& ada = place.client(with_token(text_of(place.ada)));
  place.run(kSecond);
  CHECK(ada.player() == "ada");
  place.server.rename("ada", "countess");
  place.run(kSecond);
  CHECK(ada.player() == "countess");
}

TEST_CASE("a question that the server does not answer ends after ten seconds") {
  Place place;
  ClientCore& gateway = place.client(with_token(text_of(place.gateway)));
  place.run(kSecond);
  place.network.black_out_for(30 * kSecond);
  std::string answer;
  REQUIRE(gateway.ask_player("a token", [&](const Result<std::string>& player) {
    answer = player ? *player : std::string(player.refusal().text());
  }));
  place.run(9 * kSecond);
  CHECK(answer.empty());
  place.run(2 * kSecond);
  CHECK(answer.starts_with("unavailable: "));
}

TEST_CASE("a gateway's token as text says what it is") {
  const Ticket gateway = ticket(Ticket::Kind::gateway, "", 1);
  const std::string text = text_of(gateway);
  CHECK(text.starts_with("gateway-"));
  const auto token = token_of(text);
  REQUIRE(token);
  CHECK(token->gateway);
  CHECK(to_text(*token) == text);
  CHECK_FALSE(token_of("gateway-"));
  CHECK_FALSE(token_of(text + "0"));
  CHECK_FALSE(token_of(text.substr(8))->gateway);
}

TEST_CASE("a gateway's token is in the store until it is revoked") {
  KeptStore store;
  const auto open = [&] { return KeptTickets(PersistentRows(Space(store, 2), 't'), 0); };
  KeptTickets tickets = open();
  const Ticket always = *tickets.draw_gateway(Ticket::kNever);
  const Ticket shortly = *tickets.draw_gateway(60 * kSecond);
  CHECK(ticket_of(always.id, ticket_row(always)) == always);
  CHECK(open().load(30 * kSecond).size() == 2);
  CHECK(open().load(90 * kSecond).size() == 1);
  KeptTickets later = open();
  REQUIRE(later.load(90 * kSecond).size() == 1);
  CHECK_FALSE(later.end_gateway({shortly.word, shortly.secret, true}, 90 * kSecond));
  CHECK(later.end_gateway({always.word, always.secret, true}, 90 * kSecond) == always.id);
  CHECK_FALSE(later.end_gateway({always.word, always.secret, true}, 90 * kSecond));
  CHECK(open().load(0).empty());
  // A player's token is not a gateway's.
  const Ticket ada = *later.draw("ada", Ticket::kNever, 1);
  CHECK_FALSE(later.end_gateway({ada.word, ada.secret, true}, 0));
}

}  // namespace
}  // namespace laurel
