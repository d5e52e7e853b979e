// handshake_fixture.h - bytes and keys for the tests of encrypted connections.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "live/secure/handshake.h"

namespace laurel::test {

// The bytes of hexadecimal digits.
inline std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

inline SecretKey secret_key_of_hex(std::string_view digits) {
  const std::string bytes = bytes_of_hex(digits);
  SecretKey key;
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

inline PublicKey public_key_of_hex(std::string_view digits) {
  const std::string bytes = bytes_of_hex(digits);
  PublicKey key{};
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

inline Secret secret_of(char first) {
  Secret secret{};
  secret[0] = first;
  return secret;
}

// A client and a server that have gone through a handshake, or failed.
struct Meeting {
  std::uint32_t word = 0x11223344;
  Secret secret = secret_of('s');
  KeyPair server = draw_key_pair();
  ClientHandshake client{word, secret, server.public_key, draw_key_pair()};
  std::string first = client.first().value();

  std::optional<ServerAnswer> answer(std::string_view message) const {
    return answer_to(message, word, secret, server, draw_key_pair());
  }
};

// What both sides of a handshake must have seen, as module/live/PROTOCOL.md describes it.
inline std::string prologue_of(std::uint32_t word, std::uint8_t version_min,
                               std::uint8_t version_max) {
  std::string prologue = "laurel live channel";
  for (int i = 0; i < 4; ++i) prologue += static_cast<char>(word >> 8 * i);
  prologue += static_cast<char>(version_min);
  return prologue + static_cast<char>(version_max);
}

// The first message of a client that knows everything, and does one thing in another way.
struct OtherFirst {
  std::uint8_t version_min = kSealVersionMin, version_max = kSealVersionMax;
  std::string padding = std::string(kFirstBytes - 3 - NoiseHandshake::kOverhead, '\0');

  std::string of(const Meeting& meeting) const {
    NoiseHandshake noise = NoiseHandshake::initiator(
        prologue_of(meeting.word, version_min, version_max), shared_key(meeting.secret),
        meeting.server.public_key, draw_key_pair());
    std::string message = {kFirstKind, static_cast<char>(version_min),
                           static_cast<char>(version_max)};
    return message + noise.write_first(padding).value();
  }
};

// The answer of a server that chose this version.
inline std::string second_of(const Meeting& meeting, std::uint8_t version) {
  NoiseHandshake noise =
      NoiseHandshake::responder(prologue_of(meeting.word, kSealVersionMin, kSealVersionMax),
                                shared_key(meeting.secret), meeting.server, draw_key_pair());
  (void)noise.read_first(std::string_view(meeting.first).substr(3));
  return kSecondKind + noise.write_second({reinterpret_cast<const char*>(&version), 1}).value();
}

}  // namespace laurel::test
