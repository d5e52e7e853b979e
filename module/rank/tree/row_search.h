// row_search.h - search in sorted rows that are stored as separate arrays.
//
// Scores decide almost always, so they are searched first, without branches. Ties and players are
// read only if scores are equal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "rank/simd.h"
#include "rank/tree/row_order.h"

namespace laurel {

// Fills the unused scores of a node. No score is worse, so a search never ends behind the rows.
inline constexpr ScoreKey kWorstScore = 0xFFFF'FFFF'FFFF'FFFFU;

// The number of a node's scores that are better. kRows is a power of two less one, so that a search
// always takes the same steps and has no branches to mispredict. The last step is an addition; for
// a selection g++ would generate branches, also in the caller.
template <std::uint32_t kRows>
std::uint32_t node_scores_better(const ScoreKey* scores, ScoreKey score) {
  static_assert(std::has_single_bit(kRows + 1));
  std::size_t at = 0;
  for (std::size_t half = (kRows + 1) / 2; half > 1; half /= 2) {
    const std::size_t behind = at + half;
    at = scores[behind - 1] < score ? behind : at;
  }
  return static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(scores[at] < score);
}

// Sorted rows as three parallel arrays.
struct RowsView {
  const ScoreKey* scores;
  const std::uint64_t* ties;
  const PlayerHandle* players;
  std::uint32_t count;

  ScoreKey score(std::uint32_t slot) const { return scores[slot]; }
  std::uint64_t tie(std::uint32_t slot) const { return ties[slot]; }
  PlayerHandle player(std::uint32_t slot) const { return players[slot]; }
};

// The number of `count` sorted rows that are before the place or at it. `better` of them have a
// better score, and at least one an equal score. Not inlined, to keep the usual path short.
template <typename Rows>
[[gnu::noinline]] std::uint32_t equals_up_to(const Rows& rows, std::uint32_t better,
                                             std::uint32_t count, const Place& place,
                                             const RowOrder& order) {
  std::uint32_t low = better;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows.score(middle) == place.score &&
        order.stands_by(rows.tie(middle), rows.player(middle), place)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The number of rows that are before the place or at it. `better` of them have a better score.
template <typename Rows>
std::uint32_t rows_up_to(const Rows& rows, std::uint32_t better, const Place& place,
                         const RowOrder& order) {
  if (better == rows.count || rows.score(better) != place.score) return better;
  return equals_up_to(rows, better, rows.count, place, order);
}

// The slot of a node that has the number, or `count`. Compares all slots, without branches.
// REQUIRES: the array has kRows + 1 slots.
template <std::uint32_t kRows>
std::uint32_t node_slot_of(const std::uint32_t* slots, std::uint32_t count, std::uint32_t number) {
  constexpr std::uint32_t kBlocks = kRows / 16 + 1;
  const auto wanted = simd::all_lanes<simd::U32x4>(number);
  const auto same = [&](std::uint32_t at) { return simd::load<simd::U32x4>(slots + at) == wanted; };
  simd::Mask8 blocks[kBlocks];
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const std::uint32_t at = 16 * i;
    blocks[i] = simd::narrow(simd::narrow(same(at), same(at + 4)),
                             simd::narrow(same(at + 8), same(at + 12)));
  }
  const auto slot =
      static_cast<std::uint32_t>(std::countr_zero(simd::lane_bits(blocks)));  // 64: not found
  return slot < count ? slot : count;
}

}  // namespace laurel
