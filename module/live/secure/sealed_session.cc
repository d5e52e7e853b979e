#include "live/secure/sealed_session.h"

#include <cassert>

#include "base/bytes.h"
#include "live/limits.h"

namespace laurel {

namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kSealTagBytes = NoiseHandshake::kTagBytes;
static_assert(kNumberBytes + kSealTagBytes == kLiveSealBytes);
// The nonces of reasons, after those of the two channels.
constexpr std::uint32_t kReasonSpace = 2;
constexpr int kReasonBits = 8;

std::size_t head_of(Channel channel) { return channel == Channel::reliable ? 0 : kNumberBytes; }

const unsigned char* octets_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::uint32_t tag_of(std::uint32_t reason, const SecretKey& key) {
  std::array<unsigned char, kSealTagBytes> tag{};
  const auto byte = static_cast<unsigned char>(reason);
  crypto_aead_chacha20poly1305_ietf_encrypt(tag.data(), nullptr, nullptr, 0, &byte, 1, nullptr,
                                            noise_nonce(0, kReasonSpace).data(), key.data());
  return tag[0] | static_cast<std::uint32_t>(tag[1]) << 8 |
         static_cast<std::uint32_t>(tag[2]) << 16;
}

}  // namespace

void SealedSession::seal(Channel channel, std::string_view message, std::string& packet) {
  std::uint64_t& number = sent_[static_cast<std::size_t>(channel)];
  assert(number < kSealedPacketsMax);
  const std::size_t head = head_of(channel);
  packet.clear();
  if (head > 0) ByteWriter(packet, head).u64(number);
  packet.resize(head + message.size() + kSealTagBytes);
  crypto_aead_chacha20poly1305_ietf_encrypt(
      reinterpret_cast<unsigned char*>(packet.data()) + head, nullptr, octets_of(message),
      message.size(), nullptr, 0, nullptr,
      noise_nonce(number, static_cast<std::uint32_t>(channel)).data(), keys_.send.data());
  ++number;
}

bool SealedSession::open(Channel channel, std::string_view packet, std::string& message) {
  const std::size_t head = head_of(channel);
  if (packet.size() < head + kSealTagBytes) return false;
  const bool reliable = channel == Channel::reliable;
  const std::uint64_t number = reliable ? received_ : ByteReader(packet).u64();
  if (number >= kSealedPacketsMax || (!reliable && !seen_.is_new(number))) return false;
  packet.remove_prefix(head);
  message.resize(packet.size() - kSealTagBytes);
  if (crypto_aead_chacha20poly1305_ietf_decrypt(
          reinterpret_cast<unsigned char*>(message.data()), nullptr, nullptr, octets_of(packet),
          packet.size(), nullptr, 0,
          noise_nonce(number, static_cast<std::uint32_t>(channel)).data(),
          keys_.receive.data()) != 0) {
    return false;
  }
  if (reliable) {
    ++received_;
  } else {
    seen_.take(number);
  }
  return true;
}

std::uint32_t SealedSession::seal_reason(std::uint32_t reason) const {
  assert(reason < 1U << kReasonBits);
  return reason == 0 ? 0 : reason | tag_of(reason, keys_.send) << kReasonBits;
}

std::uint32_t SealedSession::open_reason(std::uint32_t sealed) const {
  const std::uint32_t reason = sealed & ((1U << kReasonBits) - 1);
  const std::uint32_t tag = tag_of(reason, keys_.receive);
  return reason != 0 && sealed >> kReasonBits == tag ? reason : 0;
}

}  // namespace laurel
