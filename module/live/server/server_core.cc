#include "live/server/server_core.h"

#include <algorithm>

#include "base/text.h"
#include "live/limits.h"

namespace laurel {

ServerCore::ServerCore(Transport& transport, Options options)
    : transport_(transport, admission_),
      rate_(options.rate),
      version_max_(options.version_max),
      random_(options.random),
      on_the_way_(options.on_the_way),
      admission_(options.auth, std::move(options.random), options.on_the_way),
      slots_(options.clients, options.clients_per_address) {
  if (options.auth == Auth::token) transport_.set_connect_filter(&admission_);
}

ServerCore::~ServerCore() {
  transport_.set_connect_filter(nullptr);
  connections_.clear();  // their destructors use the other members
}

std::uint64_t ServerCore::epoch() {
  while (true) {
    if (const std::uint64_t drawn = random_(); drawn != 0) return drawn;
  }
}

void ServerCore::post(const std::string& board, WindowPtr window) {
  const std::uint64_t size = window->size;
  const auto found = boards_.find(board);
  if (found == boards_.end()) {
    if (boards_.size() >= kLiveBoardsMax) {
      ++counters_.dropped;
      log(Level::error,
          fmt::format(
              "live: board \"{}\" is not published: {} boards are published, the most allowed",
              escaped(board), kLiveBoardsMax));
      return;
    }
    announced_.erase(board);
    Numbers& numbers = *this;
    Publication& added = boards_.try_emplace(board, std::move(window), numbers).first->second;
    if (list_) list_->set_size(board, size);
    for (auto& [peer, connection] : connections_) connection.published(board, added);
    waiting_ = true;
    return;
  }
  Publication& publication = found->second;
  if (list_ && publication.window().size != size) {
    list_->set_size(board, size);
    wake_those_who_ask();
  }
  switch (publication.push(std::move(window))) {
    case Publication::News::none: break;
    case Publication::News::version: waiting_ = true; break;
    case Publication::News::epoch:
      for (auto& [peer, connection] : connections_) connection.published(board, publication);
      waiting_ = true;
      break;
  }
  attached(board, publication);
}

void ServerCore::attached(const std::string& board, Publication& publication) {
  const std::optional<std::size_t> fitting = publication.take_cut();
  if (!fitting || find(board) != &publication) return;  // or it is the entries around a player
  log(Level::warn, fmt::format("live: the top of \"{}\" is cut to {} entries: with names and data "
                               "more do not fit into {} bytes",
                               escaped(board), *fitting, kLiveMessageBytesMax));
}

void ServerCore::post(FollowId id, WindowPtr window) {
  auto* const entry = follows_.find(id);
  if (entry == nullptr) return;
  auto& [around, follow] = *entry;
  const bool first = !follow.windows;
  if (first) {
    Numbers& numbers = *this;
    follow.windows.emplace(std::move(window), numbers, kLiveAroundKept);
  }
  const auto news = first ? Publication::News::epoch : follow.windows->push(std::move(window));
  if (news == Publication::News::none) return;
  waiting_ = true;
  if (news == Publication::News::version) return;
  for (const PeerId peer : follow.followers) {
    connections_.at(peer).looked_up(around, *follow.windows);
  }
}

void ServerCore::describe(const std::string& board, const BoardDescription& description) {
  list().describe(board, description);
  if (const Publication* const publication = find(board)) {
    list_->set_size(board, publication->window().size);
  }
  wake_those_who_ask();
}

PublishedList& ServerCore::list() {
  if (!list_) list_.emplace(epoch());
  return *list_;
}

void ServerCore::announce(const std::string& board) {
  if (!boards_.contains(board) && announced_.size() < kLiveBoardsMax) announced_.insert(board);
}

void ServerCore::unpublish(const std::string& board) {
  if (list_) {
    list_->remove(board);
    wake_those_who_ask();
  }
  if (boards_.erase(board) + announced_.erase(board) == 0) return;
  follows_.end_board(board);
  for (auto& [peer, connection] : connections_) connection.unpublished(board);
}

void ServerCore::receive(Time now) {
  for (std::size_t i = 0; i < kLiveEventsMax; ++i) {
    const std::optional<TransportEvent> event = transport_.next();
    if (!event) return;
    // A hello may have a token that was given out after this round began.
    if (on_the_way_ != nullptr && on_the_way_->any()) on_the_way_->arrive();
    receive(*event, now);
    // Not in admit() and take_slot(): they run inside a connection's receive(), and end() destroys
    // connections.
    for (const auto& [peer, close_reason] : std::exchange(leaving_, {})) end(peer, close_reason);
  }
}

void ServerCore::receive(const TransportEvent& event, Time now) {
  switch (event.kind) {
    case TransportEvent::Kind::connected: {
      Host& host = *this;
      connections_.try_emplace(event.peer, host, event.peer, event.word, rate_, now, version_max_);
      waiting_ = true;
      return;
    }
    case TransportEvent::Kind::disconnected: return forget(event.peer);
    case TransportEvent::Kind::received: {
      const auto connection = connections_.find(event.peer);
      if (connection == connections_.end()) return;
      Connection& client = connection->second;
      const bool subscribed = client.subscribed();
      const auto close_reason = client.receive(event.bytes, event.channel, now);
      if (close_reason) return end(event.peer, *close_reason);
      if (client.subscribed() != subscribed) {
        slots_.set_subscribed(event.peer, client.subscribed(), now);
      }
      waiting_ = waiting_ || client.waiting();
      any_asks_ = any_asks_ || client.asks_for_list();
    }
  }
}

void ServerCore::tick(Time now) {
  waiting_ = any_asks_ = false;
  if (list_) list_->tick(now);
  std::vector<std::pair<PeerId, CloseReason>> leaving;
  for (auto& [peer, connection] : connections_) {
    if (const std::optional<CloseReason> close_reason = connection.tick(now)) {
      leaving.emplace_back(peer, *close_reason);
    }
    waiting_ = waiting_ || connection.waiting();
    any_asks_ = any_asks_ || connection.asks_for_list();
  }
  if (list_ && list_->waiting()) wake_those_who_ask();
  for (const auto& [peer, close_reason] : leaving) end(peer, close_reason);
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

namespace {

std::uint64_t& count_of(Reason reason, ServerStats::Closed& closed) {
  switch (reason) {
    case Reason::slow: return closed.slow;
    case Reason::late: return closed.late;
    case Reason::abuse: return closed.abuse;
    case Reason::closing: return closed.stopped;
    default: return closed.refused;
  }
}

}  // namespace

void ServerCore::end(PeerId peer, const CloseReason& close_reason) {
  send(peer, Channel::reliable,
       std::make_shared<const std::string>(
           encode(ServerMessage(Bye{close_reason.reason, close_reason.sentence}))));
  transport_.close(peer, static_cast<std::uint32_t>(close_reason.reason));
  forget(peer);
  ++count_of(close_reason.reason, counters_.closed_for);
  if (close_reason.reason == Reason::closing) return;
  ++counters_.closed;
  log(Level::info, fmt::format("live: a client was sent away: {}: {}", word(close_reason.reason),
                               close_reason.sentence));
}

void ServerCore::rename(std::string_view from, const std::string& to) {
  admission_.rename(from, to);
  for (auto& [peer, connection] : connections_) connection.renamed(from, to);
}

void ServerCore::end_gateway(TicketId id) {
  for (const PeerId peer : admission_.end_gateway(id)) {
    end(peer, {Reason::refused, "the gateway's token was revoked"});
  }
}

std::optional<std::string> ServerCore::player_of(std::string_view text) {
  const std::optional<Token> token = token_of(text);
  return token ? admission_.player_of(*token) : std::nullopt;
}

void ServerCore::forget(PeerId peer) {
  connections_.erase(peer);
  admission_.left(peer);
  slots_.give_back(peer);
}

std::optional<Admission::Admitted> ServerCore::admit(PeerId peer, std::uint32_t word,
                                                     std::string_view secret) {
  auto admitted = admission_.admit(peer, word, secret, transport_.is_sealed(peer));
  if (admitted && admitted->replaced != 0) {
    slots_.give_back(admitted->replaced);
    leaving_.emplace_back(admitted->replaced,
                          CloseReason{Reason::replaced, std::string(meaning(Reason::replaced))});
  }
  return admitted;
}

std::optional<CloseReason> ServerCore::take_slot(PeerId peer, Time now) {
  const ClientSlots::Taken taken = slots_.take(peer, transport_.address(peer), now);
  switch (taken.answer) {
    case ClientSlots::Answer::full: return CloseReason{Reason::refused, "full"};
    case ClientSlots::Answer::address_full: {
      auto sentence =
          fmt::format("full: this address has its share of the slots ({})", slots_.per_address());
      return CloseReason{Reason::refused, std::move(sentence)};
    }
    case ClientSlots::Answer::taken: break;
  }
  if (taken.sent_away != 0) {
    auto sentence =
        fmt::format("full: this client had no subscription for {} s", kLiveIdleAfter / kSecond);
    leaving_.emplace_back(taken.sent_away, CloseReason{Reason::refused, std::move(sentence)});
  }
  return std::nullopt;
}

Publication* ServerCore::follow(PeerId peer, const Around& around) {
  Follows::Follow& follow = follows_.begin(around, peer);
  return follow.windows ? &*follow.windows : nullptr;
}

void ServerCore::unfollow(PeerId peer, const Around& around) { follows_.end(around, peer); }

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
  stats.denied += transport_.refused();
  stats.boards = boards_.size();
  stats.tickets = admission_.tickets();
  stats.followed = follows_.size();
  return stats;
}

void ServerCore::log(Level level, std::string line) {
  if (log_.size() < kThreadLogLinesMax) log_.emplace_back(level, std::move(line));
}

}  // namespace laurel
