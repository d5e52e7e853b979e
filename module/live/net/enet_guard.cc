#include "live/net/enet_guard.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "live/limits.h"
#include "live/wire/wire.h"

namespace laurel {

namespace {

// ENet's commands and the size of each in bytes, without the data that follows it.
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
constexpr int kSessionShift = 12;
constexpr std::uint16_t kPeerMask = 0x0FFF;  // all ones: no peer number yet
constexpr std::uint8_t kCommandMask = 0x0F;
constexpr std::uint8_t kToBeAcknowledged = 0x80;
constexpr char kNoChannel = '\xFF';
constexpr std::size_t kCommandsMax = 32;  // ENet's maximum in one datagram

// ENet's numbers are big-endian.
std::size_t u16_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

// Sequence numbers wrap around. Numbers behind last_read are duplicates, which ENet handles.
bool far_ahead(std::uint16_t number, std::uint16_t last_read) {
  const auto ahead = static_cast<std::uint16_t>(number - last_read);
  return ahead > kLiveReliableAheadMax && ahead < 0x8000;
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(u16_at(bytes, at) << 16 | u16_at(bytes, at + 2));
}

// The size of the header before the commands.
std::size_t head_bytes(std::size_t head, bool checksum) {
  return 2 + (head & kHasSentTime ? 2 : 0) + (checksum ? 4 : 0);
}

// Offsets of fields in a connect command.
constexpr std::size_t kPeerAt = 4, kConnectionAt = 40, kWordAt = 44;
// In an acknowledgement.
constexpr std::size_t kNumberAt = 4;

void put_u16(std::string& out, std::size_t number) {
  out += static_cast<char>(number >> 8);
  out += static_cast<char>(number);
}

// Returns the datagram of this head and command. ENet computes the checksum of a datagram over the
// connect id in its place.
std::string sealed(std::string head, std::uint32_t connection, const std::string& command,
                   std::uint32_t (*checksum)(std::string_view)) {
  if (checksum == nullptr) return head + command;
  const std::size_t at = head.size();
  head.append(reinterpret_cast<const char*>(&connection), sizeof connection);
  head += command;
  const std::uint32_t sum = checksum(head);
  std::memcpy(head.data() + at, &sum, sizeof sum);
  return head;
}

}  // namespace

std::optional<std::uint16_t> datagram_peer(std::string_view datagram) {
  if (datagram.size() < 2) return std::nullopt;
  const std::size_t peer = u16_at(datagram, 0) & kPeerMask;
  return peer == kPeerMask ? std::nullopt : std::optional(static_cast<std::uint16_t>(peer));
}

bool client_datagram_allowed(std::string_view datagram, bool checksum, std::uint16_t last_read) {
  if (datagram.size() < 2 || datagram.size() > kLiveMtu) return false;
  const std::size_t head = u16_at(datagram, 0);
  if (head & kCompressed) return false;
  if (datagram.size() < head_bytes(head, checksum)) return false;
  std::string_view rest = datagram.substr(head_bytes(head, checksum));
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
        if (command == kSendReliable &&
            far_ahead(static_cast<std::uint16_t>(u16_at(rest, 2)), last_read)) {
          return false;
        }
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

std::optional<ConnectAttempt> connect_attempt_in(std::string_view datagram, bool checksum) {
  const std::size_t head = u16_at(datagram, 0);
  const std::string_view command = datagram.substr(head_bytes(head, checksum));
  // ENet accepts a connect only from a sender without a peer number, and no other command from it.
  if ((head & kPeerMask) != kPeerMask || command.size() < kCommandBytes[kConnect]) {
    return std::nullopt;
  }
  ConnectAttempt attempt;
  attempt.word = u32_at(command, kWordAt);
  attempt.peer = static_cast<std::uint16_t>(u16_at(command, kPeerAt));
  std::memcpy(&attempt.connection, command.data() + kConnectionAt, sizeof attempt.connection);
  return attempt;
}

std::optional<std::uint16_t> acknowledged_number(std::string_view datagram, bool checksum) {
  const std::string_view command = datagram.substr(head_bytes(u16_at(datagram, 0), checksum));
  if (command.size() < kCommandBytes[kAcknowledge] || command[1] != kNoChannel ||
      (static_cast<unsigned char>(command[0]) & kCommandMask) != kAcknowledge) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(u16_at(command, kNumberAt));
}

std::string question_of(const Addressee& to, std::uint16_t number, std::uint16_t time,
                        std::uint32_t (*checksum)(std::string_view)) {
  std::string head, command;
  put_u16(head, kHasSentTime | to.session << kSessionShift | (to.peer & kPeerMask));
  put_u16(head, time);
  command += static_cast<char>(kPing | kToBeAcknowledged);
  command += kNoChannel;
  put_u16(command, number);
  return sealed(std::move(head), to.connection, command, checksum);
}

std::string denial_of(const ConnectAttempt& attempt, std::uint32_t (*checksum)(std::string_view)) {
  std::string head, command;
  put_u16(head, attempt.peer & kPeerMask);
  command += static_cast<char>(kDisconnect);
  command += kNoChannel;
  put_u16(command, 0);  // no sequence number
  put_u16(command, 0);
  put_u16(command, static_cast<std::size_t>(Reason::refused));
  return sealed(std::move(head), attempt.connection, command, checksum);
}

}  // namespace laurel
