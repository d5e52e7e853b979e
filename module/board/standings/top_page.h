// top_page.h - a cache of the first entries of a board. A board's top is read much more often than
// it changes.
//
//   valid    from stand() until a row that reaches the page is added, removed or changed. The
//            caller that changes a row passes the better of its old and new score to forget().
//   reaches  a score at least as good as the last entry's. If the page has the whole board, every
//            score reaches it.
//   size     at most kTopPageMax entries; at least what was last asked for.
//   views    ids as in the engine, data copied: valid until the page is filled after a change. An
//            id stays valid while its player's row does not reach the page.
//   memory   sizeof(Entry) for each entry, and the data.
//   threads  one caller at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "board/standings/change.h"
#include "rank/score/score.h"

namespace laurel {

class TopPage {
 public:
  // Whether the page has these positions, as far as the board has them.
  bool has(std::size_t first, std::size_t n) const {
    return stands_ && (is_whole_ || (first <= entries_.size() && n <= entries_.size() - first));
  }
  // Appends those entries. REQUIRES: has(first, n).
  void copy(std::size_t first, std::size_t n, Entries& out) const {
    first = std::min(first, entries_.size());
    out.append(entries_.data() + first, std::min(n, entries_.size() - first));
  }

  void forget() { stands_ = false; }
  // Invalidates the page if the score reaches it.
  void forget(ScoreKey score) {
    if (is_whole_ || score <= last_) stands_ = false;
  }

  // Empties the page to take at least n entries; returns how many to add. While the page is valid
  // it grows by doubling, and earlier views stay valid. REQUIRES: n <= kTopPageMax.
  std::size_t begin(std::size_t n);
  // To be filled between begin() and stand(), which validates them.
  Entries& entries() { return entries_; }
  void stand(bool is_whole, ScoreKey last);

  std::size_t bytes() const;

 private:
  Entries entries_;
  bool stands_ = false;
  bool is_whole_ = false;  // the page has the whole board
  ScoreKey last_ = 0;      // the score of the last entry
};

}  // namespace laurel
