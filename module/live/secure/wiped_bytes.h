// wiped_bytes.h - bytes of a secret, which are wiped from memory at their end.
//
//   owner    a copy is a secret of its own, and is wiped too.
//   threads  none.
#pragma once

#include <array>
#include <cstddef>
#include <sodium.h>

namespace laurel {

template <std::size_t N>
class WipedBytes {
 public:
  WipedBytes() = default;
  WipedBytes(const WipedBytes&) = default;
  WipedBytes& operator=(const WipedBytes&) = default;
  ~WipedBytes() { sodium_memzero(bytes_.data(), N); }

  unsigned char* data() { return bytes_.data(); }
  const unsigned char* data() const { return bytes_.data(); }
  static constexpr std::size_t size() { return N; }

 private:
  std::array<unsigned char, N> bytes_{};
};

// A key of ChaCha20-Poly1305, or what two sides have in common before a handshake.
using SecretKey = WipedBytes<32>;

}  // namespace laurel
