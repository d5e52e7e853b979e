// cell_order.h - which cell of a leaf each of its slots names: a byte a slot, kCellSlots of them.
//
//   cost     each call the same few instructions, whatever it moves from where to where: there is
//            no branch to foresee.
//   source   slots that name where rows lie in place of moving them: "Persistent B+-Trees in
//            Non-Volatile Main Memory", S. Chen and Q. Jin, PVLDB 2015
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace laurel {

inline constexpr std::uint32_t kCellSlots = 32;

#if defined(__SSE2__)

namespace cell_order {

struct Halves {
  __m128i low;
  __m128i high;
};
inline Halves load(const std::uint8_t* cells) {
  const auto* const at = reinterpret_cast<const __m128i*>(cells);
  return {_mm_loadu_si128(at), _mm_loadu_si128(at + 1)};
}
// Takes `other` in the slots from first to last.
inline void store_between(std::uint8_t* cells, Halves old, Halves other, std::uint32_t first,
                          std::uint32_t last) {
  const __m128i slots = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i before = _mm_set1_epi8(static_cast<char>(static_cast<int>(first) - 1));
  const __m128i behind = _mm_set1_epi8(static_cast<char>(last + 1));
  const auto choose = [&](__m128i at, __m128i mine, __m128i others) {
    const __m128i within = _mm_and_si128(_mm_cmpgt_epi8(at, before), _mm_cmpgt_epi8(behind, at));
    return _mm_or_si128(_mm_and_si128(within, others), _mm_andnot_si128(within, mine));
  };
  auto* const to = reinterpret_cast<__m128i*>(cells);
  _mm_storeu_si128(to, choose(slots, old.low, other.low));
  _mm_storeu_si128(to + 1, choose(_mm_add_epi8(slots, _mm_set1_epi8(16)), old.high, other.high));
}

}  // namespace cell_order

// The cell of slot `to` comes to `from`, those from there on one slot up. REQUIRES: from <= to.
inline void rotate_up(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[to];
  const auto [low, high] = cell_order::load(cells);
  const __m128i carried = _mm_srli_si128(low, 15);
  cell_order::store_between(
      cells, {low, high}, {_mm_slli_si128(low, 1), _mm_or_si128(_mm_slli_si128(high, 1), carried)},
      from + 1, to);
  cells[from] = moved;
}
// The cell of slot `from` comes to `to`, those up to there one slot down. REQUIRES: from <= to.
inline void rotate_down(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[from];
  const auto [low, high] = cell_order::load(cells);
  const __m128i carried = _mm_slli_si128(high, 15);
  const cell_order::Halves down{_mm_or_si128(_mm_srli_si128(low, 1), carried),
                                _mm_srli_si128(high, 1)};
  cell_order::store_between(cells, {low, high}, down, from, to - 1);
  cells[to] = moved;
}

// The slot that names the cell. REQUIRES: there is one.
inline std::uint32_t slot_of_cell(const std::uint8_t* cells, std::uint8_t cell) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(cell));
  const auto [low, high] = cell_order::load(cells);
  const auto bits_of = [&](__m128i some) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)));
  };
  return static_cast<std::uint32_t>(std::countr_zero(bits_of(low) | bits_of(high) << 16));
}

#else

inline void rotate_up(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[to];
  std::memmove(cells + from + 1, cells + from, to - from);
  cells[from] = moved;
}
inline void rotate_down(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[from];
  std::memmove(cells + from, cells + from + 1, to - from);
  cells[to] = moved;
}
inline std::uint32_t slot_of_cell(const std::uint8_t* cells, std::uint8_t cell) {
  std::uint32_t slot = 0;
  while (cells[slot] != cell) ++slot;
  return slot;
}

#endif

}  // namespace laurel
