// sealed_server.h - a server's transport that encrypts the connections of clients with a sealed
// ticket (live/auth/ticket.h). What is above it sends and receives messages as they are.
//
//   word     of a client's connect says which secrets the handshake may have. If it is that of a
//            sealed ticket, the first message must be a handshake's; a client that speaks in clear
//            is sent away. Other connections are passed on unchanged, and refused if they begin a
//            handshake.
//   proven   a connection is reported at once, but the first message of it is one that a session
//            has opened: no client acts that has not proven that it knows the secret, now. So a
//            recorded handshake that is sent again takes nothing from anyone.
//   broken   a packet of the reliable channel that is not authentic ends the connection. One of the
//            unsequenced channel is dropped.
//   limits   before the proof a connection has one handshake, costs three operations of X25519,
//            about 0.11 ms, and 300 bytes; the connections of a word are limited (Admission), and
//            so is how long they may be silent (Connection). An unknown word costs none of this.
//   owner    refers to the network and the tickets, which must outlive it.
//   threads  none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "live/auth/admission.h"
#include "live/net/transport.h"
#include "live/secure/sealed_session.h"

namespace laurel {

class SealedServer final : public Transport {
 public:
  SealedServer(Transport& network, const Admission& admission)
      : network_(network), admission_(admission) {}

  // The key of the tokens that are given out. Before the first call no handshake succeeds.
  void set_key(const KeyPair& key) { key_ = key; }

  // Whether the peer's messages are encrypted.
  bool is_sealed(PeerId peer) const { return peers_.contains(peer); }
  // How many connections ended because a handshake failed or was not begun.
  std::uint64_t refused() const { return refused_; }

  void set_connect_filter(ConnectFilter* connect_filter) override {
    network_.set_connect_filter(connect_filter);
  }
  std::optional<TransportEvent> next() override;
  // Before its proof a peer is sent nothing, as if the message were lost.
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override;
  void flush() override;
  void close(PeerId peer, std::uint32_t why) override;
  Time round_trip(PeerId peer) const override { return network_.round_trip(peer); }
  std::uint32_t address(PeerId peer) const override { return network_.address(peer); }

 private:
  struct Peer {
    std::uint32_t word = 0;
    std::optional<SealedSession> session;  // from the handshake on
    bool proven = false;
  };

  // These return whether the event is passed on to the caller.
  bool received(TransportEvent& event, Peer& peer);
  bool received_in_clear(TransportEvent& event);
  bool open(TransportEvent& event, Peer& peer);
  bool shake_hands(TransportEvent& event, Peer& peer);
  // These end the connection; the event becomes its end, and is passed on.
  bool refuse(TransportEvent& event);
  bool end(TransportEvent& event, std::uint32_t why);

  Transport& network_;
  const Admission& admission_;
  std::optional<KeyPair> key_;
  std::unordered_map<PeerId, Peer> peers_;  // of sealed tickets: at most the network's connections
  std::string buffer_;
  bool answered_ = false;  // a handshake, since the last flush
  std::uint64_t refused_ = 0;
};

}  // namespace laurel
