// archive_request.h - requests about copies of past seasons. Servers copy seasons of local boards,
// and of boards in a remote that takes no copies itself, to the remote called "archive".
//
//   copy     of one season, named by its board's name and creation time and the season number
//            (Target). Writing rows is idempotent. Rows never change; those of a forgotten player
//            are removed.
//   turn     a lease. Any server that shares a board may copy its season, one at a time. The next
//            holder continues at the last copied row. A turn is lost when another server takes it
//            kCopyTurn after the holder's last request, and on ForgetCopied: the holder must then
//            read again the rows that it had read before and not written.
//   whole    a copy can be read only when all its rows are written and it is marked complete.
//   reading  the read requests of boards, with such a target, except Seasons and Banned, which
//            concern the board. TopOnce answers exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "board/seasons/seasons.h"
#include "rank/score/score.h"
#include "rank/tree/ranking.h"

namespace laurel {

// One row of a season.
struct CopiedRow {
  std::string player;
  ScoreKey score = 0;  // by the season's spec
  Time at = 0;
  std::optional<std::string> data;
};

// The lease to copy a season and the range to write. Positions are ReadRows'; "" is the start.
struct CopyTurn {
  std::uint64_t token = 0;    // random; identifies the holder
  std::uint64_t forgets = 0;  // as TakeCopy answered it
  std::string from;
  std::string to;
};

namespace request {

// ---- to the remote that takes copies

// Writes rows of the copy that the target names, under the season's spec. Answer: bool, false if
// the turn was lost and nothing was written.
struct CopySeason {
  static constexpr bool kWrites = true;
  Season season;
  std::uint64_t size = 0;  // of the season as it is now; with a turn, the rows are counted instead
  std::vector<CopiedRow> rows;  // with a turn at most kCopyTurnRows
  bool last = false;            // these are the last rows
  std::optional<CopyTurn> turn = {};
};
// Takes the turn to copy the season that the target names. Answer: CopyStand.
struct TakeCopy {
  static constexpr bool kWrites = true;
  std::uint64_t token = 0;
};
// Whether the copy that the target names is complete, and its spec. Answer: KeptSpec.
struct ReadCopy {
  static constexpr bool kWrites = false;
};
// Removes the player's rows from all copies and ends all turns. Answer: std::uint64_t, the number
// of rows removed.
struct ForgetCopied {
  static constexpr bool kWrites = true;
  std::string player;
};

// ---- to the remote of the board, which takes no copies

// Rows of the past season that the target names, from a position, in any fixed order. Answer:
// SeasonRows.
struct ReadRows {
  static constexpr bool kWrites = false;
  std::string from;
  std::size_t n = 0;  // 1..kCopyTurnRows
};

}  // namespace request

using CopyForms = std::variant<request::CopySeason, request::TakeCopy, request::ReadCopy,
                               request::ForgetCopied, request::ReadRows>;

struct CopyStand {
  bool whole = false;         // the copy is complete
  bool is_anothers = false;   // another server holds the turn
  std::uint64_t forgets = 0;  // how often players were forgotten
  std::string to;             // the position to continue at
};

struct SeasonRows {
  Ranking ranking = Ranking::competition;  // of the season
  std::vector<CopiedRow> rows = {};
  std::string to = {};  // the position after the rows
  bool last = false;    // these are the last rows of the season
};

}  // namespace laurel
