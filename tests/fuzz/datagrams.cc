// Datagrams before ENet sees them: the guard reads no byte past the end, and what it allows
// consists, by ENet's own layout, of commands that a client of this protocol sends.
//
// Input: a byte, and the datagram. The lowest bit of the byte turns checksums on; the others are
// the highest bits of the number of the last reliable message read.
#include "fuzz/target.h"
#include "live/limits.h"
#include "live/net/enet_guard.h"

namespace laurel::fuzz {
namespace {

// A command's size without data, and the offset of the data's length; 0: it has no data.
struct Layout {
  std::size_t bytes = 0, length_at = 0;
};

Layout layout(std::uint8_t command) {
  switch (command) {
    case 1: return {8, 0};    // acknowledge
    case 2: return {48, 0};   // connect
    case 4: return {8, 0};    // disconnect
    case 5: return {4, 0};    // ping
    case 6: return {6, 4};    // send reliable
    case 9: return {8, 6};    // send unsequenced
    case 10: return {12, 0};  // bandwidth limit
    case 11: return {16, 0};  // throttle configure
    default: return {};
  }
}

void check(std::string_view datagram, bool checksum, std::uint16_t last_read) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(datagram[at]); };
  must(datagram.size() <= kLiveMtu, "a datagram is no longer than ours may be");
  must((byte(0) & 0x40) == 0, "nothing is compressed");
  std::size_t at = 2;
  if (byte(0) & 0x80) at += 2;
  if (checksum) at += 4;
  while (at < datagram.size()) {
    const Layout command = layout(byte(at) & 0x0F);
    must(command.bytes != 0, "a command is one that clients send");
    must(at + command.bytes <= datagram.size(), "a command is whole");
    std::size_t data = 0;
    if (command.length_at != 0) {
      data = byte(at + command.length_at) * 256U + byte(at + command.length_at + 1);
      must(byte(at + 1) == (command.length_at == 4 ? 0 : 1), "data is on its channel");
    }
    if (command.length_at == 4) {
      const auto ahead = static_cast<std::uint16_t>(byte(at + 2) * 256U + byte(at + 3) - last_read);
      must(ahead <= kLiveReliableAheadMax || ahead >= 0x8000, "reliable data is not far ahead");
    }
    must(data <= kLiveClientMessageBytesMax, "data is no longer than a client's may be");
    at += command.bytes + data;
  }
  must(at == datagram.size(), "data is whole");
  if (const auto attempt = connect_attempt_in(datagram, checksum)) {
    must(datagram.size() >= 48, "a knock is a connect");
    must(4 * denial_of(*attempt, nullptr).size() <= datagram.size(), "a denial is a quarter of it");
  }
}

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel::fuzz;
  if (size == 0) return 0;
  const bool checksum = (data[0] & 1) != 0;
  const std::string datagram(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto last_read = static_cast<std::uint16_t>((data[0] >> 1) << 9);
  (void)laurel::datagram_peer(datagram);
  if (laurel::client_datagram_allowed(datagram, checksum, last_read)) {
    check(datagram, checksum, last_read);
  }
  return 0;
}
