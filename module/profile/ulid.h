// ulid.h - ids of 26 characters that sort by time.
//
//   ulid     48 bits of Unix time in milliseconds, then 80 random bits, as 26 digits of Crockford's
//            base 32, most significant first: the order of bytes is the order of time. Only upper
//            case, because ids in both cases would not sort.
//   1970     the first possible time. Earlier times are written as 0 and are not in order of time.
//   random   bits make ids unique, not secret: the next id of the same millisecond can be guessed.
//   threads  one caller at a time.
//   source   https://github.com/ulid/spec, including "Monotonicity". Difference: if the random bits
//            of a millisecond overflow, ids continue in the next millisecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/time.h"

namespace laurel {

inline constexpr std::size_t kUlidBytes = 26;

bool is_ulid(std::string_view text);

class Ulids {
 public:
  // Fills the span. Tests pass a repeatable generator.
  using Randomness = std::function<void(std::span<std::byte>)>;

  explicit Ulids(Randomness random = fill_random) : random_(std::move(random)) {}

  // An id that sorts behind all earlier results of next(). If the clock has not advanced, it is the
  // last id plus one.
  std::string next(Time now);
  // An id with a given time. Ids of the same millisecond are in random order.
  std::string of(Time at);

 private:
  struct Bits {
    std::uint64_t high = 0;  // the time and the first 16 random bits
    std::uint64_t low = 0;
  };

  static std::string written(Bits bits);
  Bits drawn(std::uint64_t milliseconds);

  Randomness random_;
  std::optional<Bits> last_;  // the last result of next()
};

}  // namespace laurel
