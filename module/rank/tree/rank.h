// rank.h - a rank: a whole number from 1, or, in the fractional mode, one that may end in .5.
//
//   exact      held in halves, so that ranks compare and are added without rounding.
//   0          stands for no rank.
#pragma once

#include <compare>
#include <cstdint>

namespace laurel {

class Rank {
 public:
  constexpr Rank() = default;
  constexpr Rank(std::uint64_t whole) : halves_(2 * whole) {}  // NOLINT: implicit
  // The mean of two positions, which count from 1.
  static constexpr Rank mean(std::uint64_t first, std::uint64_t last) {
    Rank rank;
    rank.halves_ = first + last;
    return rank;
  }

  constexpr bool is_whole() const { return halves_ % 2 == 0; }
  // Without the half.
  constexpr std::uint64_t whole() const { return halves_ / 2; }
  explicit constexpr operator double() const { return 0.5 * static_cast<double>(halves_); }

  friend constexpr bool operator==(Rank, Rank) = default;
  friend constexpr auto operator<=>(Rank, Rank) = default;

 private:
  std::uint64_t halves_ = 0;
};

}  // namespace laurel
