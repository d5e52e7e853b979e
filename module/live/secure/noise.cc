#include "live/secure/noise.h"

#include <cassert>
#include <cstring>

namespace laurel {

namespace {

constexpr std::string_view kProtocol = "Noise_NKpsk0_25519_ChaChaPoly_BLAKE2b";
constexpr std::size_t kNoiseHashBytes = crypto_generichash_blake2b_BYTES_MAX;
constexpr std::size_t kBlockBytes = 128;  // of BLAKE2b
using Digest = WipedBytes<kNoiseHashBytes>;

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view text_of_key(const PublicKey& key) { return {key.data(), key.size()}; }

// source: RFC 2104, with BLAKE2b as its hash. REQUIRES: the key is not longer than a block.
Digest hmac(const unsigned char* key, std::size_t key_size, const unsigned char* bytes,
            std::size_t size) {
  assert(key_size <= kBlockBytes);
  WipedBytes<kBlockBytes> inner, outer;
  std::memset(inner.data(), 0x36, kBlockBytes);
  std::memset(outer.data(), 0x5c, kBlockBytes);
  for (std::size_t i = 0; i < key_size; ++i) {
    inner.data()[i] = static_cast<unsigned char>(inner.data()[i] ^ key[i]);
    outer.data()[i] = static_cast<unsigned char>(outer.data()[i] ^ key[i]);
  }
  Digest digest;
  crypto_generichash_blake2b_state state;
  crypto_generichash_blake2b_init(&state, nullptr, 0, kNoiseHashBytes);
  crypto_generichash_blake2b_update(&state, inner.data(), kBlockBytes);
  crypto_generichash_blake2b_update(&state, bytes, size);
  crypto_generichash_blake2b_final(&state, digest.data(), kNoiseHashBytes);
  crypto_generichash_blake2b_init(&state, nullptr, 0, kNoiseHashBytes);
  crypto_generichash_blake2b_update(&state, outer.data(), kBlockBytes);
  crypto_generichash_blake2b_update(&state, digest.data(), kNoiseHashBytes);
  crypto_generichash_blake2b_final(&state, digest.data(), kNoiseHashBytes);
  sodium_memzero(&state, sizeof state);
  return digest;
}

// source: RFC 5869, in the form of Noise: up to three outputs.
std::array<Digest, 3> derive(const Digest& chaining, const unsigned char* input,
                             std::size_t input_size) {
  const Digest extracted = hmac(chaining.data(), kNoiseHashBytes, input, input_size);
  std::array<Digest, 3> outputs;
  WipedBytes<kNoiseHashBytes + 1> block;
  std::size_t before = 0;  // bytes of the output before
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    block.data()[before] = static_cast<unsigned char>(i + 1);
    outputs[i] = hmac(extracted.data(), kNoiseHashBytes, block.data(), before + 1);
    std::memcpy(block.data(), outputs[i].data(), kNoiseHashBytes);
    before = kNoiseHashBytes;
  }
  return outputs;
}

SecretKey key_of(const Digest& digest) {
  SecretKey key;
  std::memcpy(key.data(), digest.data(), key.size());
  return key;
}

}  // namespace

std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> noise_nonce(
    std::uint64_t number, std::uint32_t space) {
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> nonce{};
  for (std::size_t i = 0; i < 4; ++i) nonce[i] = static_cast<unsigned char>(space >> 8 * i);
  for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<unsigned char>(number >> 8 * i);
  return nonce;
}

NoiseHandshake::NoiseHandshake(std::string_view prologue, const PublicKey& responder,
                               const KeyPair& ephemeral, bool initiates)
    : initiates_(initiates), responder_(responder), ephemeral_(ephemeral) {
  static_assert(kHashBytes == kNoiseHashBytes && kProtocol.size() <= kHashBytes);
  std::memcpy(hash_.data(), kProtocol.data(), kProtocol.size());
  chaining_ = hash_;
  mix_hash(prologue);
  mix_hash(text_of_key(responder_));
}

NoiseHandshake NoiseHandshake::initiator(std::string_view prologue, const SecretKey& shared,
                                         const PublicKey& responder, const KeyPair& ephemeral) {
  NoiseHandshake made(prologue, responder, ephemeral, true);
  made.mix_key_and_hash(shared);
  return made;
}

NoiseHandshake NoiseHandshake::responder(std::string_view prologue, const SecretKey& shared,
                                         const KeyPair& own, const KeyPair& ephemeral) {
  NoiseHandshake made(prologue, own.public_key, ephemeral, false);
  made.own_ = own;
  made.mix_key_and_hash(shared);
  return made;
}

void NoiseHandshake::mix_hash(std::string_view bytes) {
  crypto_generichash_blake2b_state state;
  crypto_generichash_blake2b_init(&state, nullptr, 0, kNoiseHashBytes);
  crypto_generichash_blake2b_update(&state, hash_.data(), kHashBytes);
  crypto_generichash_blake2b_update(&state, octets(bytes), bytes.size());
  crypto_generichash_blake2b_final(&state, hash_.data(), kNoiseHashBytes);
}

void NoiseHandshake::mix_key(const unsigned char* bytes, std::size_t size) {
  const std::array<Digest, 3> derived = derive(chaining_, bytes, size);
  chaining_ = derived[0];
  cipher_ = key_of(derived[1]);
  nonce_ = 0;
}

void NoiseHandshake::mix_key_and_hash(const SecretKey& shared) {
  const std::array<Digest, 3> derived = derive(chaining_, shared.data(), shared.size());
  chaining_ = derived[0];
  mix_hash({reinterpret_cast<const char*>(derived[1].data()), kHashBytes});
  cipher_ = key_of(derived[2]);
  nonce_ = 0;
}

// An ephemeral key is mixed into the keys too, because there is a key from before (psk).
void NoiseHandshake::mix_ephemeral(const PublicKey& ephemeral) {
  mix_hash(text_of_key(ephemeral));
  mix_key(octets(text_of_key(ephemeral)), ephemeral.size());
}

bool NoiseHandshake::agree(const KeyPair& own, const PublicKey& other) {
  const std::optional<SecretKey> secret = agreed_secret(own, other);
  if (secret) mix_key(secret->data(), secret->size());
  return secret.has_value();
}

std::string NoiseHandshake::encrypt(std::string_view payload) {
  std::string sealed(payload.size() + kTagBytes, '\0');
  crypto_aead_chacha20poly1305_ietf_encrypt(
      reinterpret_cast<unsigned char*>(sealed.data()), nullptr, octets(payload), payload.size(),
      hash_.data(), kHashBytes, nullptr, noise_nonce(nonce_++).data(), cipher_.data());
  mix_hash(sealed);
  return sealed;
}

std::optional<std::string> NoiseHandshake::decrypt(std::string_view sealed) {
  if (sealed.size() < kTagBytes) return std::nullopt;
  std::string payload(sealed.size() - kTagBytes, '\0');
  if (crypto_aead_chacha20poly1305_ietf_decrypt(
          reinterpret_cast<unsigned char*>(payload.data()), nullptr, nullptr, octets(sealed),
          sealed.size(), hash_.data(), kHashBytes, noise_nonce(nonce_++).data(),
          cipher_.data()) != 0) {
    return std::nullopt;
  }
  mix_hash(sealed);
  return payload;
}

std::string NoiseHandshake::begin_message() {
  mix_ephemeral(ephemeral_.public_key);
  return std::string(text_of_key(ephemeral_.public_key));
}

bool NoiseHandshake::read_ephemeral(std::string_view message) {
  if (message.size() < kOverhead) return false;
  std::memcpy(other_.data(), message.data(), other_.size());
  mix_ephemeral(other_);
  return true;
}

std::optional<std::string> NoiseHandshake::write_first(std::string_view payload) {
  assert(initiates_);
  std::string message = begin_message();
  if (!agree(ephemeral_, responder_)) return std::nullopt;
  return message + encrypt(payload);
}

std::optional<std::string> NoiseHandshake::read_first(std::string_view message) {
  assert(!initiates_);
  if (!read_ephemeral(message) || !agree(own_, other_)) return std::nullopt;
  return decrypt(message.substr(other_.size()));
}

std::optional<std::string> NoiseHandshake::write_second(std::string_view payload) {
  assert(!initiates_);
  std::string message = begin_message();
  if (!agree(ephemeral_, other_)) return std::nullopt;
  return message + encrypt(payload);
}

std::optional<std::string> NoiseHandshake::read_second(std::string_view message) {
  assert(initiates_);
  if (!read_ephemeral(message) || !agree(ephemeral_, other_)) return std::nullopt;
  return decrypt(message.substr(other_.size()));
}

SessionKeys NoiseHandshake::keys() const {
  const std::array<Digest, 3> derived = derive(chaining_, nullptr, 0);
  const SecretKey from_initiator = key_of(derived[0]), from_responder = key_of(derived[1]);
  return initiates_ ? SessionKeys{from_initiator, from_responder}
                    : SessionKeys{from_responder, from_initiator};
}

}  // namespace laurel
