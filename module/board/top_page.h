// top_page.h - the first entries of a board as they were last read, kept for whoever reads them
// next: a board's top is read much more often than it changes.
//
//   stands   from fill() until a row that reaches the page came, went or changed. Who changes rows
//            says which one by its better score, before and after; or forgets the page.
//   reaches  a score as good as that of the page's last entry. Where the page is the whole board,
//            every score does.
//   size     at most kTopPageMax entries, as many as somebody asked for.
//   views    ids as the engine shows them, data copied: valid until the page is filled after a
//            change. An id stays where it is while its player's row does not reach the page.
//   memory   sizeof(Entry) an entry, and what data takes.
//   threads  none of its own; one caller at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/limits.h"
#include "board/change.h"
#include "rank/score.h"

namespace laurel {

class TopPage {
 public:
  // Whether the page has all of these positions that the board has.
  bool has(std::size_t first, std::size_t n) const {
    return stands_ && (is_whole_ || (first <= entries_.size() && n <= entries_.size() - first));
  }
  // Appends those entries. REQUIRES: has(first, n).
  void copy(std::size_t first, std::size_t n, Entries& out) const {
    first = std::min(first, entries_.size());
    out.append(entries_.data() + first, std::min(n, entries_.size() - first));
  }

  void forget() { stands_ = false; }
  // Likewise, if the score reaches the page.
  void forget(ScoreKey score) {
    if (is_whole_ || score <= last_) stands_ = false;
  }

  // Empties the page for at least n entries; how many it takes. REQUIRES: n <= kTopPageMax.
  // While the board stays as it is the page grows by doubling: what readers were shown is kept.
  std::size_t begin(std::size_t n);
  // To be filled between begin() and stand().
  Entries& entries() { return entries_; }
  void stand(bool is_whole, ScoreKey last);

  std::size_t bytes() const;

 private:
  Entries entries_;
  bool stands_ = false;
  bool is_whole_ = false;  // the board has no more
  ScoreKey last_ = 0;      // the last entry's
};

}  // namespace laurel
