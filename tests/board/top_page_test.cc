// The cached top of a board: after every write a read shows the current board. Reads of more and of
// fewer entries come between all writes.
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "board/board_state.h"
#include "fixture.h"

namespace laurel {

namespace {

std::string top(const Standings& board, std::size_t n) {
  Entries entries;
  board.read(0, n, entries);
  return table(entries);
}

// The same, read without the cache.
std::string uncached(const Standings& board, std::size_t n) {
  Entries entries;
  board.read(0, kTopPageMax + 1, entries);
  Entries first;
  first.append(entries.data(), std::min(n, entries.size()));
  return table(first);
}

struct PagedGame : Fixture {
  explicit PagedGame(const Fields& fields = {}) : season(board("b", fields)) {
    play(*this, season, {{"a", 9}, {"b", 8}, {"c", 7}, {"d", 6}, {"e", 5}});
    top_3 = top(season, 3);
  }

  Board& season;
  std::string top_3;
};

}  // namespace

TEST_CASE("a cached top shows every later change") {
  PagedGame game(Fields{{"keep", "latest"}});
  REQUIRE(game.top_3 == "1 a 9, 2 b 8, 3 c 7");

  SUBCASE("a new player") { play(game, game.season, {{"f", 8.5}}); }
  SUBCASE("a player from below") { play(game, game.season, {{"e", 10}}); }
  SUBCASE("a player who leaves the top") { play(game, game.season, {{"a", 1}}); }
  SUBCASE("a player who falls within the top") { play(game, game.season, {{"a", 7.5}}); }
  SUBCASE("a removal") { REQUIRE(*game.season.remove("b")); }
  SUBCASE("a ban") { REQUIRE(*game.season.ban("b")); }
  SUBCASE("a ban of the registry") { REQUIRE(*game.registry->ban("b")); }
  SUBCASE("a forgotten player") { REQUIRE(*game.registry->forget("c") == 1); }
  SUBCASE("clear") { REQUIRE(*game.season.clear() == 5); }
  SUBCASE("a new season") { REQUIRE(game.season.reset()); }
  SUBCASE("set by a moderator") { REQUIRE(game.season.set(result("d", 20))); }
  SUBCASE("a batch") {
    const Submission results[] = {result("e", 30), result("f", 40)};
    REQUIRE(game.season.submit_all(results, [](std::size_t, const Refusal&) {}) == 2);
  }
  const std::string now = top(game.season, 3);
  CHECK(now != game.top_3);
  CHECK(now == uncached(game.season, 3));
}

TEST_CASE("a cached top shows a player whose ban was lifted") {
  PagedGame game;
  REQUIRE(*game.season.ban("b"));
  REQUIRE(top(game.season, 3) == "1 a 9, 2 c 7, 3 d 6");
  REQUIRE(*game.season.unban("b"));
  CHECK(top(game.season, 3) == game.top_3);
}

TEST_CASE("a cached top shows new data of an entry that keeps its rank") {
  PagedGame game;
  REQUIRE(
      game.season.submit(WriteMode::submit, {.player = "b", .score = 8, .data = "new", .at = {}}));
  Entries entries;
  game.season.read(0, 3, entries);
  CHECK(entries[1].data == "new");
}

TEST_CASE("a cached top follows a change of the ranking mode") {
  PagedGame game;
  play(game, game.season, {{"f", 9}});
  REQUIRE(top(game.season, 3) == "1 a 9, 1 f 9, 3 b 8");
  game.board("b", {{"ranking", "dense"}});
  CHECK(top(game.season, 3) == "1 a 9, 1 f 9, 2 b 8");
}

TEST_CASE("with ties latest a new player equal to the last of a cached top replaces it") {
  PagedGame game(Fields{{"ties", "latest"}});
  play(game, game.season, {{"f", 7}});
  CHECK(top(game.season, 3) == "1 a 9, 2 b 8, 3 f 7");
}

TEST_CASE("ranks in a cached top change with equal scores behind it") {
  PagedGame game(Fields{{"ranking", "modified"}});
  REQUIRE(game.top_3 == "1 a 9, 2 b 8, 3 c 7");
  play(game, game.season, {{"f", 7}});
  CHECK(top(game.season, 3) == "1 a 9, 2 b 8, 4 c 7");
}

TEST_CASE("a cached top with the whole board grows with the board") {
  PagedGame game;
  REQUIRE(top(game.season, 10) == top(game.season, 5));
  play(game, game.season, {{"f", 1}});
  CHECK(top(game.season, 10) == "1 a 9, 2 b 8, 3 c 7, 4 d 6, 5 e 5, 6 f 1");
}

TEST_CASE("a longer top and a page of the top are read from an unchanged board") {
  PagedGame game;
  CHECK(top(game.season, 1) == "1 a 9");
  CHECK(top(game.season, 2) == "1 a 9, 2 b 8");
  CHECK(top(game.season, 5) == uncached(game.season, 5));
  CHECK(top(game.season, 3) == game.top_3);
  Entries page;
  game.season.read(3, 1, page);
  game.season.read(4, 9, page);
  game.season.read(5, 1, page);
  game.season.read(SIZE_MAX, 1, page);
  CHECK(table(page) == "4 d 6, 5 e 5");
}

TEST_CASE("entries read earlier stay valid while the board does not change, on every engine") {
  for (const std::string_view engine : {"ranked", "capped", "padded", "paged", "sharded"}) {
    CAPTURE(engine);
    PagedGame game(Fields{{"engine", engine}});
    Entries shown;
    game.season.read(0, 1, shown);
    for (std::size_t n = 2; n <= 5; ++n) CHECK(top(game.season, n) == uncached(game.season, n));
    CHECK(table(shown) == "1 a 9");
  }
}

TEST_CASE("the cached top of a rolling board follows activity and the clock") {
  Fixture game;
  const BoardHandle handle = game.open("b", {{"engine", "rolling"}, {"days", 2.0}});
  const auto board = [&]() -> Board& { return *game.registry->get(handle); };
  play(game, board(), {{"a", 9}, {"b", 8}});
  *game.now += 86'400 * kSecond;
  play(game, board(), {{"b", 3}, {"c", 2}});
  CHECK(top(board(), 2) == "1 b 11, 2 a 9");
  play(game, board(), {{"a", -9}});
  CHECK(top(board(), 2) == "1 b 11, 2 c 2");
  *game.now += 86'400 * kSecond;
  CHECK(top(board(), 2) == "1 b 3, 2 c 2");
  *game.now += 2 * 86'400 * kSecond;
  CHECK(top(board(), 2).empty());
}

TEST_CASE("the cached top of a past season follows a forgotten player") {
  PagedGame game;
  REQUIRE(*game.season.reset() == 1);
  const Standings* past = game.season.archived(1);
  REQUIRE(top(*past, 3) == game.top_3);
  REQUIRE(*game.registry->forget("a") == 1);
  CHECK(top(*past, 3) == "1 b 8, 2 c 7, 3 d 6");
}

TEST_CASE("a cached top equals an uncached read over random histories") {
  for (const std::string_view engine : {"ranked", "capped", "sharded", "rolling", "paged"}) {
    CAPTURE(engine);
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      Fixture game;
      Fields fields = {{"engine", engine}};
      if (engine != "rolling") fields.push_back({"keep", seed % 2 == 0 ? "latest" : "best"});
      if (engine == "capped") fields.push_back({"cap", 20.0});
      const BoardHandle handle = game.open("b", fields);
      for (int step = 0; step < 2000; ++step) {
        CAPTURE(step);
        *game.now += static_cast<Time>(random() % 600) * kSecond;
        Board& board = *game.registry->get(handle);
        const std::string player = fmt::format("p{}", random() % 60);
        switch (random() % 16) {
          case 0: (void)board.remove(player); break;
          case 1: (void)board.ban(player); break;
          case 2:
          case 3: (void)board.unban(player); break;
          default: {
            const std::string data = fmt::format("d{}", random() % 9);
            Submission submission = result(player, static_cast<double>(random() % 40) - 4);
            if (random() % 4 == 0) submission.data = data;
            REQUIRE(verdict(board.submit(WriteMode::submit, submission)) != "unsupported");
          }
        }
        const std::size_t n = 1 + random() % 12;
        Entries kept;
        board.read(0, n, kept);
        Entries read;
        board.read(0, kTopPageMax + 1, read);
        REQUIRE(kept.size() == std::min(n, read.size()));
        for (std::size_t i = 0; i < kept.size(); ++i) {
          REQUIRE(kept[i].player == read[i].player);
          REQUIRE(kept[i].score == read[i].score);
          REQUIRE(kept[i].rank == read[i].rank);
          REQUIRE(kept[i].at == read[i].at);
          REQUIRE(kept[i].data == read[i].data);
        }
      }
    }
  }
}

}  // namespace laurel
