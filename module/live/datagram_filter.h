// datagram_filter.h - what the kernel keeps from a server's socket, and how much it did.
//
// A datagram that no client sends is dropped before it fills the socket's buffer: one that is
// larger than kLiveMtu (beyond 4,096 bytes it would make a call of ENet's fail), one that is too
// short for ENet's header, and one from port 0, since no answer can be sent there.
//
//   system   Linux's socket filters; where there are none, nothing is filtered, and what reads the
//            socket has to bear it.
//   threads  any.
//   source   "The BSD Packet Filter", S. McCanne, V. Jacobson, 1993; packet(7), socket(7).
#pragma once

#include <cstdint>

namespace laurel {

void filter_datagrams(int udp_socket);

// Datagrams that were dropped by the filter, or because the socket's buffer was full.
std::uint64_t datagrams_dropped(int udp_socket);

}  // namespace laurel
