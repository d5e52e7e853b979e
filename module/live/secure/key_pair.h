// key_pair.h - pairs of keys of X25519, with which two sides agree on a secret that no listener
// learns.
//
//   source   RFC 7748, "Elliptic Curves for Security"; libsodium.
//   threads  any; all functions are pure, except that draw_key_pair reads the system's randomness.
#pragma once

#include <optional>

#include "live/auth/token.h"
#include "live/secure/wiped_bytes.h"

namespace laurel {

struct KeyPair {
  SecretKey private_key;
  PublicKey public_key{};
};

KeyPair draw_key_pair();
// The pair that has this private key.
KeyPair key_pair_of(const SecretKey& private_key);

// The secret of the own pair and another's public key; nullopt if the other's key is one of the few
// that make the secret known to all.
std::optional<SecretKey> agreed_secret(const KeyPair& own, const PublicKey& other);

}  // namespace laurel
