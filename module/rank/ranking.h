// ranking.h - from counts to the ranks that players read.
//
//   competition  1224   as many as are better, and one
//   modified     1334   as many as are not worse
//   dense        1223   as many distinct scores as are better, and one
//   ordinal      1234   the position in the board's order: equals have ranks of their own
//
// Ranks start at 1. The functions on counts are pure and belong to any engine; those on a tree ask
// it for no count but the one that the mode needs. All O(log n).
#pragma once

#include <cstdint>

#include "rank/counted_tree.h"

namespace laurel {

enum class Ranking : std::uint8_t { competition, modified, dense, ordinal };

// What a row's rank is made of, in any mode.
struct RankCounts {
  std::uint64_t better = 0;     // rows of better scores
  std::uint64_t not_worse = 0;  // and those of equal ones, the row itself included if it is there
  std::uint64_t distinct_better = 0;  // better scores, each counted once
  std::uint64_t position = 0;         // rows before the row, 0-based
};

// The rank of a row that is on the board.
std::uint64_t rank_of_row(Ranking ranking, const RankCounts& counts);

// The rank that a newcomer with the counted score would have now: behind its equals, but before
// them where the latest stands first. `position` is not looked at.
//   competition  better + 1
//   modified     not_worse + 1: the newcomer is one of those who are not worse
//   dense        distinct_better + 1
//   ordinal      not_worse + 1, or better + 1 for ties = latest
std::uint64_t rank_of_newcomer(Ranking ranking, Ties ties, const RankCounts& counts);

// The same, of a player of the tree. REQUIRES: tree.find(player).
std::uint64_t rank_of_row(Ranking ranking, const CountedTree& tree, PlayerHandle player);
std::uint64_t rank_of_newcomer(Ranking ranking, const CountedTree& tree, ScoreKey score);

}  // namespace laurel
