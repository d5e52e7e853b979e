// ranking.h - computes ranks from counts.
//
//   competition  1224   the number of better rows + 1
//   modified     1334   the number of rows that are not worse
//   dense        1223   the number of distinct better scores + 1
//   ordinal      1234   the position in the board's order + 1: equal scores have different ranks
//
// Ranks start at 1. The functions on counts are pure and are for all engines. The functions on a
// tree read only the count that the mode needs. All are O(log n).
#pragma once

#include <cstdint>

#include "rank/tree/counted_tree.h"

namespace laurel {

enum class Ranking : std::uint8_t { competition, modified, dense, ordinal };

// The counts of a row, for all modes.
struct RankCounts {
  std::uint64_t better = 0;           // rows with better scores
  std::uint64_t not_worse = 0;        // rows with better or equal scores, with the row itself
  std::uint64_t distinct_better = 0;  // distinct better scores
  std::uint64_t position = 0;         // rows before the row, 0-based
};

// The rank of a row that is on the board.
std::uint64_t rank_of_row(Ranking ranking, const RankCounts& counts);

// The rank that a new row with the counted score would have now: behind its equals, or before them
// with ties = latest. `position` is not used.
//   competition  better + 1
//   modified     not_worse + 1: the new row is itself not worse
//   dense        distinct_better + 1
//   ordinal      not_worse + 1, or better + 1 for ties = latest
std::uint64_t rank_of_newcomer(Ranking ranking, Ties ties, const RankCounts& counts);

// As above, with the counts of the tree. REQUIRES of the first: tree.find(player).
std::uint64_t rank_of_row(Ranking ranking, const CountedTree& tree, PlayerHandle player);
std::uint64_t rank_of_newcomer(Ranking ranking, const CountedTree& tree, ScoreKey score);

}  // namespace laurel
