// entry_cursor.h - iterates over the entries of a board, best first, while the board changes.
//
//   visited   a player who is on the board from the start to the end is visited exactly once,
//             whatever changes meanwhile. A player who comes meanwhile is visited once or not at
//             all. Entries are as they are when they are visited.
//   place     the row that was read last. A player before it is done, a player behind it is not,
//             except those who are marked: they have moved across the place. The board tells its
//             cursors of each change of a row (RowChange). When no row is left behind the place,
//             the marked players before it are visited.
//   window    when a rolling window moves, the place becomes the beginning, and those who are done
//             are marked: O(d) for d of them.
//   memory    of marks: a bit a player, or ids (player_marks.h). More than kCursorIdsMax ids are
//             `unavailable`.
//   cost      a step reads one row, O(log n); a change of a row takes O(1) for each cursor. The
//             rows up to the place, and so ranks, are counted along, except on a capped board,
//             which drops rows: O(log^2 n) a step. `dense` ranks after a change before the place,
//             and ranks of players who are visited last, cost as much as Standings::rank.
//   threads   as Standings. Batches on several threads tell their changes one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "board/standings/change.h"
#include "board/standings/player_marks.h"
#include "board/standings/standings.h"
#include "engine/engine.h"

namespace laurel {

class EntryCursor {
 public:
  // Begins at the entry at position `first`. The standings may end before the cursor, which is then
  // at its end. If they have more than kCursorsMax cursors, the one that was not used for the
  // longest time expires.
  EntryCursor(const Standings& standings, std::size_t first);
  ~EntryCursor();
  EntryCursor(const EntryCursor&) = delete;
  EntryCursor& operator=(const EntryCursor&) = delete;

  // Appends the next entry to `out`, unless there is none. Views are valid as those of a list are.
  // Fails with unavailable if it has expired, or has too many marks.
  Status next(Entries& out);

 private:
  friend class Standings;

  struct Place {
    ScoreKey score = 0;
    Time at = 0;
    std::string player;

    EngineRow row() const { return {player, score, at, std::nullopt}; }
  };

  // ---- told by the standings

  void row_changed(std::string_view player, const std::optional<EngineRow>& before,
                   const std::optional<EngineRow>& after);
  void emptied();
  void rewind();
  void end();
  void expire();

  bool is_behind(const EngineRow& row) const;  // of the place, so that it comes later
  void count(const EngineRow& row, std::int64_t by);
  void recount();
  void move_to(const EngineRow& row);
  Rank rank_at_place();
  std::uint64_t not_worse_at_place();
  bool next_behind(Entries& out);
  bool next_marked(Entries& out);

  const Standings* standings_;    // null: they have ended
  EntryCursor* other_ = nullptr;  // the next cursor of the standings
  std::optional<Place> place_;    // nothing: before all rows
  std::size_t rows_ = 0;          // up to the place
  // For ranks: rows that are better than the place, and if they were counted, rows that are not
  // worse, and better scores.
  std::uint64_t better_ = 0;
  std::optional<std::uint64_t> not_worse_;
  std::optional<std::uint64_t> distinct_better_;
  PlayerMarks marks_;
  bool too_many_ = false;  // marks
  bool expired_ = false;
};

}  // namespace laurel
