// naive_order.h - the order of entries and their ranks by definition, for oracles. Rows have a
// player, a score and a moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/engine_spec.h"
#include "rank/tree/ranking.h"

namespace laurel {

inline constexpr std::array kEveryRanking = {Ranking::competition, Ranking::modified,
                                             Ranking::dense, Ranking::ordinal, Ranking::fractional};

// Sorts the rows, best first.
template <typename Rows>
void naive_sort(Rows& rows, const EngineSpec& spec) {
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    if (a.score != b.score) return (a.score > b.score) == (spec.order == Order::desc);
    if (spec.ties == Ties::earliest && a.at != b.at) return a.at < b.at;
    if (spec.ties == Ties::latest && a.at != b.at) return a.at > b.at;
    return spec.ties == Ties::player_desc ? a.player > b.player : a.player < b.player;
  });
}

// The rank of row i of sorted rows.
template <typename Rows>
Rank naive_rank(const Rows& rows, std::size_t i, Ranking ranking) {
  if (ranking == Ranking::fractional) {
    std::uint64_t equals = 0;
    std::uint64_t sum = 0;  // of their positions, from 1
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[j].score != rows[i].score) continue;
      ++equals;
      sum += j + 1;
    }
    return Rank::mean(2 * sum / equals, 0);  // twice their mean is a whole number
  }
  std::uint64_t rank = 1;
  for (std::size_t j = 0; j < i; ++j) {
    const bool last_of_run = rows[j].score != rows[j + 1].score;
    if (ranking == Ranking::dense && last_of_run) ++rank;
    if (ranking == Ranking::ordinal) ++rank;
    if (ranking == Ranking::competition && last_of_run) rank = j + 2;
  }
  if (ranking != Ranking::modified) return rank;
  while (i + 1 < rows.size() && rows[i + 1].score == rows[i].score) ++i;
  return i + 1;
}

}  // namespace laurel
