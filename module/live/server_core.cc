#include "live/server_core.h"

#include <algorithm>

#include "base/text.h"

namespace laurel {

ServerCore::ServerCore(Transport& transport, double rate, std::uint64_t seed)
    : transport_(transport), rate_(rate), random_(seed) {}

// source: splitmix64, S. Vigna, after G. Steele et al., "Fast Splittable Pseudorandom Number
// Generators", 2014. An epoch has to be unlikely to come twice, not hard to guess.
std::uint64_t ServerCore::epoch() {
  std::uint64_t z = random_ += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return z == 0 ? 1 : z;
}

void ServerCore::post(const std::string& board, const Window& window) {
  const auto found = boards_.find(board);
  if (found == boards_.end()) {
    if (boards_.size() >= kLiveBoardsMax) {
      ++counters_.dropped;
      log(Level::error, fmt::format("live: \"{}\" is not published: {} boards are, the most",
                                    escaped(board), kLiveBoardsMax));
      return;
    }
    Numbers& numbers = *this;
    Publication& added = boards_.try_emplace(board, window, numbers).first->second;
    for (auto& [peer, connection] : connections_) connection.published(board, added);
    waiting_ = true;
    if (added.cut()) warn_of_cut(board, added);
    return;
  }
  Publication& publication = found->second;
  const bool was_cut = publication.cut();
  switch (publication.push(window)) {
    case Publication::News::none: break;
    case Publication::News::version: waiting_ = true; break;
    case Publication::News::epoch:
      for (auto& [peer, connection] : connections_) connection.published(board, publication);
      waiting_ = true;
      break;
  }
  if (publication.cut() && !was_cut) warn_of_cut(board, publication);
}

void ServerCore::warn_of_cut(const std::string& board, const Publication& publication) {
  log(Level::warn, fmt::format("live: the top of \"{}\" is cut to {} entries: with names and data "
                               "more do not fit into {} bytes",
                               escaped(board), publication.ring().newest()->entries.size(),
                               kLiveMessageBytesMax));
}

void ServerCore::unpublish(const std::string& board) {
  if (boards_.erase(board) == 0) return;
  for (auto& [peer, connection] : connections_) connection.unpublished(board);
}

void ServerCore::receive(Time now) {
  for (std::size_t i = 0; i < kLiveEventsMax; ++i) {
    const std::optional<TransportEvent> event = transport_.next();
    if (!event) return;
    switch (event->kind) {
      case TransportEvent::Kind::connected: {
        Host& host = *this;
        connections_.try_emplace(event->peer, host, event->peer, rate_, now);
        waiting_ = true;
        break;
      }
      case TransportEvent::Kind::disconnected: connections_.erase(event->peer); break;
      case TransportEvent::Kind::received: {
        const auto connection = connections_.find(event->peer);
        if (connection == connections_.end()) break;
        const auto farewell = connection->second.receive(event->bytes, event->channel, now);
        if (farewell)
          end(event->peer, *farewell);
        else
          waiting_ = waiting_ || connection->second.waiting();
        break;
      }
    }
  }
}

void ServerCore::tick(Time now) {
  waiting_ = false;
  std::vector<std::pair<PeerId, Farewell>> leaving;
  for (auto& [peer, connection] : connections_) {
    if (const std::optional<Farewell> farewell = connection.tick(now)) {
      leaving.emplace_back(peer, *farewell);
    }
    waiting_ = waiting_ || connection.waiting();
  }
  for (const auto& [peer, farewell] : leaving) end(peer, farewell);
  flush();
}

void ServerCore::flush() {
  if (std::exchange(unflushed_, false)) transport_.flush();
}

void ServerCore::close() {
  std::vector<PeerId> peers;
  for (const auto& [peer, connection] : connections_) peers.push_back(peer);
  for (const PeerId peer : peers)
    end(peer, {Reason::closing, std::string(meaning(Reason::closing))});
  transport_.flush();
}

void ServerCore::end(PeerId peer, const Farewell& farewell) {
  send(peer, Channel::reliable,
       std::make_shared<const std::string>(
           encode(ServerMessage(Bye{farewell.reason, farewell.sentence}))));
  transport_.close(peer, static_cast<std::uint32_t>(farewell.reason));
  connections_.erase(peer);
  if (farewell.reason == Reason::closing) return;
  ++counters_.closed;
  log(Level::info, fmt::format("live: a client was sent away: {}: {}", word(farewell.reason),
                               farewell.sentence));
}

Publication* ServerCore::find(std::string_view board) {
  const auto found = boards_.find(board);
  return found == boards_.end() ? nullptr : &found->second;
}

void ServerCore::send(PeerId peer, Channel channel, const MessagePtr& message) {
  if (!transport_.send(peer, channel, message)) {
    ++counters_.dropped;
    return;
  }
  unflushed_ = true;
  ++counters_.sent;
  counters_.bytes += message->size();
}

ServerStats ServerCore::stats() const {
  ServerStats stats = counters_;
  stats.clients = connections_.size();
  stats.boards = boards_.size();
  return stats;
}

void ServerCore::log(Level level, std::string line) {
  if (log_.size() < kLiveLogLinesMax) log_.emplace_back(level, std::move(line));
}

}  // namespace laurel
