// row_search.h - finding a place among sorted rows that are kept as separate arrays.
//
// Scores alone decide nearly always, so they are searched alone, without branches; ties and players
// are looked at only where scores are equal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "rank/row_order.h"
#include "rank/simd.h"

namespace laurel {

// Fills a node's scores from its count on: no score is worse, so a search never goes there.
inline constexpr ScoreKey kWorstScore = 0xFFFF'FFFF'FFFF'FFFFU;

// How many of a node's scores are better than this one. They are one less than a power of two, so
// that a search takes the same steps whatever the node holds, and has no branch to foresee: where
// the last step were a choice too, g++ would make branches of it and of what the caller does with
// it.
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

// Rows as three parallel arrays, sorted.
struct RowsView {
  const ScoreKey* scores;
  const std::uint64_t* ties;
  const PlayerHandle* players;
  std::uint32_t count;

  ScoreKey score(std::uint32_t slot) const { return scores[slot]; }
  std::uint64_t tie(std::uint32_t slot) const { return ties[slot]; }
  PlayerHandle player(std::uint32_t slot) const { return players[slot]; }
};

// How many of `count` sorted rows stand before the place or at it, `better` of them having a better
// score and at least one an equal one. Apart from its caller, so that the usual way down is short.
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

// How many of the rows stand before the place or at it, `better` of them having a better score.
template <typename Rows>
std::uint32_t rows_up_to(const Rows& rows, std::uint32_t better, const Place& place,
                         const RowOrder& order) {
  if (better == rows.count || rows.score(better) != place.score) return better;
  return equals_up_to(rows, better, rows.count, place, order);
}

// The slot of a node that holds the number, or `count`. All of it at once.
// REQUIRES: the array has a slot more than that.
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
      static_cast<std::uint32_t>(std::countr_zero(simd::lane_bits(blocks)));  // 64: nowhere
  return slot < count ? slot : count;
}

}  // namespace laurel
