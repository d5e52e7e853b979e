#include "live/secure/sealed_server.h"

#include <utility>

#include "live/secure/handshake.h"

namespace laurel {

std::optional<TransportEvent> SealedServer::next() {
  while (std::optional<TransportEvent> event = network_.next()) {
    const auto peer = peers_.find(event->peer);
    switch (event->kind) {
      case TransportEvent::Kind::connected:
        if (!admission_.sealed_secrets(event->word).empty()) peers_[event->peer].word = event->word;
        return event;
      case TransportEvent::Kind::disconnected:
        if (peer != peers_.end()) peers_.erase(peer);
        return event;
      case TransportEvent::Kind::received:
        if (peer == peers_.end() ? received_in_clear(*event) : received(*event, peer->second)) {
          return event;
        }
        break;
    }
  }
  if (answered_) flush();
  return std::nullopt;
}

// A handshake for a word of which no sealed ticket is known: an open server lets any word connect.
bool SealedServer::received_in_clear(TransportEvent& event) {
  const bool handshake = event.channel == Channel::reliable && event.bytes.size() == kFirstBytes &&
                         is_first_message(event.bytes);
  return !handshake || refuse(event);
}

bool SealedServer::received(TransportEvent& event, Peer& peer) {
  if (peer.session) return open(event, peer);
  if (event.channel != Channel::reliable) return false;
  if (is_first_message(event.bytes)) return shake_hands(event, peer);
  if (!admission_.has_clear(peer.word)) return refuse(event);
  peers_.erase(event.peer);  // two tickets have this word by chance, and the client has the other
  return true;
}

bool SealedServer::open(TransportEvent& event, Peer& peer) {
  const bool reliable = event.channel == Channel::reliable;
  if (!peer.session->open(event.channel, event.bytes, buffer_)) return reliable && end(event, 0);
  std::swap(event.bytes, buffer_);
  if (reliable) peer.proven = true;  // hello is reliable, and the first
  return peer.proven;
}

bool SealedServer::shake_hands(TransportEvent& event, Peer& peer) {
  for (const Secret& secret : admission_.sealed_secrets(peer.word)) {
    if (!key_) break;
    std::optional<ServerAnswer> answer =
        answer_to(event.bytes, peer.word, secret, *key_, draw_key_pair());
    if (!answer) continue;
    network_.send_bytes(event.peer, Channel::reliable, answer->second);
    peer.session.emplace(answer->keys);
    answered_ = true;
    return false;
  }
  return refuse(event);
}

bool SealedServer::refuse(TransportEvent& event) {
  ++refused_;
  return end(event, static_cast<std::uint32_t>(Reason::refused));
}

bool SealedServer::end(TransportEvent& event, std::uint32_t why) {
  peers_.erase(event.peer);
  network_.close(event.peer, why);
  event = {.kind = TransportEvent::Kind::disconnected, .peer = event.peer};
  return true;
}

bool SealedServer::send(PeerId peer, Channel channel, const MessagePtr& message) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return network_.send(peer, channel, message);
  if (!found->second.proven) return true;
  found->second.session->seal(channel, *message, buffer_);
  return network_.send_bytes(peer, channel, buffer_);
}

void SealedServer::flush() {
  answered_ = false;
  network_.flush();
}

void SealedServer::close(PeerId peer, std::uint32_t why) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return network_.close(peer, why);
  const auto& session = found->second.session;
  network_.close(peer, session ? session->seal_reason(why) : why);
  peers_.erase(found);
}

}  // namespace laurel
