// cell_order.h - the array of a leaf that maps slots to cells: kSlots bytes.
//
//   room     calls read and write back bytes up to a multiple of sixteen, and read one byte more on
//            either side.
//   cost     each call has the same few instructions for any slots, and no branches to mispredict.
//   source   an array of slots instead of moving rows: "Persistent B+-Trees in Non-Volatile Main
//            Memory", S. Chen and Q. Jin, PVLDB 2015
#pragma once

#include <bit>
#include <cstdint>

#include "rank/simd.h"

namespace laurel {

namespace cell_order {

// 64 bytes of zeros, then 64 of ones. Read from n bytes before the middle, they are the mask of the
// slots n and above.
struct Edge {
  constexpr Edge() {
    for (int i = 64; i < 128; ++i) bytes[i] = 0xFF;
  }
  std::uint8_t bytes[128] = {};
};
inline constexpr Edge kEdge;

// Copies the bytes at distance `kAway` to the slots from first to end - 1, sixteen at a time. All
// are read before any is written.
template <std::uint32_t kSlots, int kAway>
[[gnu::always_inline]] inline void move_between(std::uint8_t* cells, std::uint32_t first,
                                                std::uint32_t end) {
  constexpr std::uint32_t kBlocks = (kSlots + 15) / 16;
  const auto load = [](const std::uint8_t* from) { return simd::load<simd::U8x16>(from); };
  const std::uint8_t* const from_first = kEdge.bytes + 64 - first;
  const std::uint8_t* const from_end = kEdge.bytes + 64 - end;
  simd::U8x16 block[kBlocks];
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const simd::U8x16 old = load(cells + 16 * i);
    const simd::U8x16 within = load(from_first + 16 * i) & ~load(from_end + 16 * i);
    block[i] = old ^ ((old ^ load(cells + 16 * i + kAway)) & within);
  }
  for (std::uint32_t i = 0; i < kBlocks; ++i) simd::store(cells + 16 * i, block[i]);
}

}  // namespace cell_order

// Moves the cell of slot `to` to `from`, and the cells between one slot up. REQUIRES: from <= to.
template <std::uint32_t kSlots>
[[gnu::always_inline]] inline void rotate_up(std::uint8_t* cells, std::uint32_t from,
                                             std::uint32_t to) {
  const std::uint8_t moved = cells[to];
  cell_order::move_between<kSlots, -1>(cells, from + 1, to + 1);
  cells[from] = moved;
}
// Moves the cell of slot `from` to `to`, and the cells between one slot down. REQUIRES: from <= to.
template <std::uint32_t kSlots>
[[gnu::always_inline]] inline void rotate_down(std::uint8_t* cells, std::uint32_t from,
                                               std::uint32_t to) {
  const std::uint8_t moved = cells[from];
  cell_order::move_between<kSlots, 1>(cells, from, to);
  cells[to] = moved;
}

// The slot of the cell. REQUIRES: there is one.
template <std::uint32_t kSlots>
std::uint32_t slot_of_cell(const std::uint8_t* cells, std::uint8_t cell) {
  constexpr std::uint32_t kBlocks = (kSlots + 15) / 16;
  const auto wanted = simd::all_lanes<simd::U8x16>(cell);
  simd::Mask8 same[kBlocks];
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    same[i] = simd::load<simd::U8x16>(cells + 16 * i) == wanted;
  }
  return static_cast<std::uint32_t>(std::countr_zero(simd::lane_bits(same)));
}

}  // namespace laurel
