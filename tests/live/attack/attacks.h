// attacks.h - what an attacker on the open internet may do to a server: datagrams from raw
// sockets, and ENet clients that break the protocol.
//
//   attack    runs as fast as it can until it is over, then disconnects. Its name says what it
//             does.
//   seed      random attacks use a constant seed each.
//   failure   an attacker that cannot continue waits for the end: the server is what is tested.
#pragma once

#include "live/attack/attack_fixture.h"
#include "live/auth/token.h"

namespace laurel::test {

// Bytes sent to the server, and received from it.
struct Traffic {
  std::atomic<std::uint64_t> sent{0}, answered{0};  // bytes, without UDP headers
};

// --- without a connection

Attack garbage();                          // random bytes, 1 to 1,232 a datagram
Attack all_sizes();                        // 0 to 65,507 bytes a datagram
Attack oversized();                        // 4,097 to 9,000 bytes each: more than ENet accepts
Attack forged_connects(Traffic& traffic);  // never completed, from 200 ports
Attack forged_connects_from_port_0();      // no answer can go there; needs CAP_NET_RAW
Attack forged_disconnects();               // and data, for the peers of other clients

// --- by connected clients, over ENet

Attack fragments();                  // announces messages of 32 MB
Attack sequenced();                  // unreliable and sequenced data
Attack reversed();                   // reliable data, in reverse order
Attack enet_pings();                 // which ENet answers one by one
Attack subscribe_flood();            // as fast as possible
Attack seventeen();                  // one subscription too many
Attack long_messages();              // 513 bytes
Attack nonsense();                   // until it is disconnected, repeatedly
Attack acknowledge_flood();          // as fast as possible
Attack never_acknowledging();        // 32 clients that subscribe and then send nothing
Attack never_hello();                // 32 clients that connect and send nothing
Attack never_reading();              // 32 clients that subscribe and never read
Attack coming_and_going();           // repeatedly
Attack showing(const Token& token);  // the same token, as fast as possible
// The same first message of a handshake and the same packets after it, as fast as possible, as one
// who recorded a client can.
Attack replaying(const Token& token);

}  // namespace laurel::test
