// enet_handshakes.h - a server's ENet connections whose handshake is not complete.
//
// ENet numbers its commands from 1, and a sender that acknowledges the answer to a connect
// counts as connected. A server begins with a random number instead, so that the acknowledgement
// proves that its sender has seen the answer. Until then the server sends the answer once for
// each connect, a datagram of 8 bytes (12 with a checksum) for each that is not shorter and
// proves nothing, and nothing else. ENet keeps the slot of such a connection for 30 s; it is
// freed after kLiveHelloWithin.
//
//   threads  the transport's.
//   cost     begin() and reap() scan all peers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "live/limits.h"
#include "live/net/enet_guard.h"
#include "live/net/token_bucket.h"

struct _ENetHost;
struct _ENetPeer;

namespace laurel {

class EnetHandshakes {
 public:
  // The host outlives this object.
  explicit EnetHandshakes(_ENetHost& host);

  // ---- about the datagram that the host is reading, which client_datagram_allowed accepted

  // Begins a connection: the host may have the connect. False if there is one for the attempt; then
  // its answer, which was lost, is sent again.
  bool begin(const ConnectAttempt& attempt);
  // False for a datagram to a half-open connection that does not prove that its sender has seen the
  // answer to the connect.
  bool proven(std::string_view datagram);
  // Tells the sender that it is refused, unless too many were told in this second.
  void deny(const ConnectAttempt& attempt);

  // Ends connections that have waited for kLiveHelloWithin. Looks at most four times a second.
  void reap();

 private:
  struct HalfOpen {
    Time since = 0;
    int wrong = 0;  // acknowledgements of other numbers than the answer's
  };

  bool answer_again(const ConnectAttempt& attempt);
  void prepare_slot();
  void ask_again(const _ENetPeer& peer, std::size_t bytes);
  void send_to_sender(std::string datagram);

  _ENetHost& host_;
  std::vector<HalfOpen> half_open_;  // by ENet's slot
  bool any_half_open_ = false;
  Time reaped_at_ = 0;
  TokenBucket denials_{kLiveDenialsPerSecond, kLiveDenialsPerSecond, 0};
};

}  // namespace laurel
