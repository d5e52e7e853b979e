#include "live/secure/key_pair.h"

#include <cstring>
#include <span>

#include "base/hash.h"

namespace laurel {

namespace {

// Chooses the fastest code that the processor has. Without it libsodium works too.
void prepare_sodium() {
  static const int prepared = sodium_init();
  (void)prepared;
}

}  // namespace

KeyPair draw_key_pair() {
  SecretKey drawn;
  fill_random(std::as_writable_bytes(std::span(drawn.data(), drawn.size())));
  return key_pair_of(drawn);
}

KeyPair key_pair_of(const SecretKey& private_key) {
  prepare_sodium();
  KeyPair pair;
  pair.private_key = private_key;
  static_assert(sizeof pair.public_key == crypto_scalarmult_curve25519_BYTES);
  crypto_scalarmult_curve25519_base(reinterpret_cast<unsigned char*>(pair.public_key.data()),
                                    private_key.data());
  return pair;
}

std::optional<SecretKey> agreed_secret(const KeyPair& own, const PublicKey& other) {
  SecretKey secret;
  if (crypto_scalarmult_curve25519(secret.data(), own.private_key.data(),
                                   reinterpret_cast<const unsigned char*>(other.data())) != 0) {
    return std::nullopt;
  }
  return secret;
}

}  // namespace laurel
