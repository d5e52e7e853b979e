// bare_exchange.h - what the system alone takes for a live channel's traffic on loopback.
#pragma once

#include <cstddef>

namespace laurel {

// Microseconds of a thread's CPU time for one exchange, the median of some rounds: it sends a
// datagram of this size to a client, and reads a short answer. `clients` sockets take turns, which
// another thread serves. On loopback a send includes the delivery to the receiver.
// Throws std::runtime_error if the system gives no sockets.
double bare_exchange_us(std::size_t bytes, std::size_t clients);

}  // namespace laurel
