// simd.h - vectors of sixteen bytes, with one source for all processors.
//
// g++ and clang have operators for comparisons, &, ^, ~ and + on all processors. They have none
// that narrows the lanes of a mask or extracts a bit of each lane. These two have a version for
// SSE2 (every x86-64), one for NEON (every aarch64) and a portable one. The portable version is
// compiled everywhere, so that tests/rank can compare it with the others.
//
//   cost     lane_bits takes 1 instruction of SSE2 and 5 of NEON for one mask, 7 and 9 for three
//            (g++ 12, -O3). NEON is still worth it: comparing the 12 tags of a bucket in
//            player_index.h takes 11 instructions with it, and 37 one by one.
//   SHRN     NEON's SHRN would return four bits a lane, with 3 instructions fewer for one mask. But
//            the 64 lanes of a node search would then need four words instead of one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace laurel::simd {

using U8x16 [[gnu::vector_size(16)]] = std::uint8_t;
using I8x16 [[gnu::vector_size(16)]] = std::int8_t;
using U32x4 [[gnu::vector_size(16)]] = std::uint32_t;
using U16x8 [[gnu::vector_size(16)]] = std::uint16_t;
using I32x4 [[gnu::vector_size(16)]] = std::int32_t;

// The result of a comparison: in each lane all bits or none.
using Mask8 = decltype(std::declval<U8x16>() == std::declval<U8x16>());
using Mask16 = decltype(std::declval<U16x8>() == std::declval<U16x8>());
using Mask32 = decltype(std::declval<U32x4>() == std::declval<U32x4>());

// Loads from any address.
template <typename Vector>
[[gnu::always_inline]] inline Vector load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <typename Vector>
[[gnu::always_inline]] inline void store(void* to, Vector vector) {
  std::memcpy(to, &vector, sizeof vector);
}

// The number in every lane.
template <typename Vector, typename Number>
[[gnu::always_inline]] inline Vector all_lanes(Number number) {
  return Vector{} + number;
}

[[gnu::always_inline]] inline std::uint32_t sum_of_lanes(U32x4 vector) {
  vector += __builtin_shufflevector(vector, vector, 2, 3, 0, 1);
  vector += __builtin_shufflevector(vector, vector, 1, 0, 3, 2);
  return vector[0];
}

namespace portable {

// Takes one half of each lane, since all bits of a lane are equal.
inline Mask16 narrow(Mask32 first, Mask32 second) {
  return __builtin_shufflevector(std::bit_cast<Mask16>(first), std::bit_cast<Mask16>(second),  //
                                 0, 2, 4, 6, 8, 10, 12, 14);
}
inline Mask8 narrow(Mask16 first, Mask16 second) {
  return __builtin_shufflevector(std::bit_cast<Mask8>(first), std::bit_cast<Mask8>(second),  //
                                 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

template <std::size_t kMasks>
std::uint64_t lane_bits(const Mask8 (&masks)[kMasks]) {
  static_assert(kMasks <= 4);
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < 16 * kMasks; ++lane) {
    bits |= static_cast<std::uint64_t>(masks[lane / 16][lane % 16] != 0) << lane;
  }
  return bits;
}

}  // namespace portable

#if defined(__SSE2__)

[[gnu::always_inline]] inline Mask16 narrow(Mask32 first, Mask32 second) {
  return std::bit_cast<Mask16>(
      _mm_packs_epi32(std::bit_cast<__m128i>(first), std::bit_cast<__m128i>(second)));
}
[[gnu::always_inline]] inline Mask8 narrow(Mask16 first, Mask16 second) {
  return std::bit_cast<Mask8>(
      _mm_packs_epi16(std::bit_cast<__m128i>(first), std::bit_cast<__m128i>(second)));
}

template <std::size_t kMasks>
[[gnu::always_inline]] inline std::uint64_t lane_bits(const Mask8 (&masks)[kMasks]) {
  static_assert(kMasks <= 4);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kMasks; ++i) {
    const auto sixteen =
        static_cast<std::uint32_t>(_mm_movemask_epi8(std::bit_cast<__m128i>(masks[i])));
    bits |= std::uint64_t{sixteen} << 16 * i;
  }
  return bits;
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

using portable::narrow;  // one instruction: UZP1

// Each lane keeps the bit of its index modulo eight. Adding neighbours three times then makes one
// byte of every eight lanes.
template <std::size_t kMasks>
[[gnu::always_inline]] inline std::uint64_t lane_bits(const Mask8 (&masks)[kMasks]) {
  static_assert(kMasks <= 4);
  constexpr U8x16 kPlaces = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const auto placed = [&](std::size_t i) {
    return std::bit_cast<uint8x16_t>(std::bit_cast<U8x16>(masks[i % kMasks]) & kPlaces);
  };
  const uint8x16_t low = vpaddq_u8(placed(0), placed(1));
  const uint8x16_t high = kMasks > 2 ? vpaddq_u8(placed(2), placed(3)) : low;
  const uint8x16_t fours = vpaddq_u8(low, high);
  const uint8x16_t eights = vpaddq_u8(fours, fours);
  const std::uint64_t bits = vgetq_lane_u64(vreinterpretq_u64_u8(eights), 0);
  return kMasks < 4 ? bits & ((std::uint64_t{1} << 16 * kMasks % 64) - 1) : bits;
}

#else

using portable::lane_bits;
using portable::narrow;

#endif

// One bit for each lane of up to four masks; the first lane is the lowest bit.
[[gnu::always_inline]] inline std::uint32_t lane_bits(Mask8 mask) {
  const Mask8 masks[] = {mask};
  return static_cast<std::uint32_t>(lane_bits(masks));
}

}  // namespace laurel::simd
