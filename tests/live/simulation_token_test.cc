// Who is let in over a bad network, and who is not.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "live/simulation.h"

namespace laurel {
namespace {

using test::Follower;
using test::SimulatedClient;
using test::Simulation;

// A server that asks for tokens, behind a fifth of loss, with one board of ten players.
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

TEST_CASE("a token of one use lets one client in, whichever of many comes first") {
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

TEST_CASE("who was let in comes in again with the word of the welcome, as often as he is lost") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    House house(seed);
    house.add(Simulation::holder("player", house.token("player", 20 * kSecond, 1)));
    house.run(10 * kSecond);
    REQUIRE(house.converged());
    // The token is used up, and soon its time is over too.
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

TEST_CASE("a token whose time is over lets nobody in who was not in before") {
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

TEST_CASE("who shows no token, or a word without its secret, hears nothing but no") {
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

TEST_CASE("a follower is shown itself with its neighbours, wherever it goes") {
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
