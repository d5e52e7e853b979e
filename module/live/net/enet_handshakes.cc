#include "live/net/enet_handshakes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <enet/enet.h>

#include "base/hash.h"
#include "base/steady_clock.h"

namespace laurel {

namespace {

// The interval of the search for connections whose handshake never completed.
constexpr Time kReapEvery = kSecond / 4;
// ENet takes this for the round trip until the answer to a connect is acknowledged, and so does not
// repeat the answer by itself. The acknowledgement brings the true one.
constexpr enet_uint32 kUnprovenRoundTripMs = 30'000;

std::uint32_t checksum_of(std::string_view datagram) {
  ENetBuffer buffer{};
  buffer.data = const_cast<char*>(datagram.data());
  buffer.dataLength = datagram.size();
  return enet_crc32(&buffer, 1);
}

std::span<ENetPeer> peers_of(ENetHost& host) { return {host.peers, host.peerCount}; }

}  // namespace

EnetHandshakes::EnetHandshakes(ENetHost& host) : host_(host), half_open_(host.peerCount) {}

bool EnetHandshakes::begin(const ConnectAttempt& attempt) {
  if (answer_again(attempt)) return false;
  prepare_slot();
  return any_half_open_ = true;
}

// Makes ENet send the answer to the attempt again, if it has a half-open connection.
bool EnetHandshakes::answer_again(const ConnectAttempt& attempt) {
  const ENetAddress& from = host_.receivedAddress;
  for (ENetPeer& peer : peers_of(host_)) {
    if (peer.state != ENET_PEER_STATE_ACKNOWLEDGING_CONNECT || peer.address.host != from.host ||
        peer.address.port != from.port || peer.connectID != attempt.connection) {
      continue;
    }
    ENetList& sent = peer.sentReliableCommands;  // the answer, unless it waits to be sent
    for (auto* each = enet_list_begin(&sent); each != enet_list_end(&sent);
         each = enet_list_next(each)) {
      reinterpret_cast<ENetOutgoingCommand*>(each)->roundTripTimeout = 0;
    }
    peer.nextTimeout = host_.serviceTime;
    return true;
  }
  return false;
}

// Prepares the slot that ENet gives to a new connection: the first free one. ENet sets these fields
// only when a slot becomes free.
void EnetHandshakes::prepare_slot() {
  const std::span peers = peers_of(host_);
  const auto free = std::find_if(peers.begin(), peers.end(), [](const ENetPeer& peer) {
    return peer.state == ENET_PEER_STATE_DISCONNECTED;
  });
  if (free == peers.end()) return;
  free->outgoingReliableSequenceNumber = static_cast<enet_uint16>(random_u64());
  free->roundTripTime = kUnprovenRoundTripMs;
  half_open_[static_cast<std::size_t>(free - peers.begin())] = {steady_now(), 0};
}

bool EnetHandshakes::proven(std::string_view datagram) {
  const std::optional<std::uint16_t> at = datagram_peer(datagram);
  if (!at || *at >= host_.peerCount) return true;
  const ENetPeer& peer = host_.peers[*at];
  const ENetAddress& from = host_.receivedAddress;
  if (peer.state != ENET_PEER_STATE_ACKNOWLEDGING_CONNECT || peer.address.host != from.host ||
      peer.address.port != from.port) {
    return true;  // ENet ignores datagrams from another address
  }
  HalfOpen& half_open = half_open_[*at];
  if (half_open.wrong >= kLiveWrongProofsMax) return false;
  const std::optional<std::uint16_t> number =
      acknowledged_number(datagram, host_.checksum != nullptr);
  if (number == peer.outgoingReliableSequenceNumber) return true;
  if (number) {
    ++half_open.wrong;
  } else {
    ask_again(peer, datagram.size());
  }
  return false;
}

// A client speaks, and its acknowledgement of the answer was lost. It acknowledges a ping with the
// same number. No more bytes are sent than were received.
void EnetHandshakes::ask_again(const ENetPeer& peer, std::size_t bytes) {
  std::string question = question_of({peer.outgoingPeerID, peer.outgoingSessionID, peer.connectID},
                                     peer.outgoingReliableSequenceNumber,
                                     static_cast<std::uint16_t>(host_.serviceTime),
                                     host_.checksum != nullptr ? checksum_of : nullptr);
  if (question.size() <= bytes) send_to_sender(std::move(question));
}

void EnetHandshakes::deny(const ConnectAttempt& attempt) {
  if (!denials_.take(steady_now())) return;
  send_to_sender(denial_of(attempt, host_.checksum != nullptr ? checksum_of : nullptr));
}

void EnetHandshakes::send_to_sender(std::string datagram) {
  ENetBuffer buffer{};
  buffer.data = datagram.data();
  buffer.dataLength = datagram.size();
  enet_socket_send(host_.socket, &host_.receivedAddress, &buffer, 1);
}

void EnetHandshakes::reap() {
  const Time now = steady_now();
  if (!any_half_open_ || now - reaped_at_ < kReapEvery) return;
  reaped_at_ = now;
  any_half_open_ = false;
  const std::span peers = peers_of(host_);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers[i].state != ENET_PEER_STATE_ACKNOWLEDGING_CONNECT) continue;
    if (now - half_open_[i].since >= kLiveHelloWithin) {
      enet_peer_reset(&peers[i]);
    } else {
      any_half_open_ = true;
    }
  }
}

}  // namespace laurel
