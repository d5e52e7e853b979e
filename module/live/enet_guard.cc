#include "live/enet_guard.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/limits.h"

namespace laurel {

namespace {

// ENet's commands and what each takes, in bytes, without the data that follows it.
enum Command : std::uint8_t {
  kAcknowledge = 1,
  kConnect = 2,
  kVerifyConnect = 3,
  kDisconnect = 4,
  kPing = 5,
  kSendReliable = 6,
  kSendUnreliable = 7,
  kSendFragment = 8,
  kSendUnsequenced = 9,
  kBandwidthLimit = 10,
  kThrottleConfigure = 11,
  kSendUnreliableFragment = 12,
};
constexpr std::array<std::size_t, 13> kCommandBytes = {0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24};

constexpr std::uint16_t kHasSentTime = 1U << 15;
constexpr std::uint16_t kCompressed = 1U << 14;
constexpr std::uint8_t kCommandMask = 0x0F;
constexpr std::size_t kCommandsMax = 32;  // ENet packs no more into one datagram

// ENet's numbers are big-endian.
std::size_t u16_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

}  // namespace

bool client_datagram_allowed(std::string_view datagram, bool checksum) {
  if (datagram.size() < 2 || datagram.size() > kLiveMtu) return false;
  const std::size_t head = u16_at(datagram, 0);
  if (head & kCompressed) return false;
  const std::size_t head_bytes = 2 + (head & kHasSentTime ? 2 : 0) + (checksum ? 4 : 0);
  if (datagram.size() < head_bytes) return false;
  std::string_view rest = datagram.substr(head_bytes);
  for (std::size_t i = 0; i < kCommandsMax && !rest.empty(); ++i) {
    const std::size_t command = static_cast<unsigned char>(rest[0]) & kCommandMask;
    if (command == 0 || command >= kCommandBytes.size()) return false;
    const std::size_t bytes = kCommandBytes[command];
    if (rest.size() < bytes) return false;
    std::size_t data = 0;
    switch (command) {
      case kSendReliable:
      case kSendUnsequenced:
        if (static_cast<unsigned char>(rest[1]) != (command == kSendReliable ? 0 : 1)) return false;
        data = u16_at(rest, bytes - 2);
        if (data > kLiveClientMessageBytesMax || rest.size() - bytes < data) return false;
        break;
      case kSendUnreliable:
      case kSendFragment:
      case kSendUnreliableFragment:
      case kVerifyConnect: return false;
      default: break;
    }
    rest.remove_prefix(bytes + data);
  }
  return rest.empty();
}

}  // namespace laurel
