// transport.h - the network interface of the live channel: ENet, or a simulated network in tests.
//
//   peer       identifies one connection during the transport's lifetime; it is never reused.
//   owner      an event owns its bytes.
//   threads    none; one thread owns a transport.
//   blocking   no call blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "live/wire/wire.h"

namespace laurel {

using PeerId = std::uint64_t;  // 0: none

// The bytes of a message, shared by all peers it is sent to.
using MessagePtr = std::shared_ptr<const std::string>;

struct TransportEvent {
  enum class Kind : std::uint8_t { connected, disconnected, received };
  Kind kind = Kind::received;
  PeerId peer = 0;
  Channel channel = Channel::reliable;  // received: the channel
  std::string bytes = {};               // received: the message
  std::uint32_t why = 0;                // disconnected: the other side's argument of close(), or 0
  std::uint32_t word = 0;  // connected, at a server: the client's argument of connect()
};

// Filters connection attempts at a server, before they use any resources.
class ConnectFilter {
 public:
  enum class Verdict : std::uint8_t {
    accept,
    ignore,  // the word is valid, but too many attempts use it: no answer, the client retries
    reject,  // the client may be told
  };
  virtual ~ConnectFilter() = default;
  // Returns whether to accept a connection that begins with this word.
  //   who   identifies the attempt; a repeated datagram of one attempt has the same value
  virtual Verdict expects(std::uint32_t word, std::uint64_t who) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Server only. The transport ignores connections that the filter does not accept; null: accepts
  // all. The filter must outlive the transport, or be replaced before it is destroyed.
  virtual void set_connect_filter(ConnectFilter* connect_filter) = 0;

  // Returns the next event, or nullopt if there is none now.
  virtual std::optional<TransportEvent> next() = 0;

  // Queues a message. Reliable messages arrive in order while the connection lives. Unsequenced
  // ones may be lost, duplicated or reordered. Returns false if the message could not be queued.
  virtual bool send(PeerId peer, Channel channel, const MessagePtr& message) = 0;

  // As send, for bytes that no other peer gets.
  virtual bool send_bytes(PeerId peer, Channel channel, std::string_view bytes) {
    return send(peer, channel, std::make_shared<const std::string>(bytes));
  }

  // Hands the queued messages to the network.
  virtual void flush() = 0;

  // Ends a connection after its queued messages are delivered. The id becomes invalid at once; the
  // peer has no further events.
  //   why   a number for the other side, which arrives even if queued messages are lost
  virtual void close(PeerId peer, std::uint32_t why) = 0;

  // The measured round-trip time; 0 if the peer is not known.
  virtual Time round_trip(PeerId peer) const = 0;

  // The IPv4 address of the other side, as a number; 0 if the peer is not known.
  virtual std::uint32_t address(PeerId peer) const = 0;
};

// The client side: one server, one connection at a time.
class ClientTransport : public Transport {
 public:
  // Begins to connect. An event `connected` or `disconnected` reports the result. Returns 0 if it
  // cannot begin yet (the host name is being looked up): the caller calls again later.
  //   word   of a token, or of the last welcome; 0 without one
  // Fails with  unavailable  the host was not found
  virtual Result<PeerId> connect(std::uint32_t word) = 0;
};

}  // namespace laurel
