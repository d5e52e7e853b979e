// members.h - the players of benchmarks: any number of them, each with a short id that looks
// random.
#pragma once

#include <cstdint>
#include <string_view>

namespace laurel {

// The id of a number. It is computed, because a lookup in a table of ids would cost the cache miss
// that is to be measured.
struct Id {
  static constexpr std::size_t kBytes = 12;

  explicit Id(std::uint64_t number) {
    std::uint64_t bits = number * 0x9E3779B97F4A7C15U;
    for (char& letter : letters) {
      letter = "0123456789abcdefghijklmnopqrstuv"[bits >> 59];
      bits <<= 5;
    }
  }
  operator std::string_view() const { return {letters, kBytes}; }
  char letters[kBytes];
};

// The i-th of `count` ids in byte order.
struct OrderedId {
  OrderedId(std::uint64_t i, std::uint64_t count) {
    std::uint64_t bits = i * (~std::uint64_t{0} / count);
    for (char& letter : letters) {
      letter = "0123456789abcdefghijklmnopqrstuv"[bits >> 59];
      bits <<= 5;
    }
  }
  operator std::string_view() const { return {letters, Id::kBytes}; }
  char letters[Id::kBytes];
};

}  // namespace laurel
