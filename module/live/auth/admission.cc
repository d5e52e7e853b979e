#include "live/auth/admission.h"

#include <algorithm>
#include <cassert>

#include "live/limits.h"

namespace laurel {

void Admission::set_time(Time now) {
  now_ = std::max(now_, now);
  while (!ends_.empty() && ends_.begin()->first <= now_) end(ends_.begin()->second);
}

void Admission::add(const Ticket& ticket) {
  assert(ticket.id != 0 && !tickets_.contains(ticket.id));
  if (ticket.kind == Ticket::Kind::pass) make_room();
  Held& held = hold(ticket);
  held.known = true;
  held.was_heard = ticket.previous_word == 0;
  if (ticket.expires <= now_) end(ticket.id);
}

Admission::Held& Admission::hold(Ticket ticket) {
  Held& held = tickets_[ticket.id];
  held.ticket = std::move(ticket);
  index(held.ticket.word, held.ticket.id);
  if (held.ticket.previous_word != 0) index(held.ticket.previous_word, held.ticket.id);
  if (held.ticket.expires != Ticket::kNever) ends_.emplace(held.ticket.expires, held.ticket.id);
  if (held.ticket.kind == Ticket::Kind::pass) ++passes_;
  return held;
}

void Admission::revoke(std::string_view player) {
  std::vector<TicketId> ending;
  for (const auto& [id, held] : tickets_) {
    if (held.ticket.player == player) ending.push_back(id);
  }
  for (const TicketId id : ending) end(id);
}

void Admission::rename(std::string_view from, const std::string& to) {
  for (auto& [id, held] : tickets_) {
    if (held.ticket.player != from) continue;
    held.ticket.player = to;
    changed(held);
  }
}

std::vector<PeerId> Admission::end_gateway(TicketId id) {
  Held* const held = find(id);
  if (held == nullptr) return {};
  std::vector<PeerId> peers(held->gateways.begin(), held->gateways.end());
  end(id);
  return peers;
}

std::optional<std::string> Admission::player_of(const Token& token) {
  const Held* const held =
      find(token.word, {token.secret.data(), token.secret.size()}, token.server.has_value());
  if (held == nullptr || held->ticket.kind != Ticket::Kind::token) return std::nullopt;
  return held->ticket.player;
}

ConnectFilter::Verdict Admission::expects(std::uint32_t word, std::uint64_t who) {
  const auto [first, last] = words_.equal_range(word);
  if (first == last) {
    return on_the_way_ != nullptr && on_the_way_->any() ? Verdict::ignore : Verdict::reject;
  }
  const bool may = std::any_of(
      first, last, [&](const auto& entry) { return may_attempt(*find(entry.second), who); });
  return may ? Verdict::accept : Verdict::ignore;
}

bool Admission::may_attempt(Held& held, std::uint64_t who) {
  const bool gateway = held.ticket.kind == Ticket::Kind::gateway;
  const std::size_t most =
      gateway ? kLiveGatewayAttemptsMax : std::max<std::size_t>(kLiveAttemptsMax, held.ticket.uses);
  if (most > kAttemptsKept) return true;  // one token for very many clients: not limited
  std::erase_if(held.attempts,
                [&](const ConnectAttempt& k) { return now_ - k.at >= kLiveHelloWithin; });
  const auto same = [&](const ConnectAttempt& k) { return k.who == who; };
  if (std::any_of(held.attempts.begin(), held.attempts.end(), same)) return true;
  if (held.attempts.size() >= most) return false;
  held.attempts.push_back({who, now_});
  return true;
}

std::optional<Admission::Admitted> Admission::admit(PeerId peer, std::uint32_t word,
                                                    std::string_view secret, bool sealed) {
  Held* const found = find(word, secret, sealed);
  if (found == nullptr) {
    // An encrypted connection was made with a token that has ended since.
    return auth_ == Auth::open && !sealed ? std::optional(Admitted()) : std::nullopt;
  }

  Admitted admitted;
  if (found->ticket.kind == Ticket::Kind::gateway) {
    found->gateways.insert(peer);
    inside_[peer] = found->ticket.id;
    admitted.word = found->ticket.word;
    admitted.gateway = true;
    return admitted;
  }
  Held* pass = found;
  if (found->ticket.kind == Ticket::Kind::token) {
    pass = &pass_of_token(*found, admitted.replaced);
  } else {
    spend(*pass);  // the client has the word of the welcome, so the welcome arrived
    admitted.replaced = std::exchange(pass->peer, 0);
    inside_.erase(admitted.replaced);
    Ticket& ticket = pass->ticket;
    const std::uint32_t unused = word == ticket.word ? ticket.previous_word : ticket.word;
    if (unused != 0) unindex(unused, ticket.id);
    ticket.previous_word = word;
    ticket.word = draw_word();
    index(ticket.word, ticket.id);
  }
  pass->peer = peer;
  pass->was_heard = false;
  expire_at(*pass, Ticket::kNever);
  changed(*pass);
  inside_[peer] = pass->ticket.id;
  admitted.player = pass->ticket.player;
  admitted.word = pass->ticket.word;
  return admitted;
}

Admission::Held& Admission::pass_of_token(Held& token, PeerId& replaced) {
  if (token.unheard.size() >= token.ticket.uses) {
    const auto lost = std::find_if(token.unheard.begin(), token.unheard.end(),
                                   [&](TicketId id) { return find(id)->peer == 0; });
    const TicketId out = lost != token.unheard.end() ? *lost : token.unheard.front();
    replaced = find(out)->peer;
    end(out);
  }
  Ticket ticket;
  ticket.kind = Ticket::Kind::pass;
  do {
    ticket.id = random_();
  } while (ticket.id == 0 || tickets_.contains(ticket.id));
  ticket.sealed = token.ticket.sealed;
  ticket.secret = token.ticket.secret;
  ticket.player = token.ticket.player;
  ticket.word = draw_word();
  make_room();
  Held& pass = hold(std::move(ticket));
  pass.token = token.ticket.id;
  token.unheard.push_back(pass.ticket.id);
  return pass;
}

// Spends a use of the token that the pass was made from, if it was not spent already.
void Admission::spend(Held& pass) {
  Held* const token = find(std::exchange(pass.token, 0));
  if (token == nullptr) return;
  std::erase(token->unheard, pass.ticket.id);
  if (--token->ticket.uses == 0) return end(token->ticket.id);
  changed(*token);
}

void Admission::heard(PeerId peer) {
  const auto entry = inside_.find(peer);
  if (entry == inside_.end()) return;
  Held& pass = *find(entry->second);
  if (pass.ticket.kind == Ticket::Kind::gateway) return;
  if (std::exchange(pass.was_heard, true)) return;
  spend(pass);
  if (pass.ticket.previous_word != 0) {
    unindex(std::exchange(pass.ticket.previous_word, 0), pass.ticket.id);
  }
  changed(pass);
}

void Admission::left(PeerId peer) {
  const auto entry = inside_.find(peer);
  if (entry == inside_.end()) return;
  Held& pass = *find(entry->second);
  inside_.erase(entry);
  if (pass.ticket.kind == Ticket::Kind::gateway) {
    pass.gateways.erase(peer);
    return;
  }
  pass.peer = 0;
  expire_at(pass, now_ + kLivePassFor);
  changed(pass);
}

TicketNews Admission::take_news() {
  TicketNews news;
  for (const TicketId id : changed_) {
    Held& held = *find(id);
    held.known = true;
    news.stand.push_back(held.ticket);
  }
  news.ended.assign(ended_.begin(), ended_.end());
  changed_.clear();
  ended_.clear();
  return news;
}

// A pass is reported only after it was heard. Until then its token is still valid.
void Admission::changed(const Held& held) {
  if (held.token == 0) changed_.insert(held.ticket.id);
}

void Admission::expire_at(Held& held, Time expires) {
  Ticket& ticket = held.ticket;
  if (ticket.expires != Ticket::kNever) ends_.erase({ticket.expires, ticket.id});
  ticket.expires = expires;
  if (expires != Ticket::kNever) ends_.emplace(expires, ticket.id);
}

void Admission::end(TicketId id) {
  Held& held = *find(id);
  if (Held* const token = find(held.token)) std::erase(token->unheard, id);
  for (const TicketId given : held.unheard) find(given)->token = 0;  // this token ends first
  if (held.peer != 0) inside_.erase(held.peer);
  for (const PeerId gateway : held.gateways) inside_.erase(gateway);
  unindex(held.ticket.word, id);
  if (held.ticket.previous_word != 0) unindex(held.ticket.previous_word, id);
  expire_at(held, Ticket::kNever);
  if (held.ticket.kind == Ticket::Kind::pass) --passes_;
  changed_.erase(id);
  if (held.known) ended_.insert(id);
  tickets_.erase(id);
}

void Admission::make_room() {
  if (passes_ < kLivePassesMax) return;
  const auto lost = std::find_if(ends_.begin(), ends_.end(), [&](const auto& entry) {
    return find(entry.second)->ticket.kind == Ticket::Kind::pass;
  });
  if (lost != ends_.end()) end(lost->second);
}

void Admission::index(std::uint32_t word, TicketId id) { words_.emplace(word, id); }

void Admission::unindex(std::uint32_t word, TicketId id) {
  const auto [first, last] = words_.equal_range(word);
  const auto entry = std::find_if(first, last, [&](const auto& e) { return e.second == id; });
  if (entry != last) words_.erase(entry);
}

Admission::Held* Admission::find(TicketId id) {
  const auto found = tickets_.find(id);
  return found == tickets_.end() ? nullptr : &found->second;
}

std::vector<Secret> Admission::sealed_secrets(std::uint32_t word) const {
  std::vector<Secret> secrets;
  const auto [first, last] = words_.equal_range(word);
  for (auto entry = first; entry != last && secrets.size() < kLiveSecretsOfWordMax; ++entry) {
    const Ticket& ticket = tickets_.at(entry->second).ticket;
    if (ticket.sealed) secrets.push_back(ticket.secret);
  }
  return secrets;
}

bool Admission::has_clear(std::uint32_t word) const {
  const auto [first, last] = words_.equal_range(word);
  return std::any_of(
      first, last, [this](const auto& entry) { return !tickets_.at(entry.second).ticket.sealed; });
}

Admission::Held* Admission::find(std::uint32_t word, std::string_view secret, bool sealed) {
  const auto [first, last] = words_.equal_range(word);
  for (auto entry = first; entry != last; ++entry) {
    Held& held = *find(entry->second);
    if (held.ticket.sealed == sealed &&
        same_secret({held.ticket.secret.data(), held.ticket.secret.size()}, secret))
      return &held;
  }
  return nullptr;
}

std::uint32_t Admission::draw_word() {
  while (true) {
    const auto word = static_cast<std::uint32_t>(random_());
    if (word != 0) return word;
  }
}

}  // namespace laurel
