#include <cmath>

#include <doctest/doctest.h>

#include "board/board_window.h"
#include "fixture.h"

namespace laurel {

struct Played : Fixture {
  explicit Played(const Fields& fields = {}) : season(board("season_3", fields)) {}
  Board& season;

  template <typename Read>
  std::string list(Read read) const {
    Entries entries;
    read(entries);
    return table(entries);
  }
};

TEST_CASE("S0-2: one call gives rank 211 of 1539") {
  Played game;
  for (int i = 0; i < 1539; ++i) {
    CHECK(game.season.submit(WriteMode::submit, result(fmt::format("u{}", i), 5000 - i)));
  }
  const Standing standing = *game.season.rank("u210", {});
  CHECK(standing.rank == 211);
  CHECK(standing.size == 1539);
  CHECK_FALSE(game.season.rank("nobody", {}));
}

TEST_CASE("S0-1: equal scores share the rank after all better ones") {
  Played game;
  play(game, game.season, {{"u1", 82.3}, {"u2", 120}, {"u3", 82.3}, {"u4", 10}});
  CHECK(table(game.season) == "1 u2 120, 2 u1 82.3, 2 u3 82.3, 4 u4 10");
}

TEST_CASE("each ranking mode ranks equal scores its own way, in lists and in single reads") {
  const std::vector<std::pair<std::string_view, std::string_view>> modes = {
      {"competition", "1 a 9, 2 b 7, 2 c 7, 4 d 5"},
      {"modified", "1 a 9, 3 b 7, 3 c 7, 4 d 5"},
      {"dense", "1 a 9, 2 b 7, 2 c 7, 3 d 5"},
      {"ordinal", "1 a 9, 2 b 7, 3 c 7, 4 d 5"},
      {"fractional", "1 a 9, 2.5 b 7, 2.5 c 7, 4 d 5"}};
  for (const auto& [mode, expected] : modes) {
    CAPTURE(mode);
    Played game({{"ranking", mode}});
    play(game, game.season, {{"a", 9}, {"b", 7}, {"c", 7}, {"d", 5}});
    CHECK(table(game.season) == expected);
    Entries entries;
    game.season.read(0, 10, entries);
    for (const Entry& entry : entries) {
      CHECK(game.season.rank(entry.player, {})->rank == entry.rank);
      CHECK(game.season.get(entry.player)->rank == entry.rank);
    }
  }
}

TEST_CASE("a page that begins within equal scores ranks them as the whole board does") {
  for (const std::string_view mode :
       {"competition", "modified", "dense", "ordinal", "fractional"}) {
    CAPTURE(mode);
    Played game({{"ranking", mode}});
    play(game, game.season, {{"a", 9}, {"b", 7}, {"c", 7}, {"d", 7}, {"e", 5}, {"f", 5}});
    Entries whole;
    game.season.read(0, 6, whole);
    for (std::size_t first = 0; first < 6; ++first) {
      for (std::size_t n = 1; n <= 6; ++n) {
        Entries page;
        game.season.read(first, n, page);
        REQUIRE(page.size() == std::min(n, 6 - first));
        for (std::size_t i = 0; i < page.size(); ++i) CHECK(page[i].rank == whole[first + i].rank);
      }
    }
  }
}

TEST_CASE("rank_of gives the rank that a new player would get") {
  const auto rank_of = [](const Fields& fields, double score) {
    Played game(fields);
    play(game, game.season, {{"a", 9}, {"b", 7}, {"c", 7}, {"d", 5}});
    return *game.season.rank_of(score);
  };
  CHECK(rank_of({}, 7) == 2);
  CHECK(rank_of({{"ranking", "modified"}}, 7) == 4);
  CHECK(rank_of({{"ranking", "dense"}}, 5) == 3);
  CHECK(rank_of({{"ranking", "ordinal"}}, 7) == 4);
  CHECK(rank_of({{"ranking", "ordinal"}, {"ties", "latest"}}, 7) == 2);
  CHECK(rank_of({{"ranking", "fractional"}}, 7) == 3);
  CHECK(rank_of({{"ranking", "fractional"}}, 9) == Rank::mean(1, 2));
  CHECK(rank_of({}, 100) == 1);
  CHECK(rank_of({}, 1) == 5);
}

TEST_CASE("rank_of refuses scores that the board cannot hold") {
  Played game({{"decimals", 2.0}});
  CHECK(verdict(game.season.rank_of(NAN)) == "not_finite");
  CHECK(verdict(game.season.rank_of(1e300)) == "out_of_range");
}

TEST_CASE("pages, bottom and around end where the board ends") {
  Played game;
  play(game, game.season, {{"a", 5}, {"b", 4}, {"c", 3}, {"d", 2}, {"e", 1}});
  const Board& season = game.season;
  CHECK(game.list([&](Entries& out) { season.read(3, 10, out); }) == "4 d 2, 5 e 1");
  CHECK(game.list([&](Entries& out) { season.read(5, 10, out); }).empty());
  CHECK(game.list([&](Entries& out) { season.bottom(2, out); }) == "5 e 1, 4 d 2");
  CHECK(game.list([&](Entries& out) { season.bottom(99, out); }) ==
        "5 e 1, 4 d 2, 3 c 3, 2 b 4, 1 a 5");
  CHECK(game.list([&](Entries& out) { season.around("c", 1, out); }) == "2 b 4, 3 c 3, 4 d 2");
  CHECK(game.list([&](Entries& out) { season.around("a", 1, out); }) == "1 a 5, 2 b 4, 3 c 3");
  CHECK(game.list([&](Entries& out) { season.around("e", 1, out); }) == "3 c 3, 4 d 2, 5 e 1");
  CHECK(game.list([&](Entries& out) { season.around("c", 0, out); }) == "3 c 3");
  CHECK(game.list([&](Entries& out) { season.around("e", SIZE_MAX, out); }) == table(season));
  CHECK(game.list([&](Entries& out) { season.around("nobody", 1, out); }).empty());
}

TEST_CASE("S3-28: a score range includes both bounds, best first") {
  for (const std::string_view order : {"desc", "asc"}) {
    CAPTURE(order);
    Played game({{"order", order}});
    play(game, game.season, {{"a", 50}, {"b", 150}, {"c", 250}, {"d", 251}, {"e", 49}});
    const Board& season = game.season;
    const auto between = [&](double low, double high, std::size_t limit = SIZE_MAX) {
      return game.list([&](Entries& out) { season.between({low, high}, limit, out); });
    };
    if (order == "desc") {
      CHECK(between(50, 250) == "2 c 250, 3 b 150, 4 a 50");
      CHECK(between(50, 250, 1) == "2 c 250");
    } else {
      CHECK(between(50, 250) == "2 a 50, 3 b 150, 4 c 250");
      CHECK(between(50, 250, 1) == "2 a 50");
    }
    CHECK(between(250, 50).empty());
    CHECK(season.count({50, 250}) == 3);
    CHECK(season.count({-INFINITY, INFINITY}) == 5);
    CHECK(season.count({-INFINITY, 49}) == 1);
    CHECK(season.count({251, INFINITY}) == 1);
    CHECK(season.count({INFINITY, INFINITY}) == 0);
    CHECK(season.count({-INFINITY, -INFINITY}) == 0);
  }
}

TEST_CASE("a score range with bounds between two decimals takes the scores inside") {
  for (const std::string_view order : {"desc", "asc"}) {
    CAPTURE(order);
    Played game({{"decimals", 1.0}, {"order", order}});
    play(game, game.season, {{"a", 0.1}, {"b", 0.2}, {"c", 0.3}});
    CHECK(game.season.count({0.1, 0.3}) == 3);
    CHECK(game.season.count({0.11, 0.29}) == 1);
    CHECK(game.season.count({0.15, 0.25}) == 1);
    CHECK(game.season.count({0.21, 0.29}) == 0);
    CHECK(game.season.count({-1e300, 1e300}) == 3);
    CHECK(game.season.count({1e300, INFINITY}) == 0);
    CHECK(game.season.count({-INFINITY, -1e300}) == 0);
  }
}

TEST_CASE("S3-27: the percentile counts players ranked strictly worse") {
  Played game;
  play(game, game.season, {{"a", 9}, {"b", 7}, {"c", 7}, {"d", 5}});
  CHECK(game.season.percentile("a") == 75);
  CHECK(game.season.percentile("b") == 25);
  CHECK(game.season.percentile("c") == 25);
  CHECK(game.season.percentile("d") == 0);
  CHECK_FALSE(game.season.percentile("nobody"));
}

TEST_CASE("among ranks players among themselves and on the board") {
  Played game;
  play(game, game.season, {{"a", 9}, {"b", 7}, {"c", 7}, {"d", 5}, {"e", 3}});
  const std::vector<std::string_view> friends = {"e", "c", "nobody", "b", "c"};
  Entries entries;
  game.season.among(friends, entries);
  CHECK(table(entries) == "1 b 7, 1 c 7, 3 e 3");
  CHECK(entries[0].overall == 2);
  CHECK(entries[1].overall == 2);
  CHECK(entries[2].overall == 5);
}

TEST_CASE("a window is the current top, with data if asked for") {
  Played game;
  REQUIRE(
      game.season.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "d", .at = {}}));
  play(game, game.season, {{"q", 9}, {"r", 1}});
  const WindowPtr bare = top_window(game.season, {}, 2, {});
  REQUIRE(bare->entries.size() == 2);
  CHECK(bare->size == 3);
  CHECK(bare->version == game.season.version());
  CHECK(bare->entries[1].player == "p");
  CHECK(bare->entries[1].rank == 2);
  CHECK_FALSE(bare->entries[1].data);
  CHECK(top_window(game.season, {}, 2, {.data = true})->entries[1].data == "d");
}

}  // namespace laurel
