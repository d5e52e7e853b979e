// siege_attacks.h - what somebody may do to a server on the open internet: datagrams by hand from
// raw sockets, and ENet clients that do not keep to the protocol.
//
//   attack    goes on as fast as it can until it is over, then leaves; each says what it does.
//   seed      of the attacks that draw: a constant of each.
//   failure   an attacker that cannot go on waits for the end: the server is what is tested.
#pragma once

#include "live/token.h"
#include "siege_scene.h"

namespace laurel::test {

// What went to the server, and what came back.
struct Traffic {
  std::atomic<std::uint64_t> sent{0}, answered{0};  // bytes, without the headers of UDP
};

// --- by strangers

Attack garbage();                          // random bytes of 1 to 1,232
Attack all_sizes();                        // datagrams of 0 to 65,507 bytes
Attack oversized();                        // of 4,097 to 9,000: more than ENet takes
Attack forged_connects(Traffic& traffic);  // that nobody ever completes, from 200 ports
Attack forged_connects_from_port_0();      // where no answer can go; nothing without CAP_NET_RAW
Attack forged_disconnects();               // and data, for other people's peers

// --- by clients that are connected, over ENet

Attack fragments();                  // that announce 32 MB
Attack sequenced();                  // unreliable and sequenced data
Attack reversed();                   // reliable data, the last one first
Attack enet_pings();                 // which ENet answers one by one
Attack subscribe_flood();            // as often as can be
Attack seventeen();                  // subscriptions
Attack long_messages();              // of 513 bytes
Attack nonsense();                   // until they are sent away, and again
Attack acknowledge_flood();          // of what they hold
Attack never_acknowledging();        // 32 that subscribe and say no more
Attack never_hello();                // 32 that connect and say nothing
Attack never_reading();              // 32 that subscribe and close their ears
Attack coming_and_going();           // all the time
Attack showing(const Token& token);  // a token, as often as can be

}  // namespace laurel::test
