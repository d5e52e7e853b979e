// handshake_ends.h - the keys of the handshakes that fuzz targets and their seeds use, and a
// network that takes what is sent to it.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "live/net/transport.h"
#include "live/secure/handshake.h"

namespace laurel::fuzz {

inline constexpr std::uint32_t kSealedWord = 0x11223344;
inline constexpr std::uint32_t kWordOfBoth = 0x55667788;  // of a sealed ticket and one in clear

inline Secret fuzz_secret() {
  Secret secret{};
  secret[0] = 's';
  return secret;
}

// A pair whose private key is this byte, 32 times.
inline KeyPair fuzz_pair(unsigned char byte) {
  SecretKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key.data()[i] = byte;
  return key_pair_of(key);
}
inline KeyPair fuzz_server() { return fuzz_pair(1); }

// The client's side of the handshake that the seeds begin; the same each time.
inline ClientHandshake fuzz_client(std::uint32_t word) {
  return {word, fuzz_secret(), fuzz_server().public_key, fuzz_pair(2)};
}

// Directions of a frame.
inline constexpr std::uint8_t kFrameUnsequenced = 1;
inline constexpr std::uint8_t kFrameOther = 2;   // the other connection
inline constexpr std::uint8_t kFrameSealed = 4;  // the bytes are a message, which is sealed first

// What was sent is kept; what arrives comes from the fuzzer.
class FuzzNetwork final : public ClientTransport {
 public:
  struct Sent {
    PeerId peer = 0;
    Channel channel = Channel::reliable;
    std::string bytes;
  };

  void arrive(TransportEvent event) { events_.push_back(std::move(event)); }
  std::vector<Sent> take_sent() { return std::exchange(sent_, {}); }
  bool is_closed(PeerId peer) const {
    for (const PeerId each : closed_) {
      if (each == peer) return true;
    }
    return false;
  }

  std::optional<TransportEvent> next() override {
    if (events_.empty()) return std::nullopt;
    TransportEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override {
    sent_.push_back({peer, channel, *message});
    return true;
  }
  Result<PeerId> connect(std::uint32_t) override { return PeerId{1}; }
  void set_connect_filter(ConnectFilter*) override {}
  void flush() override {}
  void close(PeerId peer, std::uint32_t) override { closed_.push_back(peer); }
  Time round_trip(PeerId) const override { return kSecond / 10; }
  std::uint32_t address(PeerId) const override { return 0x0A000001; }

 private:
  std::deque<TransportEvent> events_;
  std::vector<Sent> sent_;
  std::vector<PeerId> closed_;
};

}  // namespace laurel::fuzz
