// ask_copies.h - what can be asked of copies of past seasons, which servers make elsewhere of
// boards that live with them, or in a remote that takes no copies itself.
//
//   copy      of one season, named by its board's name and creation and its own number (Target).
//             Rows may be written as often as one likes: each is there once. They never change, but
//             that a forgotten player's go.
//   turn      of a board that many servers share each of them may copy the season, one at a time:
//             who has taken the turn goes on where the one before stopped. It is lost to another
//             who takes it kCopyTurn after the last word, and to ForgetCopied: whoever copies then
//             reads again what he had read, and not written, while the player was still there.
//   whole     when all rows are there, and said to be: until then nobody reads it.
//   reading   the asks of boards that read, with such a target: all but Seasons and Banned, which
//             are of the board. TopOnce answers exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "board/seasons.h"
#include "rank/ranking.h"
#include "rank/score.h"

namespace laurel {

// One row of a season.
struct CopiedRow {
  std::string player;
  ScoreKey score = 0;  // by the season's spec
  Time at = 0;
  std::optional<std::string> data;
};

// Whose turn it is to copy a season, and where he writes. Places are ReadRows', "" the front.
struct CopyTurn {
  std::uint64_t token = 0;    // drawn by chance: names who copies
  std::uint64_t forgets = 0;  // as TakeCopy answered it
  std::string from;
  std::string to;
};

namespace ask {

// ---- of the remote that takes copies

// Writes rows of the copy that the target names, under the season's spec. Answer: bool; false where
// the turn was lost, and nothing written.
struct CopySeason {
  static constexpr bool kWrites = true;
  Season season;
  std::uint64_t size = 0;       // of the season as it stands; in a turn, the rows are counted
  std::vector<CopiedRow> rows;  // in a turn at most kCopyTurnRows
  bool last = false;            // with these all rows are there
  std::optional<CopyTurn> turn = {};
};
// Takes the turn to copy the season that the target names. Answer: CopyStand.
struct TakeCopy {
  static constexpr bool kWrites = true;
  std::uint64_t token = 0;
};
// Whether the copy that the target names is there, whole, and its spec. Answer: KeptSpec.
struct ReadCopy {
  static constexpr bool kWrites = false;
};
// Takes the player's rows off all copies there are, and ends all turns. Answer: std::uint64_t, how
// many rows there were.
struct ForgetCopied {
  static constexpr bool kWrites = true;
  std::string player;
};

// ---- of the remote that the board lives in, which takes no copies

// Some rows of the past season that the target names, from a place on, in any order that stays the
// same. Answer: SeasonRows.
struct ReadRows {
  static constexpr bool kWrites = false;
  std::string from;
  std::size_t n = 0;  // 1..kCopyTurnRows
};

}  // namespace ask

using CopyForms =
    std::variant<ask::CopySeason, ask::TakeCopy, ask::ReadCopy, ask::ForgetCopied, ask::ReadRows>;

struct CopyStand {
  bool whole = false;         // it is all there
  bool is_anothers = false;   // the turn is
  std::uint64_t forgets = 0;  // how often players were forgotten
  std::string to;             // where to go on
};

struct SeasonRows {
  Ranking ranking = Ranking::competition;  // of the season
  std::vector<CopiedRow> rows = {};
  std::string to = {};  // the place behind them
  bool last = false;    // nothing is there
};

}  // namespace laurel
