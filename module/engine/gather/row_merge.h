// row_merge.h - the rows of several parts one after the other, best first.
//
//   question   one read of one part. Parts are asked for a few rows each and asked again as their
//              rows run out, so that hardly more is read than is taken.
//   round      the first questions to all parts, or the second ones to those that were asked twice,
//              and so on: what could be asked at once.
//   views      a row in front of the merge is valid until its next call, what it shows until the
//              parts' next change.
//   cost       p parts: O(p) to begin and O(log p) a row, besides the parts' reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace laurel {

// Whether row a stands before row b in the order of boards with these ties.
bool stands_before(const EngineRow& a, const EngineRow& b, Ties ties);

// How many rows a part is asked for: at first, and when those have run out; 0: never again. Each
// further question to one part asks for twice as many as the one before.
struct Asking {
  std::size_t first = 0;
  std::size_t again = 0;
};

// For taking n rows of p parts among which they are spread by chance: the fair share and its
// standard deviation at first, which most parts have enough of, then as much as they may lack.
Asking fair_share(std::size_t n, std::size_t parts);

class RowMerge {
 public:
  struct Parts {
    std::span<const EngineView* const> views;
    std::span<const std::size_t> starts;  // the first row of each to take; empty: all from the best
    Ties ties;
  };

  // Begins a merge of which n rows will be taken. All that is handed in outlives it.
  RowMerge(const Parts& parts, std::size_t n, Asking asking, EngineReads& reads, Arena& arena);

  // The best row not taken yet; null after n rows and when there are no more.
  const EngineRow* front() const {
    return left_ == 0 || heads_.empty() ? nullptr : &rows_[heads_.front().row];
  }
  void take();  // REQUIRES: front()
  // Takes rows and appends them to out until there are no more.
  void take_all(std::vector<EngineRow>& out);

  // Whether a part may have held a row better than one that was in front: it had been asked for all
  // that it was to be asked for, and those rows had run out. Never with `again` above 0.
  bool missed() const { return missed_; }

 private:
  struct Cursor {
    std::size_t row = 0;  // in rows_, of those fetched and not taken
    std::size_t end = 0;
    std::size_t position = 0;  // in the part, of the next row to fetch
    std::size_t ask = 0;       // rows of the next question; 0: there is none
    std::uint32_t questions = 0;
  };
  // A cursor's best row, with its score at hand: most comparisons need no more.
  struct Head {
    ScoreKey score = 0;
    std::uint32_t row = 0;
    std::uint32_t part = 0;
  };

  void fetch(std::uint32_t part);
  bool before(const Head& a, const Head& b) const;
  void sink_first();

  const Parts parts_;
  const std::size_t again_;
  EngineReads& reads_;
  Arena& arena_;
  std::size_t left_;  // rows to take
  std::uint32_t rounds_ = 0;
  bool missed_ = false;
  std::vector<EngineRow> rows_;  // as fetched
  std::vector<Cursor> cursors_;  // one a part
  std::vector<Head> heads_;      // a heap: the best first; parts without rows are not in it
};

}  // namespace laurel
