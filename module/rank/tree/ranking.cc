#include "rank/tree/ranking.h"

namespace laurel {

std::uint64_t rank_of_row(Ranking ranking, const RankCounts& counts) {
  switch (ranking) {
    case Ranking::competition: return counts.better + 1;
    case Ranking::modified: return counts.not_worse;
    case Ranking::dense: return counts.distinct_better + 1;
    case Ranking::ordinal: return counts.position + 1;
  }
  return 0;
}

std::uint64_t rank_of_newcomer(Ranking ranking, Ties ties, const RankCounts& counts) {
  switch (ranking) {
    case Ranking::competition: return counts.better + 1;
    case Ranking::modified: return counts.not_worse + 1;
    case Ranking::dense: return counts.distinct_better + 1;
    case Ranking::ordinal: return (ties == Ties::latest ? counts.better : counts.not_worse) + 1;
  }
  return 0;
}

std::uint64_t rank_of_row(Ranking ranking, const CountedTree& tree, PlayerHandle player) {
  RankCounts counts;
  switch (ranking) {
    case Ranking::competition: counts.better = tree.better_than(player); break;
    case Ranking::modified: counts.not_worse = tree.not_worse_than(player); break;
    case Ranking::dense: counts.distinct_better = tree.distinct_better_than(player); break;
    case Ranking::ordinal: counts.position = tree.position(player); break;
  }
  return rank_of_row(ranking, counts);
}

std::uint64_t rank_of_newcomer(Ranking ranking, const CountedTree& tree, ScoreKey score) {
  RankCounts counts;
  switch (ranking) {
    case Ranking::competition: counts.better = tree.count_better(score); break;
    case Ranking::modified: counts.not_worse = tree.count_not_worse(score); break;
    case Ranking::dense: counts.distinct_better = tree.distinct_better(score); break;
    case Ranking::ordinal:
      if (tree.ties() == Ties::latest) {
        counts.better = tree.count_better(score);
      } else {
        counts.not_worse = tree.count_not_worse(score);
      }
      break;
  }
  return rank_of_newcomer(ranking, tree.ties(), counts);
}

}  // namespace laurel
