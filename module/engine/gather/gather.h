// gather.h - reads several orders with disjoint players as one: the shards of a board, or the spans
// of a rolling window.
//
//   part      one order. All parts have the same ties; no player is in two of them.
//   exact     each answer is that of one order of all rows, except for read_once, which tells
//             whether it is. Each part is known down to its last row read, so a list is exact if no
//             part with more rows has its last row read before the last row listed.
//   reads     counted in EngineReads: an entry fetched from a part counts each time; a round is
//             what could be asked of all parts at once.
//   cost      p parts, n rows in all.
//             sizes, counts, ranks     p times the cost in a part
//             rows before a row        also, if other rows have its score, O(log of their number)
//                                      rows read in each part
//             distinct, dense ranks    O(distinct scores above) in each part, since a score may be
//                                      in several parts
//             k rows from the best     O(p + k log p); with random spreading about k + sqrt(k p)
//                                      rows fetched
//             k rows from position m   also O(log n) counts in each part
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
  // REQUIRES: at most kGatherPartsMax parts. The parts and the counters outlive this object.
  Gather(std::span<const EngineView* const> parts, Ties ties, EngineReads& reads)
      : parts_(parts), ties_(ties), reads_(reads) {}

  std::size_t size() const;
  std::size_t count_better(ScoreKey score) const;
  std::size_t count_not_worse(ScoreKey score) const;
  std::size_t distinct_better(ScoreKey score) const;
  // The number of rows of all parts that are before `row`, which need not be in a part.
  std::size_t count_before(const EngineRow& row) const;

  Rank rank(const EngineRow& row, Ranking ranking) const;  // REQUIRES: it is in a part
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const;

  // Appends rows first, first+1, ... of all parts, at most n of them, best first.
  void read(std::size_t first, std::size_t n, Arena& arena, std::vector<EngineRow>& out) const;
  // Appends the best n of the rows that are among the first `each` of their parts, which are asked
  // once. Returns true if these are certainly the best n of all parts; otherwise better rows may be
  // missing.
  bool read_once(std::size_t n, std::size_t each, Arena& arena, std::vector<EngineRow>& out) const;

 private:
  std::span<const EngineView* const> parts_;
  Ties ties_;
  EngineReads& reads_;
};

}  // namespace laurel
