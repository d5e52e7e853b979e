#include "rank/player/player_bits.h"

#include <random>
#include <set>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("a set of bits holds the players that a set of numbers holds") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    PlayerBits bits;
    std::set<PlayerHandle> players;
    for (int i = 0; i < 2000; ++i) {
      const auto player = static_cast<PlayerHandle>(random() % 300 * 97);  // on several pages
      if (random() % 2 == 0) {
        CHECK(bits.add(player) == players.insert(player).second);
      } else {
        CHECK(bits.remove(player) == (players.erase(player) > 0));
      }
      CHECK(bits.has(player) == players.contains(player));
    }
    while (!players.empty()) {
      CHECK(bits.first() == *players.begin());
      CHECK(bits.remove(*players.begin()));
      players.erase(players.begin());
    }
    CHECK(bits.first() == kNoPlayer);
    CHECK_FALSE(bits.has(kNoPlayer));
  }
}

}  // namespace laurel
