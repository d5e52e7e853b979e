// enet_guard.h - filters the datagrams that a server passes to ENet.
//
// ENet 1.3.17 trusts the sizes in a datagram: one fragment of 29 bytes makes it allocate 32 MB, and
// out-of-sequence data stays queued on its channel. So every datagram is checked first. It is
// dropped unless all its commands are such as a client of this protocol sends: reliable data on
// channel 0, unsequenced data on channel 1, neither longer than kLiveClientMessageBytesMax, no
// fragments, no compression.
//
// Reliable data far ahead of the next expected number is dropped too, as if it were lost. ENet
// would queue 28,672 messages of a peer until the missing one arrives, and search the queue from
// the end for each: in reverse order they cost seconds of the live thread, and 5 MB.
//
//   threads  none; pure.
//   source   ENet's protocol.h; the layout has not changed since 1.3.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laurel {

// The peer number in the datagram's header; nullopt if it has none.
std::optional<std::uint16_t> datagram_peer(std::string_view datagram);

// Returns whether to pass the datagram to ENet.
//   checksum   whether datagrams have a checksum field (ENet verifies its value)
//   last_read  the number of the last reliable message that was read from the peer
bool client_datagram_allowed(std::string_view datagram, bool checksum, std::uint16_t last_read);

// Returns the number that the datagram's first command acknowledges of the commands that belong to
// no channel; nullopt if it acknowledges none of them. For a datagram that client_datagram_allowed
// accepted.
std::optional<std::uint16_t> acknowledged_number(std::string_view datagram, bool checksum);

// A request to connect.
struct ConnectAttempt {
  std::uint32_t word = 0;        // the connect data
  std::uint32_t connection = 0;  // the sender's connect id; the same in retransmissions
  std::uint16_t peer = 0;        // the sender's peer number, for an answer
};

// Returns the connect request in a datagram that client_datagram_allowed accepted, if it has one.
std::optional<ConnectAttempt> connect_attempt_in(std::string_view datagram, bool checksum);

// ENet's state of a connection, as far as a datagram to the other side needs it.
struct Addressee {
  std::uint16_t peer = 0;        // the other side's peer number
  std::uint8_t session = 0;      // the session that it expects
  std::uint32_t connection = 0;  // its connect id
};

// Returns the datagram that asks for an acknowledgement of that number: a ping.
//   time      of ENet's clock
//   checksum  as for denial_of
std::string question_of(const Addressee& to, std::uint16_t number, std::uint16_t time,
                        std::uint32_t (*checksum)(std::string_view));

// Returns the datagram that rejects a connect request: a disconnect whose data is Reason::refused.
// To prevent amplification, it is at most a quarter as long as the shortest request.
//   checksum   computes the checksum of a datagram whose checksum field holds the connect id;
//              null: no checksum
std::string denial_of(const ConnectAttempt& attempt, std::uint32_t (*checksum)(std::string_view));

}  // namespace laurel
