// hash.h - hashes that a stranger who chooses the keys cannot steer, and the randomness behind
// them.
//
//   source   XXH3, Yann Collet: xxHash, xxhash.h. With a secret of random bytes instead of a seed,
//            since collisions of the seeded form are known that hold for every seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace laurel {

// The random part of a keyed hash: drawn once per registry, or fixed by a test.
class HashSecret {
 public:
  static constexpr std::size_t kBytes = 192;

  static HashSecret random();
  // The same secret for the same number: for tests and benchmarks.
  static HashSecret fixed(std::uint64_t number);

  std::uint64_t operator()(std::string_view bytes) const;

 private:
  std::array<std::byte, kBytes> bytes_{};
};

// The same on every machine and for ever: where a stored layout depends on it.
std::uint64_t stable_hash(std::string_view bytes);

// Fills the span from the system's generator; aborts when the system has none.
void fill_random(std::span<std::byte> out);
std::uint64_t random_u64();

}  // namespace laurel
