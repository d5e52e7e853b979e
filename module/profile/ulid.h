// ulid.h - ids of 26 characters that sort by time.
//
//   ulid     48 bits of Unix time in milliseconds, then 80 random bits, written in 26 digits of
//            Crockford's base 32, most significant first: the order of bytes is the order of time.
//            Upper case only, since ids in both cases would not sort.
//   1970     is where their time begins: moments before it are written as 0 and stand among
//            themselves in no order of time.
//   random   bits make ids unique, not secret: the next one of the same millisecond can be guessed.
//   threads  one caller at a time.
//   source   https://github.com/ulid/spec, "Monotonicity" included. Differs from it where the
//            random bits of a millisecond run out: ids go on in the next millisecond.
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
  // Fills the span; a test hands in what it can repeat.
  using Randomness = std::function<void(std::span<std::byte>)>;

  explicit Ulids(Randomness random = fill_random) : random_(std::move(random)) {}

  // Sorts behind every id that next made before, also when the clock stands still or goes back: the
  // id before it, counted on by one.
  std::string next(Time now);
  // An id of a moment that somebody names. Among those of one millisecond there is no order.
  std::string of(Time at);

 private:
  struct Bits {
    std::uint64_t high = 0;  // time, and the first 16 of the random bits
    std::uint64_t low = 0;
  };

  static std::string written(Bits bits);
  Bits drawn(std::uint64_t milliseconds);

  Randomness random_;
  std::optional<Bits> last_;  // that next made
};

}  // namespace laurel
