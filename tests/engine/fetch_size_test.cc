#include "engine/sharded/fetch_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

struct Case {
  std::size_t n;
  std::size_t shards;
  std::size_t each;
  double miss;
};

// True if both are equal within half a unit of the last given digit.
bool to_digits(double value, double expected, int digits) {
  const double unit = std::pow(10, std::floor(std::log10(expected)) - (digits - 1));
  return std::abs(value - expected) <= unit / 2;
}

// The definition: counts all placements of n rows on the shards.
double miss_by_counting(std::size_t n, std::size_t shards, std::size_t each) {
  std::size_t placements = 1;
  for (std::size_t i = 0; i < n; ++i) placements *= shards;
  std::size_t missed = 0;
  for (std::size_t placement = 0; placement < placements; ++placement) {
    std::vector<std::size_t> held(shards);
    for (std::size_t i = 0, rest = placement; i < n; ++i, rest /= shards) ++held[rest % shards];
    missed += *std::max_element(held.begin(), held.end()) > each ? 1 : 0;
  }
  return static_cast<double>(missed) / static_cast<double>(placements);
}

}  // namespace

TEST_CASE("S1-9a: the probability to miss one of the best n is exact") {
  CHECK(miss_probability(1000, 10, 100) == doctest::Approx(1).epsilon(1e-6));
  for (const Case& known :
       {Case{1000, 10, 110, 0.850}, Case{1000, 10, 120, 0.167}, Case{1000, 10, 125, 0.0450},
        Case{1000, 10, 130, 9.69e-3}, Case{1000, 10, 137, 7.97e-4}, Case{1000, 10, 140, 2.42e-4},
        Case{1000, 10, 145, 2.85e-5}, Case{1000, 10, 153, 6.26e-7}, Case{10, 4, 5, 0.0789},
        Case{10, 4, 6, 0.0140}, Case{10, 4, 7, 1.66e-3}, Case{10, 4, 8, 1.18e-4},
        Case{100, 10, 20, 8.07e-3}, Case{100, 10, 23, 3.96e-4}}) {
    CAPTURE(known.n);
    CAPTURE(known.each);
    const double miss = miss_probability(known.n, known.shards, known.each);
    CAPTURE(miss);
    CHECK(to_digits(miss, known.miss, 3));
  }
  CHECK(to_digits(miss_probability(1000, 10, 165), 8.4e-10, 2));
  CHECK(to_digits(miss_probability(10, 4, 9), 3.8e-6, 2));
  CHECK(to_digits(miss_probability(100, 10, 28), 9.4e-7, 2));
  CHECK(miss_probability(3, 3, 1) == doctest::Approx(7.0 / 9).epsilon(1e-12));
  CHECK(miss_probability(3, 3, 2) == doctest::Approx(1.0 / 9).epsilon(1e-12));
  CHECK(miss_probability(3, 3, 3) == 0);
}

TEST_CASE("the probability to miss matches a count of all placements") {
  for (const std::size_t shards : {1U, 2U, 3U, 5U}) {
    for (std::size_t n = 0; n <= 7; ++n) {
      for (std::size_t each = 0; each <= n + 1; ++each) {
        CAPTURE(shards);
        CAPTURE(n);
        CAPTURE(each);
        const double counted = miss_by_counting(n, shards, each);
        CHECK(std::abs(miss_probability(n, shards, each) - counted) < 1e-12);
      }
    }
  }
}

TEST_CASE("S1-9a: fetch_size returns the known sizes") {
  constexpr std::array<std::size_t, 7> kShards = {2, 4, 8, 10, 16, 32, 64};
  struct Sizes {
    std::size_t n;
    std::array<std::array<std::size_t, 3>, 7> of;  // for probabilities to miss of 1e-3, 1e-6, 1e-9
  };
  constexpr Sizes kSizes[] = {
      {10, {{{10, 10, 10}, {8, 10, 10}, {6, 8, 10}, {6, 8, 10}, {5, 7, 9}, {4, 6, 8}, {3, 5, 7}}}},
      {50,
       {{{36, 42, 45},
         {24, 29, 33},
         {16, 21, 25},
         {14, 19, 22},
         {11, 15, 18},
         {8, 12, 14},
         {6, 9, 11}}}},
      {100,
       {{{66, 74, 80},
         {41, 48, 54},
         {26, 32, 37},
         {23, 28, 33},
         {17, 22, 27},
         {12, 16, 20},
         {9, 12, 15}}}},
      {500,
       {{{287, 304, 318},
         {160, 175, 188},
         {91, 104, 114},
         {77, 88, 97},
         {54, 63, 71},
         {33, 41, 47},
         {22, 27, 32}}}},
      {1000,
       {{{552, 577, 596},
         {299, 321, 338},
         {165, 182, 196},
         {137, 153, 165},
         {94, 107, 117},
         {55, 65, 73},
         {34, 42, 48}}}},
  };
  for (const Sizes& sizes : kSizes) {
    for (std::size_t i = 0; i < kShards.size(); ++i) {
      CAPTURE(sizes.n);
      CAPTURE(kShards[i]);
      CHECK(fetch_size(sizes.n, kShards[i], 1 - 1e-3) == sizes.of[i][0]);
      CHECK(fetch_size(sizes.n, kShards[i], 1 - 1e-6) == sizes.of[i][1]);
      CHECK(fetch_size(sizes.n, kShards[i], 1 - 1e-9) == sizes.of[i][2]);
    }
  }
  for (const double miss : {0.111, 0.05, 1e-3, 1e-9, 1e-15}) {
    CHECK(fetch_size(3, 3, 1 - miss) == 3);
  }
  CHECK(fetch_size(3, 3, 1 - 0.112) == 2);
}

TEST_CASE("fetch_size is the smallest size that reaches the confidence") {
  for (const std::size_t shards : {2U, 7U, 64U, 1024U}) {
    for (const std::size_t n : {1U, 5U, 64U, 300U, 1000U}) {
      for (const double confidence : {1e-6, 0.1, 0.5, 0.9, 0.99, 0.99999}) {
        CAPTURE(shards);
        CAPTURE(n);
        CAPTURE(confidence);
        const std::size_t each = fetch_size(n, shards, confidence);
        CHECK(miss_probability(n, shards, each) <= 1 - confidence + 1e-12);
        CHECK(miss_probability(n, shards, each - 1) > 1 - confidence - 1e-12);
      }
    }
  }
}

TEST_CASE("fetch_size is correct at the limits of its arguments") {
  for (const double confidence : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
    CHECK(fetch_size(0, 8, confidence) == 0);
    CHECK(fetch_size(100, 1, confidence) == 100);
    CHECK(fetch_size(1, 1024, confidence) == 1);
  }
  CHECK(fetch_size(1001, 10, 0) == 101);
  CHECK(fetch_size(1000, 10, -1) == 100);
  CHECK(fetch_size(1000, 10, 1) == 1000);
  CHECK(fetch_size(1000, 10, 7) == 1000);
  CHECK(fetch_size(1000, 10, std::nan("")) == 1000);
}

TEST_CASE("fetch_size increases with n and with the confidence") {
  for (const std::size_t shards : {2U, 10U, 100U, 1024U}) {
    CAPTURE(shards);
    for (const double confidence : {0.01, 0.5, 0.999, 1 - 1e-9}) {
      CAPTURE(confidence);
      std::size_t last = 0;
      for (std::size_t n = 0; n < 120'000; n += n < 50 ? 1 : n < 1100 ? 37 : n / 7) {
        CAPTURE(n);
        const std::size_t each = fetch_size(n, shards, confidence);
        CHECK(each >= last);
        CHECK(each <= n);
        last = each;
      }
    }
    for (const std::size_t n : {10U, 1000U, 1001U, 100'000U}) {
      CAPTURE(n);
      std::size_t last = 0;
      for (const double confidence : {0.0, 0.001, 0.2, 0.6, 0.9, 0.99, 0.9999, 1 - 1e-8, 1.0}) {
        const std::size_t each = fetch_size(n, shards, confidence);
        CHECK(each >= last);
        last = each;
      }
    }
  }
}

TEST_CASE("for n above 1,000 the bound is on the safe side and close") {
  const std::size_t exact = fetch_size(1000, 10, 0.999);
  const std::size_t bound = fetch_size(1001, 10, 0.999);
  CHECK(bound >= exact);
  CHECK(bound <= exact + 1);
  // Chernoff's bound would read 3 to 5 % more rows than needed.
  const std::size_t each = fetch_size(100'000, 10, 1 - 1e-6);
  CHECK(each > 10'000 + 4 * 95);
  CHECK(each < 10'000 + 6 * 95);
}

TEST_CASE("S1-9b: random placements miss as often as computed") {
  const std::uint64_t seed = 1;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  constexpr int kPlacements = 20'000;
  int missed = 0;
  for (int placement = 0; placement < kPlacements; ++placement) {
    std::array<int, 4> held{};
    for (int i = 0; i < 10; ++i) ++held[random() % 4];
    missed += *std::max_element(held.begin(), held.end()) > 5 ? 1 : 0;
  }
  const double frequency = static_cast<double>(missed) / kPlacements;
  CHECK(std::abs(frequency - 0.0789) < 0.006);
  CHECK(std::abs(frequency - miss_probability(10, 4, 5)) < 0.006);
}

}  // namespace laurel
