#include <cmath>

#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {

TEST_CASE("keep decides which result is held") {
  const Results results = {{"p", 5}, {"p", 9}, {"p", 7}};
  CHECK(played({{"keep", "best"}}, results) == "1 p 9");
  CHECK(played({{"keep", "best"}, {"order", "asc"}}, results) == "1 p 5");
  CHECK(played({{"keep", "latest"}}, results) == "1 p 7");
  CHECK(played({{"keep", "sum"}}, results) == "1 p 21");
  CHECK(played({{"keep", "first"}}, results) == "1 p 5");
}

TEST_CASE("S0-6: with decimals, ten times 0.1 is 1") {
  Fixture game;
  Board& board = game.board("run", {{"keep", "sum"}, {"decimals", 1.0}});
  for (int i = 0; i < 10; ++i) CHECK(board.submit(WriteMode::submit, result("a", 0.1)));
  CHECK(board.submit(WriteMode::submit, result("b", 1)));
  CHECK(table(board) == "1 a 1, 1 b 1");
}

TEST_CASE("S0-5: 82.3 and 11.2 are 93.5") {
  Fixture game;
  Board& board = game.board("run", {{"keep", "sum"}, {"decimals", 1.0}});
  play(game, board, {{"u2", 120}, {"u1", 82.3}});
  CHECK(board.rank("u1", {})->rank == 2);
  CHECK(board.submit(WriteMode::add, result("u1", 11.2))->score == 93.5);
}

TEST_CASE("the same score again keeps its moment and takes new data") {
  Fixture game;
  Board& board = game.board("b");
  REQUIRE(
      board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "first", .at = 10.0}));
  CHECK_FALSE(board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = {}, .at = 20.0})
                  ->changed);
  CHECK(board.get("p")->at == 10 * kSecond);
  CHECK(board.get("p")->data == "first");
  CHECK(board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "second", .at = 30.0})
            ->changed);
  CHECK(board.get("p")->at == 10 * kSecond);
  CHECK(board.get("p")->data == "second");
}

TEST_CASE("data is replaced together with its score") {
  Fixture game;
  Board& board = game.board("b");
  REQUIRE(board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "x", .at = {}}));
  REQUIRE(board.submit(WriteMode::submit, {.player = "p", .score = 4, .data = "worse", .at = {}}));
  CHECK(board.get("p")->data == "x");
  REQUIRE(board.submit(WriteMode::submit, result("p", 6)));
  CHECK_FALSE(board.get("p")->data);
  REQUIRE(board.submit(WriteMode::submit, {.player = "p", .score = 7, .data = "", .at = {}}));
  CHECK(board.get("p")->data == "");
}

TEST_CASE("all submissions to a registry have distinct moments by default") {
  Fixture game;
  Board& a = game.board("a");
  Board& b = game.board("b");
  REQUIRE(a.submit(WriteMode::submit, result("p", 1)));
  REQUIRE(b.submit(WriteMode::submit, result("p", 1)));
  CHECK(b.get("p")->at == a.get("p")->at + 1);
}

TEST_CASE("a given moment is used unchanged and does not move the clock") {
  Fixture game;
  Board& board = game.board("b");
  const double far = 5'000'000'000.0;
  REQUIRE(board.submit(WriteMode::submit, {.player = "p", .score = 1, .data = {}, .at = far}));
  REQUIRE(board.submit(WriteMode::submit, {.player = "q", .score = 1, .data = {}, .at = -far}));
  REQUIRE(board.submit(WriteMode::submit, result("r", 1)));
  CHECK(board.get("p")->at == static_cast<Time>(far) * kSecond);
  CHECK(board.get("q")->at == static_cast<Time>(-far) * kSecond);
  CHECK(board.get("r")->at == Fixture::kStart);
}

TEST_CASE("a clock that goes back is logged once, and the order of submissions is kept") {
  Fixture game;
  Board& board = game.board("b");
  REQUIRE(board.submit(WriteMode::submit, result("p", 1)));
  *game.now -= 3600 * kSecond;
  REQUIRE(board.submit(WriteMode::submit, result("q", 1)));
  REQUIRE(board.submit(WriteMode::submit, result("r", 1)));
  CHECK(table(board) == "1 p 1, 1 q 1, 1 r 1");
  CHECK(board.get("r")->at == Fixture::kStart + 2);
  REQUIRE(game.log.size() == 1);
  CHECK(game.log[0] == "warn: the clock went back by 3600.000000 s; submissions keep their order");
}

TEST_CASE("invalid values are refused and change nothing") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "sum"}});
  play(game, board, {{"p", 1e308}});
  const auto refused = [&](const Submission& submission) {
    return verdict(board.submit(WriteMode::submit, submission));
  };
  CHECK(refused(result("p", NAN)) == "not_finite");
  CHECK(refused(result("p", -INFINITY)) == "not_finite");
  CHECK(refused(result("", 1)) == "bad_player");
  CHECK(refused(result(std::string(256, 'x'), 1)) == "bad_player");
  CHECK(refused(result(std::string_view("a\0b", 3), 1)) == "bad_player");
  CHECK(refused({.player = "p", .score = 1, .data = std::string(1025, 'x'), .at = {}}) ==
        "bad_data");
  CHECK(refused({.player = "p", .score = 1, .data = {}, .at = 1e10}) == "out_of_range");
  CHECK(refused({.player = "p", .score = 1, .data = {}, .at = NAN}) == "not_finite");
  CHECK(refused(result("p", 1e308)) == "out_of_range");
  CHECK(table(board) == "1 p 1e+308");
  CHECK(game.registry->stats().submitted.refused == 9);
  CHECK(game.registry->stats().submitted.submissions == 10);
}

TEST_CASE("an id may have 255 bytes with any values except zero") {
  Fixture game;
  Board& board = game.board("b");
  const std::string id(255, '\xFF');
  CHECK(board.submit(WriteMode::submit, result(id, 1)));
  CHECK(board.get(id)->player == id);
}

TEST_CASE("with decimals a scaled score is below 2^53, sums included") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "sum"}, {"decimals", 2.0}});
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 9e13))) == "ok");
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 9e13))) == "out_of_range");
  CHECK(verdict(board.submit(WriteMode::submit, result("q", 1e15))) == "out_of_range");
  CHECK(table(board) == "1 p 90000000000000");
}

TEST_CASE("minus zero is zero") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"a", 0.0}, {"b", -0.0}});
  CHECK(table(board) == "1 a 0, 1 b 0");
}

TEST_CASE("add and set ignore keep") {
  Fixture game;
  Board& board = game.board("b", {{"keep", "first"}});
  CHECK(board.submit(WriteMode::add, result("p", 5))->score == 5);
  CHECK(board.submit(WriteMode::add, result("p", -2))->score == 3);
  CHECK(board.set(result("p", 1))->score == 1);
  CHECK_FALSE(board.set(result("p", 1))->changed);
}

TEST_CASE("a player removed and submitted again has a new moment") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"p", 5}, {"q", 5}});
  CHECK(*board.remove("p"));
  CHECK_FALSE(*board.remove("p"));
  play(game, board, {{"p", 5}});
  CHECK(table(board) == "1 q 5, 1 p 5");
}

TEST_CASE("clear removes every entry and returns how many") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"p", 5}, {"q", 5}});
  CHECK(*board.clear() == 2);
  CHECK(*board.clear() == 0);
  CHECK(table(board).empty());
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("a report says what one submission did") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"a", 30}, {"b", 20}, {"c", 10}});

  const Change up = *board.submit_report(result("c", 40));
  CHECK(up.previous == 10);
  CHECK(up.previous_rank == 3);
  CHECK(up.rank == 1);
  CHECK(up.passed == 2);

  const Change fresh = *board.submit_report(result("d", 25));
  CHECK_FALSE(fresh.previous);
  CHECK_FALSE(fresh.previous_rank);
  CHECK(fresh.rank == 3);
  CHECK(fresh.passed == 1);

  const Change worse = *board.submit_report(result("d", 1));
  CHECK_FALSE(worse.changed);
  CHECK(worse.score == 25);
  CHECK(worse.previous == 25);
  CHECK(worse.passed == 0);
}

TEST_CASE("a closed board refuses submissions but not a moderator's set") {
  Fixture game;
  const double start = seconds_from_time(Fixture::kStart);
  Board& board = game.board("b", {{"opens", start + 10}, {"closes", start + 20}});
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 1))) == "closed");
  CHECK(verdict(board.set(result("p", 1))) == "ok");
  *game.now += 10 * kSecond;
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 2))) == "ok");
  *game.now += 10 * kSecond;
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 3))) == "closed");
  CHECK(table(board) == "1 p 2");
}

}  // namespace laurel
