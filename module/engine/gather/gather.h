// gather.h - several orders of different players, read as one: the shards of a board, the spans of
// a rolling window.
//
//   part      one order. All parts follow the same ties; no player is in two of them.
//   exact     every answer is what one order of all rows would say, but for read_once, which says
//             whether it is. A part is known down to its last row read; so a list is exact when no
//             part that has more rows has its last row read before the last one listed.
//   reads     counted in EngineReads: an entry fetched from a part counts once each time, and a
//             round is what could be asked of all parts at once.
//   cost      p parts, n rows in all.
//             sizes, counts, ranks     p times a part's
//             rows before a row        and, where others have its score, O(log of those) rows
//                                      looked at in each part
//             distinct, dense ranks    O(distinct scores above) in each part, since the same score
//                                      may be in several
//             k rows from the best     O(p + k log p); by chance some k + sqrt(k p) rows fetched
//             from far down            before that, O(log n) counts a part
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/gather/row_merge.h"

namespace laurel {

class Gather {
 public:
  // The parts, at most kGatherPartsMax, and what counts the reads outlive it.
  Gather(std::span<const EngineView* const> parts, Ties ties, EngineReads& reads)
      : parts_(parts), ties_(ties), reads_(reads) {}

  std::size_t size() const;
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_not_worse(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;
  // How many rows of all parts stand before the row, whether or not it is in one of them.
  std::size_t count_before(const EngineRow& row) const;

  std::uint64_t rank(const EngineRow& row, Ranking ranking) const;  // REQUIRES: it is in a part
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const;

  // Appends rows first, first+1, ... of all, at most n of them, best first.
  void read(std::size_t first, std::size_t n, Arena& arena, std::vector<EngineRow>& out) const;
  // Appends the best n of the rows that are among the first `each` of their parts, asked for once;
  // whether they are certainly the best n of all. If not, better ones may be missing.
  bool read_once(std::size_t n, std::size_t each, Arena& arena, std::vector<EngineRow>& out) const;

 private:
  std::span<const EngineView* const> parts_;
  Ties ties_;
  EngineReads& reads_;
};

}  // namespace laurel
