// leaf_rows.h - the memory layout of a leaf's rows, for each form of leaf_frame.h.
//
// Only the scores are in order, since only they are searched. The rest of a row stays in its cell.
// An insert or erase therefore moves on average half of the scores (4 or 8 bytes) and of the cell
// numbers (1 byte).
//
//   slot     the index of a row in the leaf's order.
//   cell     the location of the rest of a row, in no order. A row keeps its cell.
//   rows     slots 0 to count - 1 have rows; the slots behind them have the worst score.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "rank/tree/cell_order.h"
#include "rank/tree/leaf_frame.h"
#include "rank/tree/row_search.h"

namespace laurel {

// Narrow, crowded and middle rows. The upper 32 bits of a score's steps are in order, as signed
// numbers, since SSE2 compares only those. The lower 16 bits of a middle row are in its cell.
template <LeafForm kFormOfRows>
struct CompactRows {
  static constexpr LeafForm kForm = kFormOfRows;
  static constexpr bool kIsMiddle = kForm == LeafForm::middle;
  static constexpr bool kIsCrowded = kForm == LeafForm::crowded;
  static constexpr unsigned kLowBits = kIsMiddle ? 16 : 0;
  static constexpr unsigned kScoreBits = 32 + kLowBits;
  static constexpr unsigned kHandleBits = kIsCrowded ? kCrowdedPlayerBits : kPlayerBits;
  static constexpr std::uint32_t kRows = kIsMiddle ? 38 : kIsCrowded ? 40 : 44;
  static constexpr std::uint32_t kSlots = (kRows + 3) / 4 * 4;
  static constexpr std::size_t kCellBytes = (kMomentBits + kHandleBits + kLowBits) / 8;
  using Upper = std::int32_t;
  static constexpr Upper kWorst = 0x7FFF'FFFF;

  CompactRows() {
    std::iota(cell_of, cell_of + kSlots, std::uint8_t{0});
    std::fill_n(upper, kRows, kWorst);
  }

  LeafFrame frame;
  std::uint8_t cell_of[kSlots];  // by slot; slots behind the last row have the free cells
  Upper upper[kRows];            // by slot
  std::uint8_t cells[kRows][kCellBytes];

  bool fits(const Place& place) const { return frame.fits(place, kScoreBits, kHandleBits); }
  ScoreKey score(std::uint32_t slot) const {
    return frame.score(upper_steps(slot) << kLowBits | lower(cell_of[slot]));
  }
  bool has_score(std::uint32_t slot, ScoreKey score_) const {
    // The smallest score with the slot's upper bits.
    const ScoreKey least = frame.score(upper_steps(slot) << kLowBits);
    if constexpr (!kIsMiddle) return score_ == least;
    return (score_ - least) >> frame.shift >> kLowBits == 0 && score_ == score(slot);
  }
  // As has_score(), for a score that fits.
  bool has_fitting(std::uint32_t slot, ScoreKey score_) const {
    const std::uint64_t steps = (score_ - frame.base) >> frame.shift;
    return upper[slot] == upper_of(steps) &&
           (!kIsMiddle || lower(cell_of[slot]) == static_cast<std::uint16_t>(steps));
  }
  bool same_score(std::uint32_t slot, std::uint32_t other) const {
    return upper[slot] == upper[other] &&
           (!kIsMiddle || lower(cell_of[slot]) == lower(cell_of[other]));
  }
  std::uint64_t tie_in(std::uint8_t cell) const {
    return frame.first_tie() + (first_word(cell) & ((std::uint64_t{1} << kMomentBits) - 1));
  }
  PlayerHandle player_in(std::uint8_t cell) const {
    std::uint32_t high = cells[cell][8];
    if constexpr (kIsCrowded) high |= std::uint32_t{cells[cell][9]} << 8;
    return static_cast<PlayerHandle>(first_word(cell) >> kMomentBits) | high << (64 - kMomentBits);
  }

  // The number of rows with a better score.
  std::uint32_t better(ScoreKey score_, std::uint32_t count) const {
    if (score_ <= frame.base) return 0;
    // The steps of `score_`, rounded up.
    const std::uint64_t steps = ((score_ - frame.base - 1) >> frame.shift) + 1;
    if (steps >> kScoreBits != 0) return count;
    const Upper wanted = upper_of(steps);
    std::uint32_t slot = count_less(wanted);
    if constexpr (kIsMiddle) {
      const auto low = static_cast<std::uint16_t>(steps);
      while (slot < count && upper[slot] == wanted && lower(cell_of[slot]) < low) ++slot;
    }
    return slot;
  }

  // Writes a row to the slot and to its cell. REQUIRES: fits(place).
  void set(std::uint32_t slot, const Place& place) {
    const std::uint64_t steps = (place.score - frame.base) >> frame.shift;
    upper[slot] = upper_of(steps);
    std::uint8_t* const cell = cells[cell_of[slot]];
    const std::uint64_t word = frame.moment(place.tie) | std::uint64_t{place.player} << kMomentBits;
    std::memcpy(cell, &word, sizeof word);
    cell[8] = static_cast<std::uint8_t>(place.player >> (64 - kMomentBits));
    if constexpr (kIsCrowded) {
      cell[9] = static_cast<std::uint8_t>(place.player >> (72 - kMomentBits));
    }
    if constexpr (kIsMiddle) {
      const auto low = static_cast<std::uint16_t>(steps);
      std::memcpy(cell + 9, &low, sizeof low);
    }
  }

  auto* in_order() { return upper; }
  const auto* in_order() const { return upper; }

 private:
  static Upper upper_of(std::uint64_t steps) {
    return static_cast<Upper>(static_cast<std::uint32_t>(steps >> kLowBits) ^ 0x8000'0000U);
  }
  std::uint64_t upper_steps(std::uint32_t slot) const {
    return static_cast<std::uint32_t>(upper[slot]) ^ 0x8000'0000U;
  }
  std::uint64_t first_word(std::uint8_t cell) const {
    std::uint64_t word = 0;
    std::memcpy(&word, cells[cell], sizeof word);
    return word;
  }
  std::uint16_t lower(std::uint8_t cell) const {
    if constexpr (!kIsMiddle) return 0;
    std::uint16_t low = 0;
    std::memcpy(&low, cells[cell] + kCellBytes - sizeof low, sizeof low);
    return low;
  }
  // Two comparisons select sixteen rows, which are compared at once, without branches.
  std::uint32_t count_less(Upper wanted) const {
    constexpr std::uint32_t kStride = (kRows - 16) / 2;
    static_assert(2 * kStride + 16 == kRows);
    const std::uint32_t from = (static_cast<std::uint32_t>(upper[kStride - 1] < wanted) +
                                static_cast<std::uint32_t>(upper[2 * kStride - 1] < wanted)) *
                               kStride;
    const auto limit = simd::all_lanes<simd::I32x4>(wanted);
    const auto less = [&](std::uint32_t slot) {
      return simd::load<simd::I32x4>(upper + from + slot) < limit;
    };
    const simd::Mask16 low = simd::narrow(less(0), less(4));
    const simd::Mask16 high = simd::narrow(less(8), less(12));
    const std::uint32_t bits = simd::lane_bits(simd::narrow(low, high));
    return from + static_cast<std::uint32_t>(__builtin_ctz(~bits));  // bits has 16 bits: ~bits != 0
  }
};

// Wide rows, with full scores.
struct WideRows {
  static constexpr LeafForm kForm = LeafForm::wide;
  static constexpr std::uint32_t kRows = 30;
  static constexpr std::uint32_t kSlots = 32;
  static constexpr ScoreKey kWorst = kWorstScore;

  // The rest of a row, in twelve bytes.
  struct Cell {
    std::uint32_t tie_words[2];
    PlayerHandle player;
  };

  WideRows() {
    std::iota(cell_of, cell_of + kSlots, std::uint8_t{0});
    std::fill_n(scores, kRows, kWorst);
  }

  std::uint8_t cell_of[kSlots];
  ScoreKey scores[kRows];
  Cell cells[kRows];

  static bool fits(const Place&) { return true; }
  ScoreKey score(std::uint32_t slot) const { return scores[slot]; }
  bool has_score(std::uint32_t slot, ScoreKey score_) const { return scores[slot] == score_; }
  bool has_fitting(std::uint32_t slot, ScoreKey score_) const { return scores[slot] == score_; }
  bool same_score(std::uint32_t slot, std::uint32_t other) const {
    return scores[slot] == scores[other];
  }
  std::uint64_t tie_in(std::uint8_t cell) const {
    std::uint64_t tie = 0;
    std::memcpy(&tie, cells[cell].tie_words, sizeof tie);
    return tie;
  }
  PlayerHandle player_in(std::uint8_t cell) const { return cells[cell].player; }
  std::uint32_t better(ScoreKey score_, std::uint32_t) const {
    // Two halves, since node_scores_better needs a size of 2^n - 1.
    constexpr std::size_t kHalf = kRows / 2;
    const std::size_t at = scores[kHalf - 1] < score_ ? kHalf : 0;
    return static_cast<std::uint32_t>(at) + node_scores_better<kHalf>(scores + at, score_);
  }
  void set(std::uint32_t slot, const Place& place) {
    scores[slot] = place.score;
    Cell& cell = cells[cell_of[slot]];
    // Word by word, because GCC 14 warns about a memcpy: it assumes that the cell has no size.
    const auto tie_words = std::bit_cast<std::array<std::uint32_t, 2>>(place.tie);
    cell.tie_words[0] = tie_words[0];
    cell.tie_words[1] = tie_words[1];
    cell.player = place.player;
  }

  auto* in_order() { return scores; }
  const auto* in_order() const { return scores; }
};

template <typename Rows>
Place place_of(const Rows& rows, std::uint32_t slot) {
  const std::uint8_t cell = rows.cell_of[slot];
  return {rows.score(slot), rows.tie_in(cell), rows.player_in(cell)};
}

using NarrowRows = CompactRows<LeafForm::narrow>;
using CrowdedRows = CompactRows<LeafForm::crowded>;
using MiddleRows = CompactRows<LeafForm::middle>;

// Move the slots between `from` and `to` by one: move_up opens a slot at `from`, move_down at `to`.
// The cell of the closed slot goes to the opened one. REQUIRES: from <= to.
template <typename Rows>
[[gnu::always_inline]] inline void move_up(Rows& rows, std::uint32_t from, std::uint32_t to) {
  auto* const scores = rows.in_order();
  std::memmove(scores + from + 1, scores + from, (to - from) * sizeof *scores);
  rotate_up<Rows::kSlots>(rows.cell_of, from, to);
}
template <typename Rows>
[[gnu::always_inline]] inline void move_down(Rows& rows, std::uint32_t from, std::uint32_t to) {
  auto* const scores = rows.in_order();
  std::memmove(scores + from, scores + from + 1, (to - from) * sizeof *scores);
  rotate_down<Rows::kSlots>(rows.cell_of, from, to);
}

}  // namespace laurel
