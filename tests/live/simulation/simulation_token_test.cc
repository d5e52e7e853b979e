// Which clients are admitted over a bad network, and which are not.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "live/simulation/simulation.h"

namespace laurel {
namespace {

using test::Follower;
using test::SimulatedClient;
using test::Simulation;

// A server that requires tokens, behind 20 % loss, with one board of ten players.
struct House : Simulation {
  explicit House(std::uint64_t seed)
      : Simulation({0.2, 0.1, 30'000, 30'000, 0}, seed, {20, Auth::token}),
        kills(add_board("kills", {10, 10, 8, 5})) {
    for (int i = 0; i < 100; ++i) kills.play();
    post(kills);
  }

  SimulatedClient& add(test::Identity identity) {
    SimulatedClient& added = add_client(10'000, std::move(identity));
    subscribe(added, "kills", View::top, 10);
    return added;
  }
  void play() {
    kills.play();
    post(kills);
  }

  test::SimulatedBoard& kills;
};

TEST_CASE("a one-use token admits one of several clients") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    House house(seed);
    const Token token = house.token("player", 600 * kSecond, 1);
    for (int i = 0; i < 5; ++i) house.add(Simulation::holder("player", token, false));
    house.run(30 * kSecond);
    int in = 0;
    for (const auto& client : house.clients()) in += client->was_in ? 1 : 0;
    CHECK(in == 1);
    CHECK(house.faults().empty());
  }
}

TEST_CASE("an admitted client returns with the word of its welcome any number of times") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    House house(seed);
    house.add(Simulation::holder("player", house.token("player", 20 * kSecond, 1)));
    house.run(10 * kSecond);
    REQUIRE(house.converged());
    // The token is used up, and soon expires too.
    for (int i = 0; i < 5; ++i) {
      if (i % 2 == 0)
        house.crash();
      else
        house.close();
      house.restart();
      house.play();
      house.run(40 * kSecond);
      CHECK(house.converged());
      CHECK(house.clients()[0]->core.state() == "connected");
    }
    CHECK(house.faults().empty());
  }
}

TEST_CASE("an expired token admits no new client") {
  House house(7);
  const Token brief = house.token("player", 2 * kSecond, 10);
  const SimulatedClient& early = house.add(Simulation::holder("player", brief, false));
  house.run(2 * kSecond);
  const SimulatedClient& late = house.add(Simulation::holder("player", brief, false));
  house.run(30 * kSecond);
  CHECK(early.was_in);
  CHECK_FALSE(late.was_in);
  CHECK(late.core.state().starts_with("refused: "));
}

TEST_CASE("a client without a token, or with a word but a wrong secret, gets only refusals") {
  House house(9);
  Token wrong = house.token("player", 600 * kSecond, 1);
  wrong.secret[0] ^= 1;
  test::Identity forger = Simulation::holder("", wrong, false);
  forger.token = false;  // so that any answer is a fault
  const SimulatedClient& nobody = house.add({});
  const SimulatedClient& with_a_word = house.add(std::move(forger));
  house.run(60 * kSecond);
  CHECK_FALSE(nobody.was_in);
  CHECK_FALSE(with_a_word.was_in);
  CHECK(house.faults().empty());
}

TEST_CASE("a follower is shown itself with its neighbours, at any rank") {
  House house(11);
  const std::string player = test::player_id(3);
  SimulatedClient& client =
      house.add(Simulation::holder(player, house.token(player, 600 * kSecond, 1)));
  const Follower& follower = house.subscribe(client, "kills", View::around, 2);
  house.run(10 * kSecond);
  int ranked = 0;
  for (int i = 0; i < 100; ++i) {
    house.play();
    house.run(3 * kSecond);
    REQUIRE(house.converged());
    const auto& entries = follower.last->entries;
    const bool shown = std::any_of(entries.begin(), entries.end(), [&](const WindowEntry& entry) {
      return entry.player == player;
    });
    CHECK(shown == !entries.empty());
    ranked += shown ? 1 : 0;
  }
  CHECK(ranked > 10);
  CHECK(house.faults().empty());
}

}  // namespace
}  // namespace laurel
