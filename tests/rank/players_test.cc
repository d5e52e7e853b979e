#include "rank/player/players.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"

namespace laurel {

namespace {

std::string name(std::uint64_t number) { return fmt::format("player_{}", number); }

// Ids of all kinds of records: numbers, hexadecimal digits, UUIDs, and texts of all sizes.
std::string any_id(std::mt19937_64& random, std::uint64_t numbers) {
  const std::uint64_t number = random() % numbers;
  const std::uint64_t wide = number * 0x9E3779B97F4A7C15U;
  const auto uuid = [&] {
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", wide >> 32, wide >> 16 & 0xFFFF,
                       wide & 0xFFFF, number & 0xFFFF, wide >> 16);
  };
  switch (random() % 10) {
    case 0: return fmt::format("{}", 76'561'197'960'265'728 + number);
    case 1: return fmt::format("{:0{}}", number, 1 + number % 24);
    case 2: return fmt::format("{:016x}", wide);
    case 3: return fmt::format("{:016X}{:016x}", wide, number % 2 == 0 ? 0 : wide);
    case 4: return uuid();
    case 5: return uuid() + "-";
    case 6: return fmt::format("{:_<12}", number);
    case 7: return std::string(1 + number % 255, static_cast<char>(number));
    case 8: return fmt::format("{}{}", number, std::string(number % 40, '\0'));
    default: return name(number);
  }
}

}  // namespace

TEST_CASE("an id has one handle while something holds it") {
  Players players(HashSecret::fixed(1));
  const PlayerHandle alice = players.hold("alice");
  CHECK(players.hold("alice") == alice);
  CHECK(players.find("alice") == alice);
  CHECK(players.id(alice).str() == "alice");
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
      REQUIRE(players.id(held[i]).str() == ids[i]);
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
    REQUIRE(players.id(handles[i]).str() == ids[i]);
  }
  for (const PlayerHandle player : handles) players.release(player);
  CHECK(players.size() == 0);
}

TEST_CASE("no player has the empty id") {
  PlayerRecords records;
  for (std::size_t size = 1; size <= kPlayerBytesMax; ++size) {
    CAPTURE(size);
    CHECK_FALSE(records.is(records.add(std::string(size, 'p')), ""));
    CHECK_FALSE(records.is(records.add(std::string(size, '7')), ""));
  }
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
    for (const auto& [id, entry] : held) REQUIRE(players.id(entry.player).str() == id);
    for (const auto& [id, entry] : held) {
      for (int i = 0; i < entry.holds; ++i) players.release(entry.player);
    }
    CHECK(players.size() == 0);
    CHECK(players.bytes() <= bytes_empty + (std::size_t{256} << 10));
  }
}

TEST_CASE("ids of every kind agree with a map over random histories") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Players players(HashSecret::fixed(seed));
  const std::size_t bytes_empty = players.bytes();
  std::map<std::string, std::pair<PlayerHandle, int>> held;
  int wrong = 0;
  for (int step = 0; step < 200'000; ++step) {
    const std::string id = any_id(random, 3000);
    const auto known = held.find(id);
    wrong += players.find(id) != (known == held.end() ? kNoPlayer : known->second.first) ? 1 : 0;
    if (random() % 8 < ((step / 50'000) % 2 == 0 ? 6U : 2U)) {
      const PlayerHandle player = players.hold(id);
      auto& [handle, holds] = held.try_emplace(id, player, 0).first->second;
      wrong += handle != player ? 1 : 0;
      ++holds;
      wrong += players.id(player).str() != id ? 1 : 0;
    } else if (known != held.end()) {
      players.release(known->second.first);
      if (--known->second.second == 0) held.erase(known);
    }
  }
  CHECK(wrong == 0);
  REQUIRE(held.size() > 1000);
  // The order of handles is that of the ids' bytes.
  for (auto a = held.begin(), b = std::next(a); b != held.end(); a = b++) {
    wrong += players.compare(a->second.first, b->second.first) < 0 ? 0 : 1;
    wrong += players.compare(b->second.first, a->second.first) > 0 ? 0 : 1;
  }
  CHECK(wrong == 0);
  Arena arena;
  for (const auto& [id, entry] : held) wrong += players.id(entry.first, arena) != id ? 1 : 0;
  CHECK(wrong == 0);
  for (const auto& [id, entry] : held) {
    for (int i = 0; i < entry.second; ++i) players.release(entry.first);
  }
  CHECK(players.size() == 0);
  CHECK(players.bytes() <= bytes_empty + (std::size_t{256} << 10));
}

TEST_CASE("ids in an arena stand there as long as the arena") {
  Players players(HashSecret::fixed(5));
  Arena arena;
  std::vector<std::pair<std::string, std::string_view>> shown;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string id = std::to_string(76'561'197'960'265'728 + i);
    shown.emplace_back(id, players.id(players.hold(id), arena));
  }
  for (const auto& [id, view] : shown) REQUIRE(view == id);
  CHECK(arena.bytes() < 40'000);
}

TEST_CASE("a player may be held very often") {
  Players players(HashSecret::fixed(6));
  for (const std::string id : {"76561197960265728", "ada", "twelve_bytes"}) {
    CAPTURE(id);
    const PlayerHandle player = players.hold(id);
    constexpr int kHolds = 70'000;
    for (int round = 0; round < 2; ++round) {
      for (int i = 1; i < kHolds; ++i) players.hold(player);
      for (int i = 1; i < kHolds; ++i) players.release(player);
      REQUIRE(players.find(id) == player);
    }
    // Around the numbers at which the way of counting changes.
    for (const int holds : {127, 128, 129, 253, 254, 255, 256, 257}) {
      for (int i = 1; i < holds; ++i) players.hold(player);
      for (int i = 1; i < holds; ++i) players.release(player);
      REQUIRE(players.find(id) == player);
    }
    players.release(player);
    CHECK(players.find(id) == kNoPlayer);
  }
}

TEST_CASE("a player takes the index and a record: 9 bytes with SteamID64, 17 with a UUID") {
  struct Kind {
    std::string (*id)(std::uint64_t);
    std::size_t bytes;
  };
  const Kind kinds[] = {
      {[](std::uint64_t i) { return fmt::format("{:08}", i); }, 9},
      {[](std::uint64_t i) { return fmt::format("{:_<12}", i); }, 13},
      {[](std::uint64_t i) { return fmt::format("{}", 76'561'197'960'265'728 + i); }, 9},
      {[](std::uint64_t i) { return fmt::format("{:08x}-0000-4000-8000-{:012x}", i, i * i); }, 17},
      {[](std::uint64_t i) { return fmt::format("{:_<255}", i); }, 9 + 272}};
  constexpr std::uint64_t kPlayers = 4096 * 20;
  for (const Kind& kind : kinds) {
    CAPTURE(kind.id(1));
    Players players(HashSecret::fixed(7));
    for (std::uint64_t i = 0; i < kPlayers; ++i) players.hold(kind.id(i));
    const double bytes = static_cast<double>(players.bytes()) / kPlayers;
    CHECK(bytes > static_cast<double>(kind.bytes) + 6);
    CHECK(bytes < static_cast<double>(kind.bytes) + 12);
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
  CHECK(players.id(players.hold(name(5))).str() == name(5));
}

}  // namespace laurel
