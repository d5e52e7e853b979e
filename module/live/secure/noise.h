// noise.h - the handshake Noise_NKpsk0_25519_ChaChaPoly_BLAKE2b of the Noise protocol framework.
//
//   <- s                the initiator knows the responder's public key
//   -> psk, e, es       write_first, read_first
//   <- e, ee            write_second, read_second
//
//   use      an initiator writes the first message and reads the second; a responder reads the
//            first and writes the second. A message that fails to be read ends the handshake: the
//            object may only be destroyed then.
//   keys     are wiped when the object is destroyed.
//   threads  none.
//   cost     two agreements of X25519 for each side, about 40 us each, and one for a pair of keys.
//   source   T. Perrin, "The Noise Protocol Framework", revision 34; its test vectors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "live/secure/key_pair.h"

namespace laurel {

// The keys of a connection, for what this side sends and what it receives.
struct SessionKeys {
  SecretKey send, receive;
};

class NoiseHandshake {
 public:
  static constexpr std::size_t kTagBytes = crypto_aead_chacha20poly1305_ietf_ABYTES;
  // What a message has besides its payload: a public key and a tag.
  static constexpr std::size_t kOverhead = sizeof(PublicKey) + kTagBytes;

  // prologue   what both sides know and must agree on
  // shared     the key that both have from before
  // ephemeral  a pair that is used for this handshake only
  static NoiseHandshake initiator(std::string_view prologue, const SecretKey& shared,
                                  const PublicKey& responder, const KeyPair& ephemeral);
  static NoiseHandshake responder(std::string_view prologue, const SecretKey& shared,
                                  const KeyPair& own, const KeyPair& ephemeral);

  // Each returns nullopt if the other side's key cannot be used, or its message is not authentic;
  // else the message, or its payload.
  std::optional<std::string> write_first(std::string_view payload);
  std::optional<std::string> read_first(std::string_view message);
  std::optional<std::string> write_second(std::string_view payload);
  std::optional<std::string> read_second(std::string_view message);

  // REQUIRES: the second message was written or read.
  SessionKeys keys() const;
  // A hash of the whole handshake, which is the same at both sides.
  std::string_view hash() const {
    return {reinterpret_cast<const char*>(hash_.data()), hash_.size()};
  }

 private:
  static constexpr std::size_t kHashBytes = 64;

  NoiseHandshake(std::string_view prologue, const PublicKey& responder, const KeyPair& ephemeral,
                 bool initiates);

  void mix_hash(std::string_view bytes);
  void mix_key(const unsigned char* bytes, std::size_t size);
  void mix_key_and_hash(const SecretKey& shared);
  void mix_ephemeral(const PublicKey& ephemeral);
  bool agree(const KeyPair& own, const PublicKey& other);
  std::string encrypt(std::string_view payload);
  std::optional<std::string> decrypt(std::string_view sealed);
  std::string begin_message();
  bool read_ephemeral(std::string_view message);

  bool initiates_;
  KeyPair own_;  // a responder's
  PublicKey responder_;
  KeyPair ephemeral_;
  PublicKey other_{};  // the other side's ephemeral key
  SecretKey cipher_;
  std::uint64_t nonce_ = 0;
  WipedBytes<kHashBytes> chaining_, hash_;
};

// The nonce of ChaCha20-Poly1305 as Noise makes it of a number; `space` is 0 in Noise.
std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> noise_nonce(
    std::uint64_t number, std::uint32_t space = 0);

}  // namespace laurel
