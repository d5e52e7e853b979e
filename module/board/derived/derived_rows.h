// derived_rows.h - writes the rows of a board that is made from other boards. No other code does.
//
//   told     watches, the loops over the board's entries and its cached top learn of each change,
//            as with any other board.
//   stored   the rows of a board of groups are, so that they stay when a season ends. Of a combined
//            board nothing is written to the store.
//   memory   a call that changes one row must be within a MemoryGuarantee, as the write of the
//            source is that it follows. replace() has its own: it throws std::bad_alloc before it
//            changes anything, or, if it goes from row to row, between two of them.
//   cost     n rows: O(log n); replace() O(1), and O(n log n) if rows are stored, or while a loop
//            over the entries runs.
//   threads  as the board.
#pragma once

#include <memory>

#include "base/time.h"
#include "board/seasons/seasons.h"
#include "engine/engine.h"

namespace laurel {

class Board;

class DerivedRows {
 public:
  // The board outlives this. REQUIRES: is_derived(board.spec()).
  explicit DerivedRows(Board& board) : board_(board) {}

  // Gives the player this row, or none.
  void put(const Player& player, const RowKey& row);
  void erase(const Player& player);
  // Hints, in this order: that the player's row will be put or erased, and the score of the row
  // that will be put. No answer depends on them.
  void prefetch_player(PlayerHandle player) const;
  void prefetch_row(PlayerHandle player) const;
  void prefetch_place(ScoreKey score) const;

  // The rows will be made again: watches and clients look again.
  void outdate();
  // An empty engine for rows that replace all others.
  std::unique_ptr<ScoreEngine> make() const;
  void replace(std::unique_ptr<ScoreEngine> rows);

  // ---- seasons, of a board that has those of its source

  // The running season is this one. Writes it if it is another.
  void follow_season(const Season& season);
  // The running season ended at that time: it becomes a past one, with the rows, and this one
  // begins without. Within a MemoryGuarantee. O(1).
  void end_season(Time ended, const Season& next);

 private:
  ScoreEngine& engine() const;
  bool are_stored() const;
  void empty();
  void take_differences(const ScoreEngine& rows);

  Board& board_;
};

}  // namespace laurel
