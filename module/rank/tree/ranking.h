// ranking.h - computes ranks from counts.
//
//   competition  1 2 2 4      the number of better rows + 1
//   modified     1 3 3 4      the number of rows that are not worse
//   dense        1 2 2 3      the number of distinct better scores + 1
//   ordinal      1 2 3 4      the position, from 1: equals have different ranks
//   fractional   1 2.5 2.5 4  the mean of the positions of the equals
//
// Ranks start at 1. The functions on counts are pure and are for all engines. The others read only
// the counts that the mode needs. On a tree all are O(log n).
#pragma once

#include <cstdint>

#include "rank/tree/counted_tree.h"
#include "rank/tree/rank.h"

namespace laurel {

enum class Ranking : std::uint8_t { competition, modified, dense, ordinal, fractional };

// The counts of a row, for all modes.
struct RankCounts {
  std::uint64_t better = 0;           // rows with better scores
  std::uint64_t not_worse = 0;        // rows with better or equal scores, with the row itself
  std::uint64_t distinct_better = 0;  // distinct better scores
  std::uint64_t position = 0;         // rows before the row, 0-based
};

// Which counts the rank of a row, or of a newcomer, is made from.
struct NeededCounts {
  bool better = false;
  bool not_worse = false;
  bool distinct_better = false;
  bool position = false;
};
constexpr NeededCounts needed_of_row(Ranking ranking) {
  const bool fractional = ranking == Ranking::fractional;
  return {.better = fractional || ranking == Ranking::competition,
          .not_worse = fractional || ranking == Ranking::modified,
          .distinct_better = ranking == Ranking::dense,
          .position = ranking == Ranking::ordinal};
}
constexpr NeededCounts needed_of_newcomer(Ranking ranking, Ties ties) {
  NeededCounts needed = needed_of_row(ranking);
  if (needed.position) (ties == Ties::latest ? needed.better : needed.not_worse) = true;
  return needed;
}

// The rank of a row that is on the board.
Rank rank_of_row(Ranking ranking, const RankCounts& counts);

// The rank that a new row with the counted score would have now: behind its equals, or before them
// with ties = latest. `position` is not used.
//   competition  better + 1
//   modified     not_worse + 1: the new row is itself not worse
//   dense        distinct_better + 1
//   ordinal      not_worse + 1, or better + 1 for ties = latest
//   fractional   the mean of better + 1 and not_worse + 1
Rank rank_of_newcomer(Ranking ranking, Ties ties, const RankCounts& counts);

// As above, with the needed counts of an order of rows. It has count_better(score),
// count_not_worse(score) and distinct_better(score), as engines have. `position` is a function.
template <typename Order>
RankCounts count_needed(const NeededCounts& needed, const Order& order, ScoreKey score) {
  RankCounts counts;
  if (needed.better) counts.better = order.count_better(score);
  if (needed.not_worse) counts.not_worse = order.count_not_worse(score);
  if (needed.distinct_better) counts.distinct_better = order.distinct_better(score);
  return counts;
}
template <typename Order, typename Position>
Rank rank_of_row(Ranking ranking, const Order& order, ScoreKey score, const Position& position) {
  const NeededCounts needed = needed_of_row(ranking);
  RankCounts counts = count_needed(needed, order, score);
  if (needed.position) counts.position = position();
  return rank_of_row(ranking, counts);
}
template <typename Order>
Rank rank_of_newcomer(Ranking ranking, Ties ties, const Order& order, ScoreKey score) {
  return rank_of_newcomer(ranking, ties,
                          count_needed(needed_of_newcomer(ranking, ties), order, score));
}

// As above, of a player in a tree. REQUIRES: tree.find(player).
Rank rank_of_row(Ranking ranking, const CountedTree& tree, PlayerHandle player);

}  // namespace laurel
