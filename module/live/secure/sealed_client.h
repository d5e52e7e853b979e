// sealed_client.h - a client's connection to a server, encrypted if its token names the server's
// key. What is above it sends and receives messages as they are.
//
//   sealed   the event `connected` comes after the handshake: then the server has proven that it
//            has the private key and knows the secret. Nothing is sent in clear before or after it,
//            and nothing in clear is taken.
//   broken   a handshake that fails, and a packet of the reliable channel that is not authentic,
//            end the connection. One of the unsequenced channel is dropped.
//   reason   why a server ended the connection is only believed if it is authentic. Until the
//            handshake nothing is; then only `refused` is believed, since a server that does not
//            know the token cannot prove anything to it.
//   owner    refers to the network, which must outlive it.
//   threads  none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/net/transport.h"
#include "live/secure/handshake.h"
#include "live/secure/sealed_session.h"

namespace laurel {

class SealedClient {
 public:
  explicit SealedClient(ClientTransport& network) : network_(network) {}

  // As ClientTransport::connect. The connection is encrypted if `shown` has a server's key.
  Result<PeerId> connect(std::uint32_t word, const std::optional<Token>& shown);

  // As those of Transport.
  std::optional<TransportEvent> next();
  bool send(PeerId peer, Channel channel, const MessagePtr& message);
  void flush() { network_.flush(); }
  void close(PeerId peer, std::uint32_t why);
  Time round_trip(PeerId peer) const { return network_.round_trip(peer); }

  // Whether the current connection is encrypted.
  bool is_sealed() const { return session_.has_value(); }

 private:
  // These return whether the event is passed on to the caller.
  bool handle(TransportEvent& event);
  bool received(TransportEvent& event);
  bool begin_handshake(TransportEvent& event);
  bool finish_handshake(TransportEvent& event);
  // Ends the connection; the event becomes its end, and is passed on.
  bool end(TransportEvent& event);
  void forget();

  ClientTransport& network_;
  PeerId peer_ = 0;  // of the current connection, if it is sealed; else 0
  std::optional<ClientHandshake> handshake_;
  std::optional<SealedSession> session_;
  std::string buffer_;
};

}  // namespace laurel
