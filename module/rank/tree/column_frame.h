// column_frame.h - numbers in a few bytes each, as steps from a base.
//
//   frame    a base, a step (a power of two) and a width in bytes. Numbers between two steps, below
//            the base or too far above it do not fit. The column is then rewritten in another
//            frame.
//   order    steps have the order of the numbers, so columns are searched without decoding.
//   source   frame of reference: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations
//            and Indexes", ICDE 1998
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace laurel {

static_assert(std::endian::native == std::endian::little, "columns are read as little-endian");

// Eight bytes; the caller masks those that do not belong to the number.
inline std::uint64_t eight_bytes(const unsigned char* at) {
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

struct ColumnFrame {
  std::uint64_t base = 0;
  std::uint8_t bytes = 1;  // 1 to 8 per number
  std::uint8_t shift = 0;  // a step is 2^shift

  // The largest number of steps that fits into `bytes`.
  std::uint64_t most() const {
    return std::numeric_limits<std::uint64_t>::max() >> (64 - 8U * bytes);
  }
  bool fits(std::uint64_t number) const {
    const std::uint64_t steps = (number - base) >> shift;
    return number >= base && steps <= most() && base + (steps << shift) == number;
  }
  // REQUIRES: fits(number).
  std::uint64_t steps(std::uint64_t number) const { return (number - base) >> shift; }
  // The steps to the number, rounded up. REQUIRES: number > base.
  std::uint64_t steps_up_to(std::uint64_t number) const {
    return ((number - base - 1) >> shift) + 1;
  }
  std::uint64_t number(std::uint64_t steps) const { return base + (steps << shift); }

  // Reads or writes steps. REQUIRES: eight bytes are readable, for set() also writable.
  std::uint64_t at(const unsigned char* place) const { return eight_bytes(place) & most(); }
  void set(unsigned char* place, std::uint64_t steps) const {
    const std::uint64_t all = (eight_bytes(place) & ~most()) | steps;
    std::memcpy(place, &all, sizeof all);
  }
};

// Collects what determines the frame of a column.
class ColumnExtent {
 public:
  explicit ColumnExtent(std::uint64_t first) : first_(first), least_(first), most_(first) {}

  void add(std::uint64_t number) {
    differing_ |= number ^ first_;
    least_ = number < least_ ? number : least_;
    most_ = number > most_ ? number : most_;
  }

  // The side of these numbers on which further ones are expected.
  enum class Growth : std::uint8_t { both, above, below };
  Growth growth_by(std::uint64_t number) const {
    return number > most_ ? Growth::above : number < least_ ? Growth::below : Growth::both;
  }

  // The narrowest frame for all numbers plus a quarter of their span, so that the column is not
  // rewritten too often. The width's remaining room is used for `growth` and for finer steps.
  ColumnFrame frame(Growth growth) const;

 private:
  std::uint64_t first_;
  std::uint64_t least_;
  std::uint64_t most_;
  std::uint64_t differing_ = 0;  // bits in which any number differs from the first
};

}  // namespace laurel
