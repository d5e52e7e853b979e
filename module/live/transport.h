// transport.h - what the live channel asks of a network: ENet in earnest, a lossy one in tests.
//
//   peer       names one connection for as long as the transport lives; never used again.
//   owner      an event's bytes are the event's own.
//   threads    none; one thread owns a transport.
//   blocking   nothing here waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "live/wire.h"

namespace laurel {

using PeerId = std::uint64_t;  // 0 names nobody

// A message's bytes, shared among all who are sent them.
using MessagePtr = std::shared_ptr<const std::string>;

struct TransportEvent {
  enum class Kind : std::uint8_t { connected, disconnected, received };
  Kind kind = Kind::received;
  PeerId peer = 0;
  Channel channel = Channel::reliable;  // of what was received
  std::string bytes;                    // received
  std::uint32_t why = 0;                // disconnected: what the other side gave close(), or 0
  std::uint32_t word = 0;               // connected, at a server: what the client gave connect()
};

// Who stands at a server's door and knows which words are expected.
class Doorman {
 public:
  enum class Says : std::uint8_t {
    come_in,
    not_now,  // the word is good, and too many come with it: no answer, they try again
    unknown,  // they may be told
  };
  virtual ~Doorman() = default;
  // Whether a connection that begins with this word may cost the server anything.
  //   who   tells one stranger's attempt from another's; the same when its datagram is repeated
  virtual Says expects(std::uint32_t word, std::uint64_t who) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // At a server, from now on: connections that the doorman does not expect come to nothing. Null:
  // all may connect. It outlives the transport, or is taken back.
  virtual void set_doorman(Doorman* doorman) = 0;

  // What happened next, or nothing for now.
  virtual std::optional<TransportEvent> next() = 0;

  // Queues a message: reliable ones arrive in order while the connection lives, unsequenced ones
  // perhaps, perhaps twice, in any order. False when it could not be queued.
  virtual bool send(PeerId peer, Channel channel, const MessagePtr& message) = 0;

  // Hands what was queued to the network.
  virtual void flush() = 0;

  // Ends a connection once what was queued is through; the peer is forgotten at once and no event
  // tells of it.
  //   why   a number that the other side is told, even where what was queued is lost
  virtual void close(PeerId peer, std::uint32_t why) = 0;

  // The time a message and its answer take, as far as it is known.
  virtual Time round_trip(PeerId peer) const = 0;
};

// A client's side: one server, one connection at a time.
class ClientTransport : public Transport {
 public:
  // Begins to connect; the event `connected` or `disconnected` tells how it went. 0 while something
  // is waited for that comes before (a name being looked up): to be called again.
  //   word   of a token, or of the last welcome; 0 without one
  // Fails with  unavailable  the host is not known
  virtual Result<PeerId> connect(std::uint32_t word) = 0;
};

}  // namespace laurel
