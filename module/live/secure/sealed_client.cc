#include "live/secure/sealed_client.h"

#include <utility>

namespace laurel {

Result<PeerId> SealedClient::connect(std::uint32_t word, const std::optional<Token>& shown) {
  const Result<PeerId> peer = network_.connect(word);
  forget();
  if (!peer || *peer == 0 || !shown || !shown->server) return peer;
  peer_ = *peer;
  handshake_.emplace(word, shown->secret, *shown->server, draw_key_pair());
  return peer;
}

void SealedClient::forget() {
  peer_ = 0;
  handshake_.reset();
  session_.reset();
}

std::optional<TransportEvent> SealedClient::next() {
  while (std::optional<TransportEvent> event = network_.next()) {
    if (event->peer != peer_ || peer_ == 0 || handle(*event)) return event;
  }
  return std::nullopt;
}

bool SealedClient::handle(TransportEvent& event) {
  switch (event.kind) {
    case TransportEvent::Kind::connected: return begin_handshake(event);
    case TransportEvent::Kind::disconnected: {
      const bool refused = event.why == static_cast<std::uint32_t>(Reason::refused);
      event.why = session_ ? session_->open_reason(event.why) : refused ? event.why : 0;
      forget();
      return true;
    }
    case TransportEvent::Kind::received: return received(event);
  }
  return false;
}

bool SealedClient::begin_handshake(TransportEvent& event) {
  const std::optional<std::string> first = handshake_->first();
  if (!first) return end(event);
  network_.send_bytes(peer_, Channel::reliable, *first);
  return false;
}

bool SealedClient::received(TransportEvent& event) {
  const bool reliable = event.channel == Channel::reliable;
  if (!session_) return reliable && finish_handshake(event);
  if (!session_->open(event.channel, event.bytes, buffer_)) return reliable && end(event);
  std::swap(event.bytes, buffer_);
  return true;
}

bool SealedClient::finish_handshake(TransportEvent& event) {
  const std::optional<SessionKeys> keys = handshake_->finish(event.bytes);
  handshake_.reset();
  if (!keys) return end(event);
  session_.emplace(*keys);
  event = {.kind = TransportEvent::Kind::connected, .peer = event.peer};
  return true;
}

bool SealedClient::end(TransportEvent& event) {
  forget();
  network_.close(event.peer, 0);
  event = {.kind = TransportEvent::Kind::disconnected, .peer = event.peer};
  return true;
}

bool SealedClient::send(PeerId peer, Channel channel, const MessagePtr& message) {
  if (peer != peer_ || peer_ == 0) return network_.send(peer, channel, message);
  if (!session_) return false;
  session_->seal(channel, *message, buffer_);
  return network_.send_bytes(peer, channel, buffer_);
}

void SealedClient::close(PeerId peer, std::uint32_t why) {
  if (peer == peer_) forget();
  network_.close(peer, why);
}

}  // namespace laurel
