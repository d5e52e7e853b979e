// cell_order.h - which cell of a leaf each of its slots names: a byte a slot, kSlots of them.
//
//   room     up to a multiple of sixteen bytes all is read, and written as it was; a byte on either
//            side is read.
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

#if defined(__SSE2__)

namespace cell_order {

inline __m128i load(const std::uint8_t* cells) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
}

// 64 bytes without a bit and 64 with all: read from so many slots before the middle, they tell
// which slots lie there or behind.
struct Edge {
  constexpr Edge() {
    for (int i = 64; i < 128; ++i) bytes[i] = 0xFF;
  }
  std::uint8_t bytes[128] = {};
};
inline constexpr Edge kEdge;

// Writes what lies `kAway` bytes further into the slots from first to end - 1, sixteen at once.
// What was there is all read before any of it is written.
template <std::uint32_t kSlots, int kAway>
[[gnu::always_inline]] inline void move_between(std::uint8_t* cells, std::uint32_t first,
                                                std::uint32_t end) {
  constexpr std::uint32_t kBlocks = (kSlots + 15) / 16;
  const std::uint8_t* const from_first = kEdge.bytes + 64 - first;
  const std::uint8_t* const from_end = kEdge.bytes + 64 - end;
  __m128i block[kBlocks];
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const __m128i old = load(cells + 16 * i);
    const __m128i within = _mm_andnot_si128(load(from_end + 16 * i), load(from_first + 16 * i));
    const __m128i change = _mm_and_si128(_mm_xor_si128(old, load(cells + 16 * i + kAway)), within);
    block[i] = _mm_xor_si128(old, change);
  }
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cells + 16 * i), block[i]);
  }
}

}  // namespace cell_order

// The cell of slot `to` comes to `from`, those from there on one slot up. REQUIRES: from <= to.
template <std::uint32_t kSlots>
[[gnu::always_inline]] inline void rotate_up(std::uint8_t* cells, std::uint32_t from,
                                             std::uint32_t to) {
  const std::uint8_t moved = cells[to];
  cell_order::move_between<kSlots, -1>(cells, from + 1, to + 1);
  cells[from] = moved;
}
// The cell of slot `from` comes to `to`, those up to there one slot down. REQUIRES: from <= to.
template <std::uint32_t kSlots>
[[gnu::always_inline]] inline void rotate_down(std::uint8_t* cells, std::uint32_t from,
                                               std::uint32_t to) {
  const std::uint8_t moved = cells[from];
  cell_order::move_between<kSlots, 1>(cells, from, to);
  cells[to] = moved;
}

// The slot that names the cell. REQUIRES: there is one.
template <std::uint32_t kSlots>
std::uint32_t slot_of_cell(const std::uint8_t* cells, std::uint8_t cell) {
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(cell));
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < (kSlots + 15) / 16; ++i) {
    const int same = _mm_movemask_epi8(_mm_cmpeq_epi8(cell_order::load(cells + 16 * i), wanted));
    found |= std::uint64_t{static_cast<std::uint32_t>(same)} << 16 * i;
  }
  return static_cast<std::uint32_t>(std::countr_zero(found));
}

#else

template <std::uint32_t kSlots>
void rotate_up(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[to];
  std::memmove(cells + from + 1, cells + from, to - from);
  cells[from] = moved;
}
template <std::uint32_t kSlots>
void rotate_down(std::uint8_t* cells, std::uint32_t from, std::uint32_t to) {
  const std::uint8_t moved = cells[from];
  std::memmove(cells + from, cells + from + 1, to - from);
  cells[to] = moved;
}
template <std::uint32_t kSlots>
std::uint32_t slot_of_cell(const std::uint8_t* cells, std::uint8_t cell) {
  std::uint32_t slot = 0;
  while (cells[slot] != cell) ++slot;
  return slot;
}

#endif

}  // namespace laurel
