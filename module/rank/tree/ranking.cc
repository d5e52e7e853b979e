#include "rank/tree/ranking.h"

namespace laurel {

Rank rank_of_row(Ranking ranking, const RankCounts& counts) {
  switch (ranking) {
    case Ranking::competition: return counts.better + 1;
    case Ranking::modified: return counts.not_worse;
    case Ranking::dense: return counts.distinct_better + 1;
    case Ranking::ordinal: return counts.position + 1;
    case Ranking::fractional: return Rank::mean(counts.better + 1, counts.not_worse);
  }
  return {};
}

Rank rank_of_newcomer(Ranking ranking, Ties ties, const RankCounts& counts) {
  switch (ranking) {
    case Ranking::competition: return counts.better + 1;
    case Ranking::modified: return counts.not_worse + 1;
    case Ranking::dense: return counts.distinct_better + 1;
    case Ranking::ordinal: return (ties == Ties::latest ? counts.better : counts.not_worse) + 1;
    case Ranking::fractional: return Rank::mean(counts.better + 1, counts.not_worse + 1);
  }
  return {};
}

Rank rank_of_row(Ranking ranking, const CountedTree& tree, PlayerHandle player) {
  RankCounts counts;
  switch (ranking) {
    case Ranking::competition: counts.better = tree.better_than(player); break;
    case Ranking::modified: counts.not_worse = tree.not_worse_than(player); break;
    case Ranking::dense: counts.distinct_better = tree.distinct_better_than(player); break;
    case Ranking::ordinal: counts.position = tree.position(player); break;
    case Ranking::fractional:
      counts.better = tree.better_than(player);
      counts.not_worse = tree.not_worse_than(player);
      break;
  }
  return rank_of_row(ranking, counts);
}

}  // namespace laurel
