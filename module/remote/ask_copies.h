// ask_copies.h - what can be asked of copies of past seasons, which one server makes elsewhere of
// boards that live with it.
//
//   copy      of one season, named by its board's name and creation and its own number (Target).
//             Rows may be written as often as one likes: each is there once. They never change, but
//             that a forgotten player's go.
//   whole     when all rows are there, and said to be: until then nobody reads it.
//   reading   the asks of boards that read, with such a target: all but Seasons and Banned, which
//             are of the board. TopOnce answers exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "board/seasons.h"
#include "rank/score.h"

namespace laurel {

// One row of a season.
struct CopiedRow {
  std::string player;
  ScoreKey score = 0;  // by the season's spec
  Time at = 0;
  std::optional<std::string> data;
};

namespace ask {

// Writes rows of the copy that the target names, under the season's spec. Answer: bool, true.
struct CopySeason {
  Season season;
  std::uint64_t size = 0;  // of the season as it stands
  std::vector<CopiedRow> rows;
  bool last = false;  // with these all rows are there
};
// Whether the copy that the target names is there, whole, and its spec. Answer: KeptSpec.
struct ReadCopy {};
// Takes the player's rows off all copies there are. Answer: std::uint64_t, how many there were.
struct ForgetCopied {
  std::string player;
};

}  // namespace ask

}  // namespace laurel
