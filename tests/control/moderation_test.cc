// What an order does to a registry.
#include "control/moderation.h"

#include <doctest/doctest.h>

#include "board/fixture.h"

using namespace laurel;
using Kind = Moderation::Kind;

namespace {

std::string done(Fixture& game, const Moderation& order) {
  const Result<std::string> sentence = moderate(*game.registry, order);
  return sentence ? *sentence : std::string(sentence.refusal().text());
}

}  // namespace

TEST_CASE("a ban is on one board or on every one, and says if it was there already") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"eve", 5}, {"ada", 3}});
  CHECK(done(game, {.kind = Kind::ban, .board = "b", .player = "eve"}) ==
        "player \"eve\" is banned on board \"b\"");
  CHECK(table(board) == "1 ada 3");
  CHECK(done(game, {.kind = Kind::ban, .board = "b", .player = "eve"}) ==
        "player \"eve\" is banned on board \"b\", and was so already");
  CHECK(done(game, {.kind = Kind::unban, .player = "eve"}) ==
        "player \"eve\" is not banned on every board");
  CHECK(done(game, {.kind = Kind::ban, .player = "ada"}) ==
        "player \"ada\" is banned on every board");
  CHECK(table(board) == "1 eve 5");
}

TEST_CASE("a score is set, an entry removed, a player forgotten, a season ended") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"eve", 5}});
  CHECK(done(game, {.kind = Kind::set, .board = "b", .player = "eve", .value = "3"}) ==
        "player \"eve\" has 3 on board \"b\"");
  CHECK(table(board) == "1 eve 3");
  CHECK(done(game, {.kind = Kind::remove, .board = "b", .player = "eve"}) ==
        "player \"eve\" has no entry any more on board \"b\"");
  CHECK(done(game, {.kind = Kind::remove, .board = "b", .player = "eve"}) ==
        "player \"eve\" had no entry on board \"b\"");
  play(game, board, {{"eve", 5}});
  CHECK(done(game, {.kind = Kind::reset, .board = "b"}) == "season 1 of board \"b\" has ended");
  CHECK(done(game, {.kind = Kind::forget, .player = "eve"}) ==
        "player \"eve\" is forgotten; 1 entry was removed");
}

TEST_CASE("a result is taken back by its moment, as a table shows it") {
  Fixture game;
  Board& board = game.board("b", {{"history", 5.0}});
  REQUIRE(board.submit(WriteMode::submit, {.player = "eve", .score = 5, .at = 1000.5}));
  REQUIRE(board.submit(WriteMode::submit, {.player = "eve", .score = 9, .at = 2000}));
  CHECK(done(game, {.kind = Kind::take_back,
                    .board = "b",
                    .player = "eve",
                    .value = "1970-01-01T00:33:20.000000Z"}) ==
        "the result was taken back; player \"eve\" has 5 on board \"b\"");
  CHECK(done(game, {.kind = Kind::take_back, .board = "b", .player = "eve", .value = "1000.5"}) ==
        "the result was taken back; player \"eve\" has no entry on board \"b\"");
  CHECK(done(game, {.kind = Kind::take_back, .board = "b", .player = "eve", .value = "7"})
            .starts_with("unknown: "));
}

TEST_CASE("an order that cannot be carried out is refused with its reason, and changes nothing") {
  Fixture game;
  Board& board = game.board("season", {{"segments", "clan"}});
  play(game, board, {{"eve", 5}});
  CHECK(done(game, {.kind = Kind::reset, .board = "saeson"}) ==
        "unknown: no board is called \"saeson\"; one is called \"season\"");
  CHECK(done(game, {.kind = Kind::set, .board = "season", .player = "eve", .value = "many"}) ==
        "bad_data: the score \"many\" is no number");
  CHECK(done(game, {.kind = Kind::set, .board = "season", .player = "", .value = "1"})
            .starts_with("bad_player: "));
  CHECK(done(game, {.kind = Kind::remove, .board = "season:clan=reds", .player = "eve"})
            .starts_with("unsupported: "));
  CHECK(table(board) == "1 eve 5");
}

TEST_CASE("text of players in a sentence is escaped") {
  Fixture game;
  CHECK(done(game, {.kind = Kind::ban, .player = "\x1b[2J"}) ==
        "player \"\\x1b[2J\" is banned on every board");
}
