// enet_transport.h - the live channel over ENet; the only file that knows enet.h.
//
// Every trap of ENet 1.3.17 that was met is guarded here and in enet_guard.h, and nowhere else.
//
//   threads    one thread owns a transport; wake() alone may be called from any.
//   blocking   only wait() and rest() wait.
//   cost       ENet looks at every peer each time it reads or sends, some 10 ns each: with a crowd,
//              call seldom.
//   lifetime   destroying it ends its connections at once; close() them first. A server's peers are
//              told Reason::closing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "live/enet_guard.h"
#include "live/token_bucket.h"
#include "live/transport.h"

struct _ENetHost;
struct _ENetPeer;
struct _ENetPacket;
struct _ENetEvent;

namespace laurel {

// An IPv4 address in network byte order, or nothing when the text is not four decimal numbers.
std::optional<std::uint32_t> numeric_address(const std::string& text);

class EnetTransport final : public ClientTransport {
 public:
  struct Listen {
    std::string bind = "127.0.0.1";  // numeric
    std::uint16_t port = 0;          // 0: a free one
    std::size_t clients = 1024;      // at most kLiveClientsMax
    bool checksum = false;           // both sides alike, or nothing connects
  };

  // A server's end.
  // Fails with  invalid      bind is no IPv4 address
  //             unavailable  the system does not let us listen there; the sentence says why
  static Result<std::unique_ptr<EnetTransport>> listen(const Listen& options);

  // A client's end; direct() it somewhere, then connect().
  static Result<std::unique_ptr<EnetTransport>> client(bool checksum);

  ~EnetTransport() override;
  EnetTransport(const EnetTransport&) = delete;
  EnetTransport& operator=(const EnetTransport&) = delete;

  void set_doorman(Doorman* doorman) override { doorman_ = doorman; }
  std::optional<TransportEvent> next() override;
  bool send(PeerId peer, Channel channel, const MessagePtr& message) override;
  void flush() override;
  void close(PeerId peer, std::uint32_t why) override;
  Time round_trip(PeerId peer) const override;

  // Where connect() goes from now on. address: network byte order; port: host byte order
  void direct(std::uint32_t address, std::uint16_t port);
  Result<PeerId> connect(std::uint32_t word) override;

  std::uint16_t port() const;

  // Waits until there is something to read, wake() was called or the time is over; whether wake()
  // was.
  bool wait(Time at_most);
  // Likewise, whatever comes to be read.
  bool rest(Time at_most);
  // Ends a wait() or rest() that runs, or the next one. Any thread.
  void wake();

  // Connections of ENet's, those that are still closing included.
  std::size_t connections() const;
  // Datagrams dropped before ENet saw them, by us or by the system, or that ENet choked on.
  std::uint64_t garbage() const;
  // Datagrams that ENet has read; begins anew after 2^32.
  std::uint32_t datagrams() const;
  // Connects that the doorman did not expect, repeated ones included.
  std::uint64_t denied() const { return denied_; }

 private:
  EnetTransport(_ENetHost* host, bool server);

  // Sends what is queued, and reads a batch of datagrams into events_.
  void pump();
  std::uint16_t awaited(std::string_view datagram) const;
  bool wait_for(short of_socket, Time at_most);
  static int intercept(_ENetHost* host, _ENetEvent* event);
  bool expected(std::string_view datagram);
  void deny(const Knock& knock);
  void reap_half_open();
  void guard(_ENetPeer* peer) const;
  std::optional<TransportEvent> translated(_ENetEvent& event);
  _ENetPeer* find(PeerId peer) const;
  PeerId assign(const _ENetPeer* peer);
  std::size_t slot(const _ENetPeer* peer) const;
  _ENetPacket* packet(Channel channel, const MessagePtr& message);
  void forget_packets();

  _ENetHost* host_;
  bool server_;
  Doorman* doorman_ = nullptr;
  TokenBucket denials_{kLiveDenialsPerSecond, kLiveDenialsPerSecond, 0};
  std::uint64_t denied_ = 0;
  TokenBucket connects_;  // that ENet is to see
  // By ENet's slot: connections that were begun and not answered, and since when.
  struct HalfOpen {
    std::uint32_t connection = 0;
    Time since = 0;
  };
  std::vector<HalfOpen> half_open_;
  bool any_half_open_ = false;
  Time reaped_at_ = 0;
  int wake_fd_ = -1;
  std::vector<PeerId> peers_;  // by ENet's slot; 0: none, or closed
  PeerId last_peer_ = 0;
  std::uint32_t address_ = 0;  // network byte order
  std::uint16_t port_ = 0;
  // Packets made since the last flush, for those who are sent the same message; each holds one of
  // ENet's references, and the message so that its address is not used again.
  std::unordered_map<const std::string*, std::pair<MessagePtr, _ENetPacket*>> packets_;
  std::uint64_t garbage_ = 0;
  std::deque<TransportEvent> events_;  // read and not fetched: a batch, or kLiveEventsMax and one
  std::size_t unsent_ = 0;             // messages sent since ENet last saw to the network
  // Since next() last came to an end.
  bool drained_ = false;  // there was no more to read
  int pumps_ = 0, errors_ = 0;
  bool more_ = false;  // it ended before all was read
};

}  // namespace laurel
