// datagram_filter.h - a kernel filter for a server's socket.
//
// It drops datagrams that no client sends before they fill the socket's buffer: those larger than
// kLiveMtu (above 4,096 bytes they make an ENet call fail), those too short for ENet's header, and
// those from port 0, because no answer can be sent there.
//
//   system   Linux socket filters. If the kernel has none, nothing is filtered, and the reader of
//            the socket must handle all datagrams.
//   threads  any.
//   source   "The BSD Packet Filter", S. McCanne, V. Jacobson, 1993; packet(7), socket(7).
#pragma once

#include <cstdint>

namespace laurel {

void filter_datagrams(int udp_socket);

// The number of datagrams dropped by the filter, or because the socket's buffer was full.
std::uint64_t datagrams_dropped(int udp_socket);

}  // namespace laurel
