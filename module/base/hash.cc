#include "base/hash.h"

#include <cstdio>
#include <cstdlib>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace laurel {

static_assert(HashSecret::kBytes >= XXH3_SECRET_SIZE_MIN);

HashSecret HashSecret::random() {
  HashSecret secret;
  fill_random(secret.bytes_);
  return secret;
}

HashSecret HashSecret::fixed(std::uint64_t number) {
  return from(std::as_bytes(std::span(&number, 1)));
}

HashSecret HashSecret::from(std::span<const std::byte> seed) {
  HashSecret secret;
  XXH3_generateSecret(secret.bytes_.data(), kBytes, seed.data(), seed.size());
  return secret;
}

std::uint64_t HashSecret::operator()(std::string_view bytes) const {
  return XXH3_64bits_withSecret(bytes.data(), bytes.size(), bytes_.data(), kBytes);
}

Hash128 HashSecret::wide(std::string_view bytes) const {
  const XXH128_hash_t hash =
      XXH3_128bits_withSecret(bytes.data(), bytes.size(), bytes_.data(), kBytes);
  return {hash.low64, hash.high64};
}

std::uint64_t stable_hash(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void fill_random(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got <= 0) {
      std::fputs("laurel: getrandom failed\n", stderr);
      std::abort();
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t random_u64() {
  std::uint64_t value = 0;
  fill_random(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace laurel
