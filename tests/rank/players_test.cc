#include "rank/player/players.h"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/limits.h"

namespace laurel {

namespace {

std::string name(std::uint64_t number) { return fmt::format("player_{}", number); }

}  // namespace

TEST_CASE("an id has one handle while something holds it") {
  Players players(HashSecret::fixed(1));
  const PlayerHandle alice = players.hold("alice");
  CHECK(players.hold("alice") == alice);
  CHECK(players.find("alice") == alice);
  CHECK(players.id(alice) == "alice");
  CHECK(players.size() == 1);
  players.hold(alice);

  players.release(alice);
  players.release(alice);
  CHECK(players.find("alice") == alice);
  players.release(alice);
  CHECK(players.find("alice") == kNoPlayer);
  CHECK(players.size() == 0);
}

TEST_CASE("hold_all holds the same players as single calls") {
  for (const std::size_t expected : {0U, 10U, 9000U, 100'000U}) {
    CAPTURE(expected);
    Players players(HashSecret::fixed(1));
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < 20'000; ++i) names.push_back(name(i % 15'000));
    for (std::uint64_t i = 0; i < 3000; ++i) players.hold(names[i]);
    players.reserve(expected);
    const std::vector<std::string_view> ids(names.begin(), names.end());
    std::vector<PlayerHandle> held(ids.size());
    players.hold_all(ids, held);
    REQUIRE(players.size() == 15'000);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      REQUIRE(players.id(held[i]) == ids[i]);
      REQUIRE(players.find(ids[i]) == held[i]);
    }
    for (const PlayerHandle player : held) players.release(player);
    CHECK(players.size() == 3000);
    for (std::uint64_t i = 0; i < 3000; ++i) players.release(players.find(names[i]));
    CHECK(players.size() == 0);
  }
}

TEST_CASE("ids are bytes of any value, and prefixes and lengths 1 to 255 are distinct") {
  Players players(HashSecret::fixed(2));
  std::vector<std::string> ids;
  for (std::size_t size = 1; size <= kPlayerBytesMax; ++size) ids.emplace_back(size, 'a');
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != 'a') ids.emplace_back(1, static_cast<char>(byte));
    ids.push_back(std::string(kPlayerBytesMax - 1, 'b') + static_cast<char>(byte));
  }
  for (const char* id : {"\xc3\xa9mile", "{a", "~x", "zzzz", "a#b", "a b", "\x01\x02"}) {
    ids.emplace_back(id);
  }
  std::vector<PlayerHandle> handles;
  for (const std::string& id : ids) handles.push_back(players.hold(id));
  CHECK(players.size() == ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    REQUIRE(players.find(ids[i]) == handles[i]);
    REQUIRE(players.id(handles[i]) == ids[i]);
  }
  for (const PlayerHandle player : handles) players.release(player);
  CHECK(players.size() == 0);
}

TEST_CASE("players agree with a map over random histories and give memory back") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Players players(HashSecret::fixed(seed));
    struct Lent {
      PlayerHandle player;
      int holds;
    };
    std::unordered_map<std::string, Lent> held;
    const std::size_t bytes_empty = players.bytes();
    int wrong = 0;
    // Phases with more holds and phases with more releases, so that segments split and merge.
    for (int step = 0; step < 120'000; ++step) {
      const std::string id =
          name(random() % 20'000) + (random() % 3 == 0 ? std::string(20, 'x') : "");
      const bool grow = random() % 8 < ((step / 30'000) % 2 == 0 ? 6U : 2U);
      const auto known = held.find(id);
      wrong += players.find(id) != (known == held.end() ? kNoPlayer : known->second.player) ? 1 : 0;
      if (grow) {
        const PlayerHandle player = players.hold(id);
        if (known == held.end()) {
          held[id] = {player, 1};
        } else {
          wrong += known->second.player != player ? 1 : 0;
          ++known->second.holds;
        }
      } else if (known != held.end()) {
        players.release(known->second.player);
        if (--known->second.holds == 0) held.erase(known);
      }
      wrong += players.size() != held.size() ? 1 : 0;
    }
    CHECK(wrong == 0);
    for (const auto& [id, entry] : held) REQUIRE(players.id(entry.player) == id);
    for (const auto& [id, entry] : held) {
      for (int i = 0; i < entry.holds; ++i) players.release(entry.player);
    }
    CHECK(players.size() == 0);
    CHECK(players.bytes() <= bytes_empty + (std::size_t{256} << 10));
  }
}

TEST_CASE("a million ids, a thousand at a time, do not grow the registry") {
  Players players(HashSecret::fixed(3));
  std::vector<PlayerHandle> ring;
  constexpr std::uint64_t kFirst = 1'000'000;  // so that all ids have the same length
  for (std::uint64_t i = 0; i < 1000; ++i) ring.push_back(players.hold(name(kFirst + i)));
  const std::size_t bytes = players.bytes();
  std::uint32_t largest = 0;
  for (std::uint64_t i = 1000; i < 1'000'000; ++i) {
    players.release(ring[i % 1000]);
    ring[i % 1000] = players.hold(name(kFirst + i));
    largest = std::max(largest, ring[i % 1000]);
  }
  CHECK(players.size() == 1000);
  CHECK(players.bytes() <= bytes + 4096);
  CHECK(largest < 4096);
}

TEST_CASE("a registry gives its memory back when its players are released") {
  Players players(HashSecret::fixed(4));
  const std::size_t bytes = players.bytes();
  std::vector<PlayerHandle> held;
  for (std::uint64_t i = 0; i < 200'000; ++i) held.push_back(players.hold(name(i)));
  CHECK(players.bytes() < 200'000 * 44);
  for (const PlayerHandle player : held) players.release(player);
  CHECK(players.bytes() <= bytes + (std::size_t{256} << 10));
  CHECK(players.find(name(5)) == kNoPlayer);
  CHECK(players.id(players.hold(name(5))) == name(5));
}

}  // namespace laurel
