// The order of equal scores.
#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {

TEST_CASE("the earlier of two equal scores ranks first in both orders") {
  const Results results = {{"late", 1}, {"early", 5}, {"late", 5}};
  CHECK(played({}, results) == "1 early 5, 1 late 5");
  CHECK(played({{"order", "asc"}, {"keep", "latest"}}, results) == "1 early 5, 1 late 5");
}

TEST_CASE("ties are ordered as the spec says") {
  const Results results = {{"b", 5}, {"a", 5}, {"c", 5}};
  CHECK(played({{"ties", "earliest"}}, results) == "1 b 5, 1 a 5, 1 c 5");
  CHECK(played({{"ties", "latest"}}, results) == "1 c 5, 1 a 5, 1 b 5");
  CHECK(played({{"ties", "player"}}, results) == "1 a 5, 1 b 5, 1 c 5");
  CHECK(played({{"ties", "player_desc"}}, results) == "1 c 5, 1 b 5, 1 a 5");
}

TEST_CASE("equal scores of one moment are ordered by id") {
  Fixture game;
  Board& board = game.board("b", {{"ties", "latest"}});
  for (const std::string_view player : {"m", "z", "a"}) {
    CHECK(board.submit(WriteMode::submit, {.player = player, .score = 5, .data = {}, .at = 100.0}));
  }
  CHECK(table(board) == "1 a 5, 1 m 5, 1 z 5");
}

}  // namespace laurel
