// enet_guard.h - which datagrams a server lets ENet see.
//
// ENet 1.3.17 believes what a datagram announces: one fragment of 29 bytes makes it allocate 32 MB,
// and data on a channel where it waits for something else stays there. So a datagram is looked
// through first, and dropped whole unless every command in it is one that a client of this protocol
// sends: reliable data on channel 0, unsequenced data on channel 1, neither longer than
// kLiveClientMessageBytesMax, no fragments, no compression.
//
// Reliable data far ahead of what is awaited is dropped too, as if it had been lost on its way.
// ENet would keep 28,672 messages of a peer until the first one comes, looking for the place of
// each from the end: sent backwards they take seconds of the live thread, and 5 MB.
//
//   threads  none; pure.
//   source   ENet's protocol.h; the layout has not changed since 1.3.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laurel {

// The number of the peer that the datagram says it is from, where it names one.
std::optional<std::uint16_t> datagram_peer(std::string_view datagram);

//   checksum   whether each datagram carries one (its value is ENet's to check)
//   last_read  the number of the last reliable message that was read from the peer
bool client_datagram_allowed(std::string_view datagram, bool checksum, std::uint16_t last_read);

// A stranger's wish to connect.
struct Knock {
  std::uint32_t word = 0;        // the connect data
  std::uint32_t connection = 0;  // the stranger's own number of it, the same when it is said again
  std::uint16_t peer = 0;        // by which the stranger will know an answer
};

// The wish that an allowed datagram holds.
std::optional<Knock> knock_in(std::string_view datagram, bool checksum);

// What tells the stranger that it may not connect: a disconnect whose data is Reason::refused. It
// is a quarter of the shortest knock, or less.
//   checksum   of the datagram with the connection's number in the checksum's place; null: none
std::string denial_of(const Knock& knock, std::uint32_t (*checksum)(std::string_view));

}  // namespace laurel
