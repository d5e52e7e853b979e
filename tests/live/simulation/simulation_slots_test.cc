// A server whose slots are wanted by more clients than it has: over a bad network, in simulated
// time.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "live/simulation/simulation.h"

namespace laurel {
namespace {

using test::SimulatedClient;
using test::Simulation;

constexpr std::uint32_t kAttacker = 0xC0000201;
constexpr Time kAWhile = 5 * kSecond;
constexpr std::string_view kNoSubscription =
    "refused: full: this client had no subscription for 10 s";

// 16 slots, 4 for an address, behind 10 % loss; one board of ten players.
struct SmallHouse : Simulation {
  explicit SmallHouse(std::uint64_t seed, Auth auth = Auth::open)
      : Simulation({0.1, 0.1, 30'000, 30'000, 0}, seed,
                   {.rate = 20, .auth = auth, .clients = 16, .clients_per_address = 4}),
        kills(add_board("kills", {10, 10, 8, 5})) {
    post(kills);
  }

  // Clients without an address given have one each.
  SimulatedClient& add(bool subscribes = true, std::uint32_t address = 0) {
    SimulatedClient& added = add_client(10'000);
    if (address != 0) added.end->move_to(address);
    if (subscribes) subscribe(added, "kills", View::top, 10);
    return added;
  }
  std::vector<SimulatedClient*> add_several(std::size_t count, bool subscribes = true,
                                            std::uint32_t address = 0) {
    std::vector<SimulatedClient*> added;
    while (added.size() < count) added.push_back(&add(subscribes, address));
    return added;
  }

  test::SimulatedBoard& kills;
};

std::size_t connected(const std::vector<SimulatedClient*>& clients) {
  return static_cast<std::size_t>(
      std::count_if(clients.begin(), clients.end(),
                    [](const auto* client) { return client->core.state() == "connected"; }));
}

TEST_CASE("one address that takes all it can leaves the other slots to other addresses") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    SmallHouse house(seed);
    const bool subscribes = seed % 2 == 0;
    const auto greedy = house.add_several(64, subscribes, kAttacker);
    house.run(kAWhile);
    CHECK(connected(greedy) == 4);
    for (const SimulatedClient* each : greedy) {
      if (each->core.state() == "connected") continue;
      CHECK(each->core.state() == "refused: full: this address has its share of the slots (4)");
    }
    const auto others = house.add_several(12);
    house.run(kAWhile);
    CHECK(connected(others) == 12);
    CHECK(connected(greedy) == 4);
    for (const SimulatedClient* each : others) CHECK(house.converged(*each));
    CHECK(house.faults().empty());
  }
}

TEST_CASE("a newcomer at a full server hears it, and clients with subscriptions stay") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    SmallHouse house(seed);
    const auto inside = house.add_several(16);
    house.run(60 * kSecond);
    REQUIRE(connected(inside) == 16);
    const auto newcomers = house.add_several(20);
    house.run(kAWhile);
    for (const SimulatedClient* each : newcomers) CHECK(each->core.state() == "refused: full");
    CHECK(connected(inside) == 16);
    house.leave(*inside[3]);
    house.run(kAWhile);
    const SimulatedClient& late = house.add();
    house.run(kAWhile);
    CHECK(house.converged(late));
    CHECK(late.was_in);
    CHECK(house.faults().empty());
  }
}

TEST_CASE("on a full server the client that has been idle for longest makes room") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    SmallHouse house(seed);
    const auto inside = house.add_several(14);
    std::vector<SimulatedClient*> idle = house.add_several(1, false);
    house.run(kAWhile);
    idle.push_back(&house.add(false));
    house.run(kAWhile);
    house.unsubscribe(*inside[5], "kills");
    idle.push_back(inside[5]);
    house.run(12 * kSecond);
    CHECK(house.server().stats().clients == 16);
    for (const SimulatedClient* gone : idle) {
      CHECK(gone->core.state() == "connected");  // as long as no client wants the slot
      const SimulatedClient& newcomer = house.add();
      house.run(kAWhile);
      CHECK(gone->core.state() == kNoSubscription);
      CHECK(newcomer.core.state() == "connected");
      CHECK(house.converged(newcomer));
    }
    const SimulatedClient& last = house.add();
    house.run(kAWhile);
    CHECK(last.core.state() == "refused: full");
    CHECK(connected(inside) == 13);
    CHECK(house.faults().empty());
  }
}

TEST_CASE("a client without a subscription keeps its slot for ten seconds") {
  SmallHouse house(5);
  house.add_several(15);
  house.run(kAWhile);
  const SimulatedClient& fresh = house.add(false);
  house.run(8 * kSecond);
  const SimulatedClient& early = house.add();
  house.run(kSecond);
  CHECK(early.core.state() == "refused: full");
  CHECK(fresh.core.state() == "connected");
  house.run(3 * kSecond);
  const SimulatedClient& later = house.add();
  house.run(kAWhile);
  CHECK(later.core.state() == "connected");
  CHECK(fresh.core.state() == kNoSubscription);
}

TEST_CASE("a client that lost its connection takes its own slot again on a full server") {
  SmallHouse house(7, Auth::token);
  std::vector<SimulatedClient*> inside;
  for (int i = 0; i < 16; ++i) {
    const std::string player = test::player_id(static_cast<std::size_t>(i));
    SimulatedClient& added =
        house.add_client(10'000, Simulation::holder(player, house.token(player, 600 * kSecond, 1)));
    house.subscribe(added, "kills", View::top, 10);
    inside.push_back(&added);
  }
  house.run(kAWhile);
  REQUIRE(connected(inside) == 16);
  // The client hears nothing and gives up; the server, with nothing to send, has not noticed.
  inside[4]->end->part_for(test::Way::to_client, 11 * kSecond);
  house.run(11 * kSecond);
  CHECK(inside[4]->core.state().starts_with("lost: "));
  house.run(20 * kSecond);
  CHECK(connected(inside) == 16);
  CHECK(house.converged());
  CHECK(house.faults().empty());
}

}  // namespace
}  // namespace laurel
