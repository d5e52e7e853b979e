#include "rank/simd.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <doctest/doctest.h>

namespace laurel {

namespace {

constexpr int kRounds = 2'000;

std::mt19937_64& random_source() {
  static std::mt19937_64 source(1);
  return source;
}

// A mask like the result of a comparison: in each lane all bits or none.
template <typename Mask>
Mask any_mask() {
  Mask mask{};
  for (std::size_t lane = 0; lane < sizeof mask / sizeof mask[0]; ++lane) {
    if (random_source()() % 2 != 0) mask[lane] = -1;
  }
  return mask;
}

// The expected result, computed lane by lane.
template <typename Mask>
std::uint64_t expected_bits(Mask mask) {
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < sizeof mask / sizeof mask[0]; ++lane) {
    if (mask[lane] != 0) bits |= std::uint64_t{1} << lane;
  }
  return bits;
}

template <std::size_t kMasks>
void bits_of_masks() {
  for (int round = 0; round < kRounds; ++round) {
    simd::Mask8 masks[kMasks];
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < kMasks; ++i) {
      masks[i] = any_mask<simd::Mask8>();
      expected |= expected_bits(masks[i]) << 16 * i;
    }
    REQUIRE(simd::lane_bits(masks) == expected);
    REQUIRE(simd::portable::lane_bits(masks) == expected);
  }
}

template <typename Wide>
void narrowing() {
  constexpr std::size_t kLanes = sizeof(Wide) / sizeof(Wide{}[0]);
  for (int round = 0; round < kRounds; ++round) {
    const Wide first = any_mask<Wide>();
    const Wide second = any_mask<Wide>();
    const std::uint64_t expected = expected_bits(first) | expected_bits(second) << kLanes;
    REQUIRE(expected_bits(simd::narrow(first, second)) == expected);
    REQUIRE(expected_bits(simd::portable::narrow(first, second)) == expected);
  }
}

template <typename Vector>
bool same_bytes(Vector first, Vector second) {
  return std::memcmp(&first, &second, sizeof first) == 0;
}

}  // namespace

TEST_CASE("lane_bits returns one bit for each lane, also in the portable version") {
  bits_of_masks<1>();
  bits_of_masks<2>();
  bits_of_masks<3>();
  bits_of_masks<4>();
  for (int round = 0; round < kRounds; ++round) {
    const auto mask = any_mask<simd::Mask8>();
    REQUIRE(simd::lane_bits(mask) == expected_bits(mask));
  }
}

TEST_CASE("narrow keeps each lane, also in the portable version") {
  narrowing<simd::Mask32>();
  narrowing<simd::Mask16>();
}

TEST_CASE("vectors are loaded from and stored to any address") {
  unsigned char bytes[32];
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random_source()());
  for (std::size_t from = 0; from < 16; ++from) {
    unsigned char copy[32] = {};
    simd::store(copy + 15 - from, simd::load<simd::U8x16>(bytes + from));
    CHECK(std::memcmp(copy + 15 - from, bytes + from, 16) == 0);
    CHECK(std::count(copy, copy + 15 - from, 0) == static_cast<std::ptrdiff_t>(15 - from));
    CHECK(std::count(copy + 31 - from, copy + 32, 0) == static_cast<std::ptrdiff_t>(from + 1));
  }
}

TEST_CASE("all_lanes sets every lane, and sum_of_lanes wraps") {
  CHECK(same_bytes(simd::all_lanes<simd::I32x4>(-7), simd::I32x4{-7, -7, -7, -7}));
  for (int round = 0; round < kRounds; ++round) {
    const auto number = static_cast<std::uint32_t>(random_source()());
    const simd::U32x4 lanes = {number, 1, static_cast<std::uint32_t>(random_source()()), 3};
    REQUIRE(simd::sum_of_lanes(lanes) == lanes[0] + lanes[1] + lanes[2] + lanes[3]);
    REQUIRE(simd::sum_of_lanes(simd::all_lanes<simd::U32x4>(number)) == 4 * number);
  }
}

}  // namespace laurel
