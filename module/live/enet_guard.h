// enet_guard.h - which datagrams a server lets ENet see.
//
// ENet 1.3.17 believes what a datagram announces: one fragment of 29 bytes makes it allocate 32 MB,
// and data on a channel where it waits for something else stays there. So a datagram is looked
// through first, and dropped whole unless every command in it is one that a client of this protocol
// sends: reliable data on channel 0, unsequenced data on channel 1, neither longer than
// kLiveClientMessageBytesMax, no fragments, no compression.
//
//   threads  none; pure.
//   source   ENet's protocol.h; the layout has not changed since 1.3.0.
#pragma once

#include <string_view>

namespace laurel {

// checksum: whether each datagram carries one (its value is ENet's to check)
bool client_datagram_allowed(std::string_view datagram, bool checksum);

}  // namespace laurel
