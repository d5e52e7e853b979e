// sealed_session.h - encrypts and authenticates the messages of one connection, with the keys of
// its handshake.
//
//   packet   of the reliable channel: the encrypted message and a tag. Both sides count, so that a
//            packet that is lost, repeated or out of order is not authentic.
//            A packet of the unsequenced channel has its number, the encrypted message, and a tag.
//            Packets may be lost and come in any order; each is taken once.
//   nonce    the channel and the number, so no nonce is used twice with a key. A side sends at most
//            kSealedPacketsMax packets on a channel: more than a connection ever does.
//   keys     are wiped when the session is destroyed.
//   threads  none.
//   cost     about a microsecond a packet of 200 bytes.
//   source   RFC 8439, "ChaCha20 and Poly1305 for IETF Protocols"; libsodium. The packets of the
//            reliable channel are Noise's transport messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "live/secure/noise.h"
#include "live/secure/replay_window.h"
#include "live/wire/wire.h"

namespace laurel {

inline constexpr std::uint64_t kSealedPacketsMax = std::uint64_t{1} << 60;

class SealedSession {
 public:
  explicit SealedSession(const SessionKeys& keys) : keys_(keys) {}

  // Writes the packet of a message to `packet`, in place of what it held.
  void seal(Channel channel, std::string_view message, std::string& packet);

  // Writes the message of a packet to `message`. Returns false if the packet is not authentic, or
  // was taken before.
  bool open(Channel channel, std::string_view packet, std::string& message);

  // The number that ends a connection for a reason (Transport::close), with a part of a tag, so
  // that only the other side's reason is believed. Called once for a session. 0 stays 0.
  std::uint32_t seal_reason(std::uint32_t reason) const;
  // The reason in such a number of the other side; 0 if it is not authentic.
  std::uint32_t open_reason(std::uint32_t sealed) const;

 private:
  SessionKeys keys_;
  std::array<std::uint64_t, 2> sent_{};  // by Channel
  std::uint64_t received_ = 0;           // of the reliable channel
  ReplayWindow seen_;                    // of the unsequenced channel
};

}  // namespace laurel
