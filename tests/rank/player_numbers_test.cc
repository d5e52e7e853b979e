#include "rank/player/player_numbers.h"

#include <ctime>
#include <random>
#include <unordered_map>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("player numbers agree with a map for sparse and dense handles") {
  // Handles of a small board in a large registry and in a small one, and handles of two ranges.
  for (const std::uint32_t handles : {10'000'000U, 300U, 32'000U}) {
    const std::uint64_t seed = handles;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    PlayerNumbers map;
    std::unordered_map<PlayerHandle, std::uint32_t> naive;
    int wrong = 0;
    for (int step = 0; step < 100'000; ++step) {
      const auto player = static_cast<PlayerHandle>(random() % handles);
      const auto known = naive.find(player);
      wrong += map.find(player) != (known == naive.end() ? kNoNumber : known->second) ? 1 : 0;
      if (random() % 8 < ((step / 25'000) % 2 == 0 ? 6U : 1U)) {
        const auto number = static_cast<std::uint32_t>(random() % 1000);
        map.set(player, number);
        naive[player] = number;
      } else if (known != naive.end()) {
        map.erase(player);
        naive.erase(known);
      }
    }
    for (const auto& [player, number] : naive) wrong += map.find(player) != number ? 1 : 0;
    CHECK(wrong == 0);
    while (!naive.empty()) {
      map.erase(naive.begin()->first);
      naive.erase(naive.begin());
    }
    CHECK(map.find(5) == kNoNumber);
    CHECK(map.bytes() < 40'000);
  }
}

TEST_CASE("add_all sets the same numbers as single calls") {
  for (const std::uint32_t step : {1U, 2U, 3U, 5U, 100U, 5000U}) {
    CAPTURE(step);
    PlayerNumbers at_once;
    PlayerNumbers one_by_one;
    for (PlayerHandle player = 1; player < 40'000; player += 7 * step) {
      at_once.set(player, 9);
      one_by_one.set(player, 9);
    }
    const auto each = [step](auto take) {
      for (PlayerHandle player = 0; player < 100'000; player += step) {
        if (player >= 40'000 || player % (7 * step) != 1) take(player, player % 777);
      }
    };
    at_once.add_all(each);
    each([&](PlayerHandle player, std::uint32_t number) { one_by_one.set(player, number); });
    int wrong = 0;
    for (PlayerHandle player = 0; player < 110'000; ++player) {
      wrong += at_once.find(player) != one_by_one.find(player) ? 1 : 0;
    }
    CHECK(wrong == 0);
    CHECK(at_once.bytes() <= one_by_one.bytes());
  }
}

TEST_CASE("the memory of player numbers depends on the board's players, not on the registry") {
  PlayerNumbers map;
  for (PlayerHandle player = 0; player < 10'000'000; player += 2000) map.set(player, 1);
  CHECK(map.bytes() < 5000 * 24);
  PlayerNumbers dense;
  for (PlayerHandle player = 0; player < 1'000'000; ++player) dense.set(player, 1);
  CHECK(dense.bytes() < 1'000'000 * 4.2);
}

TEST_CASE("a single player who comes and goes costs the same in a small and in a large registry") {
  const auto seconds_of = [](PlayerHandle player) {
    PlayerNumbers map;
    map.set(player, 1);
    const std::clock_t begin = std::clock();
    for (int i = 0; i < 2000; ++i) {
      map.erase(player);
      map.set(player, 1);
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double small = seconds_of(1000);
  const double large = seconds_of(4'000'000'000);
  CAPTURE(small);
  CAPTURE(large);
  CHECK(large < 50 * small + 0.01);
}

}  // namespace laurel
