// id_hash.h - the hash that stands for a result's id after the result was accepted.
#pragma once

#include <cstdint>

namespace laurel {

// 96 bits of a keyed hash of 128. If an id had the hash of another one, its result would be taken
// for a repeated one: with a million ids, one in 10^22 results.
struct IdHash {
  std::uint64_t low = 0;
  std::uint32_t high = 0;

  friend bool operator==(const IdHash&, const IdHash&) = default;
};

}  // namespace laurel
