// hash.h - keyed hashes that resist chosen keys, and random bytes from the system.
//
//   source   XXH3, Yann Collet: xxHash, xxhash.h. It is used with a random secret instead of a
//            seed, because the seeded form has known collisions that hold for every seed.
//   threads  any: a secret does not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace laurel {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// The key of a keyed hash: random for each registry, or fixed by a test.
class HashSecret {
 public:
  static constexpr std::size_t kBytes = 192;

  static HashSecret random();
  // The same secret for the same number. For tests and benchmarks.
  static HashSecret fixed(std::uint64_t number);
  // The same secret for the same random bytes.
  static HashSecret from(std::span<const std::byte> seed);

  std::uint64_t operator()(std::string_view bytes) const;
  Hash128 wide(std::string_view bytes) const;

 private:
  std::array<std::byte, kBytes> bytes_{};
};

// A hash that never changes and is equal on every machine. Stored layouts depend on it.
std::uint64_t stable_hash(std::string_view bytes);

// Fills the span from the system's generator. Aborts if the generator fails.
void fill_random(std::span<std::byte> out);
std::uint64_t random_u64();

}  // namespace laurel
