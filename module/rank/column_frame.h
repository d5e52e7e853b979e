// column_frame.h - a column of numbers in few bytes each: how many steps they are from a base.
//
//   frame    a base, a step (a power of two) and a width: what lies in so many bytes is counted in
//            steps from the base. Numbers between two steps, below the base or too far from it do
//            not fit, and the column has to be written anew in another frame.
//   order    that of the numbers: columns are searched as they lie.
//   source   frame of reference: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations
//            and Indexes", ICDE 1998
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace laurel {

static_assert(std::endian::native == std::endian::little, "columns are read as little-endian");

// Eight bytes, of which whoever asks keeps those that are the number's.
inline std::uint64_t eight_bytes(const unsigned char* at) {
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

struct ColumnFrame {
  std::uint64_t base = 0;
  std::uint8_t bytes = 1;  // 1 to 8 a number
  std::uint8_t shift = 0;  // steps are 2^shift

  // The most steps that there is room for.
  std::uint64_t most() const {
    return std::numeric_limits<std::uint64_t>::max() >> (64 - 8U * bytes);
  }
  bool fits(std::uint64_t number) const {
    const std::uint64_t steps = (number - base) >> shift;
    return number >= base && steps <= most() && base + (steps << shift) == number;
  }
  // REQUIRES: fits(number).
  std::uint64_t steps(std::uint64_t number) const { return (number - base) >> shift; }
  // The least steps of a number that is not below this one. REQUIRES: number > base.
  std::uint64_t steps_up_to(std::uint64_t number) const {
    return ((number - base - 1) >> shift) + 1;
  }
  std::uint64_t number(std::uint64_t steps) const { return base + (steps << shift); }

  // What lies there, in steps. REQUIRES: eight bytes are readable; of set, writable.
  std::uint64_t at(const unsigned char* place) const { return eight_bytes(place) & most(); }
  void set(unsigned char* place, std::uint64_t steps) const {
    const std::uint64_t all = (eight_bytes(place) & ~most()) | steps;
    std::memcpy(place, &all, sizeof all);
  }
};

// What is to be known of a column's numbers to choose a frame.
class ColumnExtent {
 public:
  explicit ColumnExtent(std::uint64_t first) : first_(first), least_(first), most_(first) {}

  void add(std::uint64_t number) {
    differing_ |= number ^ first_;
    least_ = number < least_ ? number : least_;
    most_ = number > most_ ? number : most_;
  }

  // On which side of these numbers others are expected.
  enum class Growth : std::uint8_t { both, above, below };
  Growth growth_by(std::uint64_t number) const {
    return number > most_ ? Growth::above : number < least_ ? Growth::below : Growth::both;
  }

  // The narrowest frame in which all fit and a quarter of their span more, so that a column does
  // not come from one frame into the next at each turn. What room the width has besides goes to
  // that side, and to finer steps.
  ColumnFrame frame(Growth growth) const;

 private:
  std::uint64_t first_;
  std::uint64_t least_;
  std::uint64_t most_;
  std::uint64_t differing_ = 0;  // the bits in which any differs from the first
};

}  // namespace laurel
