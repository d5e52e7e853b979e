#include "live/auth/ticket_store.h"

#include <algorithm>
#include <span>

#include "base/bytes.h"
#include "base/hash.h"
#include "live/limits.h"

namespace laurel {

KeptTickets::KeptTickets(PersistentRows rows, unsigned slot)
    : rows_(std::move(rows)), slot_(static_cast<char>(std::min(slot, 255U))) {}

std::vector<Ticket> KeptTickets::load(Time now) {
  std::vector<Ticket> standing;
  std::vector<TicketId> over;
  rows_.each([&](std::string_view key, std::string_view row) {
    if (key.empty() || key.front() != slot_) return;
    const TicketId id = number_of_sortable(key.substr(1));
    std::optional<Ticket> ticket = ticket_of(id, row);
    if (ticket && ticket->kind == Ticket::Kind::pass) {
      ticket->expires = std::min(ticket->expires, now + kLivePassFor);
    }
    if (ticket && ticket->expires > now) {
      standing.push_back(std::move(*ticket));
    } else {
      over.push_back(id);
    }
  });
  for (const TicketId id : over) rows_.erase(key(id));
  for (const Ticket& ticket : standing) put(ticket);
  return standing;
}

namespace {
bool is_token(const Ticket& ticket) { return ticket.kind != Ticket::Kind::pass; }
}  // namespace

Result<Ticket> KeptTickets::draw(std::string_view player, Time expires, std::uint32_t uses,
                                 bool sealed) {
  Ticket token;
  token.sealed = sealed;
  token.player = player;
  token.uses = uses;
  token.expires = expires;
  return draw(std::move(token));
}

Result<Ticket> KeptTickets::draw_gateway(Time expires, bool sealed) {
  Ticket token;
  token.kind = Ticket::Kind::gateway;
  token.sealed = sealed;
  token.expires = expires;
  return draw(std::move(token));
}

Result<Ticket> KeptTickets::draw(Ticket token) {
  if (tokens_ >= kLiveTokensMax) {
    return Refusal(Code::unavailable, "{} tokens are not used up yet, the most allowed",
                   kLiveTokensMax);
  }
  do {
    token.id = random_u64();
  } while (token.id == 0 || tickets_.contains(token.id));
  while (token.word == 0) token.word = static_cast<std::uint32_t>(random_u64());
  fill_random(std::as_writable_bytes(std::span(token.secret)));
  put(token);
  return token;
}

std::optional<TicketId> KeptTickets::end_gateway(const Token& token, Time now) {
  const auto found = std::find_if(tickets_.begin(), tickets_.end(), [&](const auto& each) {
    const Ticket& ticket = each.second;
    return ticket.kind == Ticket::Kind::gateway && ticket.word == token.word &&
           ticket.sealed == token.server.has_value() &&
           same_secret({ticket.secret.data(), ticket.secret.size()},
                       {token.secret.data(), token.secret.size()});
  });
  if (found == tickets_.end()) return std::nullopt;
  const TicketId id = found->first;
  const bool is_over = found->second.expires <= now;
  erase(id);
  return is_over ? std::nullopt : std::optional(id);
}

void KeptTickets::take(const TicketNews& news) {
  for (const Ticket& ticket : news.stand) put(ticket);
  for (const TicketId id : news.ended) erase(id);
}

std::vector<TicketId> KeptTickets::of(std::string_view player) const {
  std::vector<TicketId> ids;
  for (const auto& [id, ticket] : tickets_) {
    if (ticket.player == player) ids.push_back(id);
  }
  return ids;
}

bool KeptTickets::forget(std::string_view player) {
  const std::vector<TicketId> ending = of(player);
  for (const TicketId id : ending) erase(id);
  return !ending.empty();
}

bool KeptTickets::rename(std::string_view from, std::string_view to) {
  const std::vector<TicketId> moving = of(from);
  for (const TicketId id : moving) {
    Ticket ticket = tickets_.at(id);
    ticket.player = to;
    put(ticket);
  }
  return !moving.empty();
}

void KeptTickets::put(const Ticket& ticket) {
  const auto [entry, is_new] = tickets_.insert_or_assign(ticket.id, ticket);
  if (is_new && is_token(ticket)) ++tokens_;
  rows_.put(key(ticket.id), ticket_row(ticket));
}

void KeptTickets::erase(TicketId id) {
  const auto entry = tickets_.find(id);
  if (entry == tickets_.end()) return;
  if (is_token(entry->second)) --tokens_;
  tickets_.erase(entry);
  rows_.erase(key(id));
}

std::string KeptTickets::key(TicketId id) const { return slot_ + sortable(id); }

}  // namespace laurel
