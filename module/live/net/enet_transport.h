// enet_transport.h - the live channel over ENet.
//
// This component, enet_handshakes.h and enet_guard.h contain all workarounds for ENet 1.3.17. Only
// the first two include enet.h.
//
//   threads    one thread owns a transport; only wake() may be called from any thread.
//   blocking   only wait() and rest() block.
//   cost       ENet scans all peers each time it reads or sends, about 10 ns per peer: with many
//              peers, call it rarely.
//   lifetime   the destructor ends all connections at once; close() them first. A server's peers
//              get Reason::closing.
//   slots      ENet has kLiveRefusalSlots more than `clients`, and lets an address have
//              kLiveRefusalsOfAddress more than its share: so that newcomers can be told that the
//              server is full. Further connects get no answer.
//   fork       in a forked child process it sends and receives nothing: the connections belong to
//              the parent. Started programs do not inherit the descriptors.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/process/fork_guard.h"
#include "base/result.h"
#include "live/limits.h"
#include "live/net/enet_handshakes.h"
#include "live/net/resolver.h"
#include "live/net/token_bucket.h"
#include "live/net/transport.h"

struct _ENetHost;
struct _ENetPeer;
struct _ENetPacket;
struct _ENetEvent;

namespace laurel {

class EnetTransport final : public ClientTransport {
 public:
  struct Listen {
    std::string bind = "127.0.0.1";  // numeric
    std::uint16_t port = 0;          // 0: a free one
    std::size_t clients = 1024;      // at most kLiveClientsMax
    std::size_t clients_per_address = 1024;
    bool checksum = false;  // must be the same on both sides, else no client connects
  };

  // Creates a server's transport.
  // Fails with  invalid      bind is not an IPv4 address
  //             unavailable  the system cannot listen on this address; the sentence says why
  static Result<std::unique_ptr<EnetTransport>> listen(const Listen& options);

  // Creates the transport of a client of one server. connect() looks the host up each time, because
  // its address may change.
  //   host   an IPv4 address or a name
  // Fails with  unavailable  the system cannot open a socket
  static Result<std::unique_ptr<EnetTransport>> client(const std::string& host, std::uint16_t port,
                                                       bool checksum);

  ~EnetTransport() override;
  EnetTransport(const EnetTransport&) = delete;
  EnetTransport& operator=(const EnetTransport&) = delete;

  void set_connect_filter(ConnectFilter* connect_filter) override {
    connect_filter_ = connect_filter;
  }
  std::optional<TransportEvent> next() override;
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override;
  bool send_bytes(PeerId peer, Channel channel, std::string_view bytes) override;
  void flush() override;
  void close(PeerId peer, std::uint32_t why) override;
  Time round_trip(PeerId peer) const override;
  std::uint32_t address(PeerId peer) const override;

  Result<PeerId> connect(std::uint32_t word) override;

  std::uint16_t port() const;

  // Blocks until a datagram can be read, wake() is called or `at_most` has passed. Returns true if
  // wake() was called.
  bool wait(Time at_most);
  // As wait, but does not return when a datagram arrives.
  bool rest(Time at_most);
  // Ends the current wait() or rest(), or the next one. Any thread.
  void wake();

  // For a forked child process that will never use the transport again.
  void close_descriptors() const;

  // The number of ENet's connections, including those that are closing.
  std::size_t connections() const;
  // The number of datagrams dropped by the filters or the system, or rejected by ENet.
  std::uint64_t garbage() const;
  // The number of datagrams that ENet has read, modulo 2^32.
  std::uint32_t datagrams() const;
  // The number of connects that the filter did not accept, including retransmissions.
  std::uint64_t denied() const { return denied_; }

 private:
  // wake_fd: of a server; -1 makes a client
  EnetTransport(_ENetHost* host, int wake_fd);

  // Sends the queued messages, and reads a batch of datagrams into events_.
  void pump();
  std::uint16_t awaited(std::string_view datagram) const;
  bool wait_for(short of_socket, Time at_most);
  static int intercept(_ENetHost* host, _ENetEvent* event);
  bool expected(std::string_view datagram);
  void guard(_ENetPeer* peer) const;
  std::optional<TransportEvent> translated(_ENetEvent& event);
  _ENetPeer* find(PeerId peer) const;
  PeerId assign(const _ENetPeer* peer);
  std::size_t slot(const _ENetPeer* peer) const;
  _ENetPacket* packet(Channel channel, const MessagePtr& message);
  void sent_one();
  void forget_packets();

  _ENetHost* host_;
  bool server_;
  int wake_fd_;  // a server's: ends its wait
  ForkGuard fork_guard_;
  ConnectFilter* connect_filter_ = nullptr;
  std::uint64_t denied_ = 0;
  TokenBucket connects_;  // limits the connects passed to ENet
  EnetHandshakes handshakes_;
  std::vector<PeerId> peers_;  // by ENet's slot; 0: none, or closed
  PeerId last_peer_ = 0;
  // A client's server, and the lookup of its address while one is under way.
  std::string server_host_;
  std::uint16_t server_port_ = 0;
  std::optional<Resolver> resolver_;
  // Packets made since the last flush, so that peers share the packet of one message. Each entry
  // holds a reference to the packet, and the message itself, so that its address is not reused.
  std::unordered_map<const std::string*, std::pair<MessagePtr, _ENetPacket*>> packets_;
  std::uint64_t garbage_ = 0;
  std::deque<TransportEvent> events_;  // not fetched by next() yet; bounded, see send()
  std::size_t unsent_ = 0;             // messages queued since the last pump()
  // Since next() last returned nullopt:
  bool drained_ = false;  // the socket was read empty
  int pumps_ = 0, errors_ = 0;
  bool more_ = false;  // next() last returned nullopt before the socket was empty
};

}  // namespace laurel
