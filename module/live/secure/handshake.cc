#include "live/secure/handshake.h"

#include <algorithm>

#include "base/bytes.h"

namespace laurel {

namespace {

// The first message: kind, the client's versions, and Noise's first message, whose payload is zeros
// up to the message's size.
constexpr std::size_t kFirstHeadBytes = 3;
constexpr std::size_t kPaddingBytes = kFirstBytes - kFirstHeadBytes - NoiseHandshake::kOverhead;
constexpr std::string_view kPrologueLabel = "laurel live channel";
// BLAKE2b's personalization has exactly 16 bytes.
constexpr unsigned char kSharedKeyLabel[] = "laurel live psk";
static_assert(sizeof kSharedKeyLabel == crypto_generichash_blake2b_PERSONALBYTES);

// Both sides must have seen the same versions and the same word.
std::string prologue_of(std::uint32_t word, std::uint8_t version_min, std::uint8_t version_max) {
  std::string prologue(kPrologueLabel);
  ByteWriter out(prologue, kPrologueLabel.size() + 4 + 2);
  out.u32(word);
  out.u8(version_min);
  out.u8(version_max);
  return prologue;
}

}  // namespace

SecretKey shared_key(const Secret& secret) {
  SecretKey key;
  crypto_generichash_blake2b_salt_personal(key.data(), key.size(),
                                           reinterpret_cast<const unsigned char*>(secret.data()),
                                           secret.size(), nullptr, 0, nullptr, kSharedKeyLabel);
  return key;
}

ClientHandshake::ClientHandshake(std::uint32_t word, const Secret& secret, const PublicKey& server,
                                 const KeyPair& ephemeral)
    : noise_(NoiseHandshake::initiator(prologue_of(word, kSealVersionMin, kSealVersionMax),
                                       shared_key(secret), server, ephemeral)) {}

std::optional<std::string> ClientHandshake::first() {
  const std::optional<std::string> noise = noise_.write_first(std::string(kPaddingBytes, '\0'));
  if (!noise) return std::nullopt;
  std::string message;
  ByteWriter out(message, kFirstBytes);
  out.u8(static_cast<std::uint8_t>(kFirstKind));
  out.u8(kSealVersionMin);
  out.u8(kSealVersionMax);
  out.bytes(*noise);
  return message;
}

std::optional<SessionKeys> ClientHandshake::finish(std::string_view second) {
  if (second.size() != kSecondBytes || second[0] != kSecondKind) return std::nullopt;
  const std::optional<std::string> payload = noise_.read_second(second.substr(1));
  if (!payload) return std::nullopt;
  const auto version = static_cast<std::uint8_t>((*payload)[0]);
  if (version < kSealVersionMin || version > kSealVersionMax) return std::nullopt;
  return noise_.keys();
}

bool is_first_message(std::string_view bytes) { return !bytes.empty() && bytes[0] == kFirstKind; }

std::optional<ServerAnswer> answer_to(std::string_view first, std::uint32_t word,
                                      const Secret& secret, const KeyPair& server,
                                      const KeyPair& ephemeral) {
  if (first.size() != kFirstBytes || !is_first_message(first)) return std::nullopt;
  ByteReader in(first);
  in.u8();
  const std::uint8_t version_min = in.u8(), version_max = in.u8();
  const std::uint8_t version = std::min(version_max, kSealVersionMax);
  if (version < std::max(version_min, kSealVersionMin)) return std::nullopt;
  NoiseHandshake noise = NoiseHandshake::responder(prologue_of(word, version_min, version_max),
                                                   shared_key(secret), server, ephemeral);
  const std::optional<std::string> padding = noise.read_first(first.substr(kFirstHeadBytes));
  if (!padding || padding->find_first_not_of('\0') != std::string::npos) return std::nullopt;
  const std::optional<std::string> second =
      noise.write_second(std::string_view(reinterpret_cast<const char*>(&version), 1));
  if (!second) return std::nullopt;
  return ServerAnswer{kSecondKind + *second, noise.keys()};
}

}  // namespace laurel
