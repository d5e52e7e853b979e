#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {

TEST_CASE("S0-4: if joining is required, a player has no score before joining") {
  Fixture game;
  Board& board = game.board("run", {{"join", "required"}, {"keep", "sum"}, {"decimals", 1.0}});
  CHECK(verdict(board.submit(WriteMode::add, result("u1", 11.2))) == "not_joined");
  CHECK(board.size() == 0);
  CHECK(*board.join(result("u1", 0), false));
  CHECK(board.size() == 0);
  CHECK_FALSE(*board.join(result("u1", 0), false));
  CHECK(board.submit(WriteMode::add, result("u1", 11.2))->score == 11.2);
  CHECK(*board.join(result("u2", 0), true));
  CHECK(table(board) == "1 u1 11.2, 2 u2 0");
}

TEST_CASE("if the score that comes with a join is refused, the player does not join") {
  Fixture game;
  Board& board = game.board("b", {{"join", "required"}, {"decimals", 0.0}});
  CHECK(verdict(board.join(result("p", 1e300), true)) == "out_of_range");
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 1))) == "not_joined");
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("leaving removes the entry") {
  Fixture game;
  Board& board = game.board("b", {{"join", "required"}});
  CHECK(*board.join(result("p", 5), true));
  CHECK(*board.leave("p"));
  CHECK_FALSE(*board.leave("p"));
  CHECK(board.size() == 0);
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 1))) == "not_joined");
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("a ban hides the entry and unbanning restores it unchanged") {
  Fixture game;
  Board& board = game.board("b");
  REQUIRE(board.submit(WriteMode::submit, {.player = "p", .score = 5, .data = "d", .at = 100.0}));
  play(game, board, {{"q", 5}});
  CHECK(*board.ban("p"));
  CHECK_FALSE(*board.ban("p"));
  CHECK(table(board) == "1 q 5");
  CHECK_FALSE(board.get("p"));
  CHECK(verdict(board.submit(WriteMode::submit, result("p", 9))) == "banned");
  CHECK(verdict(board.set(result("p", 9))) == "banned");
  CHECK(verdict(board.join(result("p", 9), true)) == "banned");
  CHECK(board.banned() == std::vector<std::string>{"p"});

  CHECK(*board.unban("p"));
  CHECK_FALSE(*board.unban("p"));
  CHECK(table(board) == "1 p 5, 1 q 5");
  CHECK(board.get("p")->at == 100 * kSecond);
  CHECK(board.get("p")->data == "d");
  CHECK(board.banned().empty());
}

TEST_CASE("a player without an entry can be banned") {
  Fixture game;
  Board& board = game.board("b");
  CHECK(*board.ban("ghost"));
  CHECK(verdict(board.submit(WriteMode::submit, result("ghost", 1))) == "banned");
  CHECK(*board.unban("ghost"));
  CHECK(game.registry->stats().players == 0);
}

TEST_CASE("a hidden entry that is removed does not come back") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"p", 5}});
  CHECK(*board.ban("p"));
  CHECK(*board.remove("p"));
  CHECK(*board.unban("p"));
  CHECK(board.size() == 0);
}

TEST_CASE("a registry ban applies to every board, later ones included") {
  Fixture game;
  Board& a = game.board("a");
  play(game, a, {{"p", 5}});
  CHECK(*game.registry->ban("p"));
  CHECK_FALSE(*game.registry->ban("p"));
  Board& b = game.board("b");
  CHECK(a.size() == 0);
  CHECK(verdict(a.submit(WriteMode::submit, result("p", 1))) == "banned");
  CHECK(verdict(b.submit(WriteMode::submit, result("p", 1))) == "banned");
  CHECK(b.banned() == std::vector<std::string>{"p"});
  CHECK(*game.registry->unban("p"));
  CHECK_FALSE(*game.registry->unban("p"));
  CHECK(table(a) == "1 p 5");
  CHECK(verdict(b.submit(WriteMode::submit, result("p", 1))) == "ok");
}

TEST_CASE("a board may exempt a player from the registry's ban until it bans the player itself") {
  Fixture game;
  Board& a = game.board("a");
  Board& b = game.board("b");
  play(game, a, {{"p", 5}});
  CHECK(*game.registry->ban("p"));
  CHECK(*a.unban("p"));
  CHECK(table(a) == "1 p 5");
  CHECK(a.banned().empty());
  CHECK(verdict(b.submit(WriteMode::submit, result("p", 1))) == "banned");
  CHECK(*game.registry->ban("p"));
  CHECK(a.size() == 0);
}

TEST_CASE("unbanning in the registry also lifts the bans of single boards") {
  Fixture game;
  Board& board = game.board("a");
  play(game, board, {{"p", 5}});
  CHECK(*board.ban("p"));
  CHECK(*game.registry->unban("p"));
  CHECK(table(board) == "1 p 5");
}

TEST_CASE("forgetting removes every trace and counts entries, hidden ones included") {
  Fixture game;
  Board& a = game.board("a");
  Board& b = game.board("b", {{"join", "required"}});
  play(game, a, {{"p", 5}, {"q", 4}});
  CHECK(*b.join(result("p", 7), true));
  CHECK(*a.ban("p"));
  CHECK(*game.registry->ban("p"));
  CHECK(*game.registry->forget("p") == 2);
  CHECK(*game.registry->forget("p") == 0);
  CHECK(game.registry->stats().players == 1);
  CHECK(verdict(a.submit(WriteMode::submit, result("p", 1))) == "ok");
  CHECK(verdict(b.submit(WriteMode::submit, result("p", 1))) == "not_joined");
}

}  // namespace laurel
