// Compares a board that is loaded in bulk with a board that was built row by row.
#include "rank/tree/bulk_load.h"

#include <map>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace laurel {

namespace {

struct Line {
  ScoreKey score = 0;
  Time at = 0;
};

// Scores in several distributions: for some the leading differing bits are enough to sort them.
ScoreKey any_score(std::mt19937_64& random, int spread) {
  switch (spread) {
    case 0: return random();
    case 1: return random() % 5;
    case 2: return 7;
    case 3: return random() % 100 == 0 ? ~ScoreKey{0} : random() % 1000;  // a few far outliers
    case 4: return std::uint64_t{1} << (random() % 64);
    default: return (random() % 4) << 40 | random() % 3;
  }
}

}  // namespace

TEST_CASE("a board loaded in bulk equals one built row by row") {
  std::uint64_t seed = 0;
  for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
    for (int spread = 0; spread < 6; ++spread) {
      for (const std::uint64_t rows : {0, 1, 100, 129, 5000}) {
        CAPTURE(static_cast<int>(ties));
        CAPTURE(spread);
        CAPTURE(rows);
        CAPTURE(++seed);
        std::mt19937_64 random(seed);
        std::map<std::string, Line> lines;
        while (lines.size() < rows) {
          lines[fmt::format("{}", random() % 100'000)] = {any_score(random, spread),
                                                          static_cast<Time>(random() % 9) - 4};
        }
        Players players(HashSecret::fixed(seed));
        players.hold("1");  // one player is held already
        players.hold("77");
        CountedTree loaded(players, ties);
        CountedTree came(players, ties);
        BulkLoad load(players);
        for (const auto& [id, line] : lines) load.add(id, line.score, line.at);
        REQUIRE(load.size() == rows);
        load.finish(loaded);
        std::size_t i = 0;
        for (const auto& [id, line] : lines) {
          REQUIRE(players.id(load.player(i)).str() == id);
          came.put({line.score, line.at, load.player(i++)});
        }
        loaded.check();
        REQUIRE(loaded.size() == rows);
        std::vector<Row> is(rows);
        std::vector<Row> should_be(rows);
        loaded.read(0, is);
        came.read(0, should_be);
        int wrong = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          wrong += is[row].player != should_be[row].player ? 1 : 0;
          wrong += is[row].score != should_be[row].score || is[row].at != should_be[row].at ? 1 : 0;
        }
        REQUIRE(wrong == 0);
      }
    }
  }
}

TEST_CASE("a loaded board can be changed, and has at most the memory of one that grew") {
  constexpr std::uint64_t kRows = 100'000;
  std::mt19937_64 random(3);
  Players loaded_players(HashSecret::fixed(1));
  CountedTree loaded(loaded_players, Ties::earliest);
  BulkLoad load(loaded_players);
  Players grown_players(HashSecret::fixed(1));
  CountedTree grown(grown_players, Ties::earliest);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const std::string id = fmt::format("{:06}", i);
    const ScoreKey score = random();
    load.add(id, score, 0);
    grown.put({score, 0, grown_players.hold(id)});
  }
  load.finish(loaded);
  CHECK(static_cast<double>(loaded.bytes()) < static_cast<double>(grown.bytes()) * 1.02);
  CHECK(loaded_players.bytes() <= grown_players.bytes());
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const ScoreKey score = random();
    const std::string id = fmt::format("{:06}", random() % kRows);
    loaded.put({score, 0, loaded_players.find(id)});
    grown.put({score, 0, grown_players.find(id)});
  }
  loaded.check();
  CHECK(static_cast<double>(loaded.bytes()) < static_cast<double>(grown.bytes()) * 1.02);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const PlayerHandle player = loaded_players.find(fmt::format("{:06}", i));
    REQUIRE(loaded.erase(player));
    loaded_players.release(player);
  }
  loaded.check();
  CHECK(loaded_players.size() == 0);
  CHECK(loaded.bytes() < 2000);
}

}  // namespace laurel
