#include "live/auth/ticket.h"

#include <algorithm>

#include "base/bytes.h"
#include "live/limits.h"

namespace laurel {

namespace {
constexpr std::uint8_t kSealedRow = 16;  // is added to the kind
constexpr std::size_t kRowBytesMax = 1 + kLiveSecretBytes + 3 * 4 + 8 + 2 + kPlayerBytesMax;
}  // namespace

std::string ticket_row(const Ticket& ticket) {
  std::string row;
  ByteWriter out(row, kRowBytesMax);
  const auto kind = static_cast<std::uint8_t>(ticket.kind);
  out.u8(static_cast<std::uint8_t>(kind | (ticket.sealed ? kSealedRow : 0)));
  out.bytes({ticket.secret.data(), ticket.secret.size()});
  out.u32(ticket.word);
  out.u32(ticket.previous_word);
  out.u32(ticket.uses);
  out.u64(static_cast<std::uint64_t>(ticket.expires));
  out.leb(ticket.player.size());
  out.bytes(ticket.player);
  return row;
}

std::optional<Ticket> ticket_of(TicketId id, std::string_view row) {
  ByteReader in(row);
  Ticket ticket;
  ticket.id = id;
  const std::uint8_t kind = in.u8();
  ticket.sealed = (kind & kSealedRow) != 0;
  ticket.kind = static_cast<Ticket::Kind>(kind & ~kSealedRow);
  const std::string_view secret = in.bytes(kLiveSecretBytes);
  std::copy(secret.begin(), secret.end(), ticket.secret.begin());
  ticket.word = in.u32();
  ticket.previous_word = in.u32();
  ticket.uses = in.u32();
  ticket.expires = static_cast<Time>(in.u64());
  ticket.player = in.bytes(in.leb(kPlayerBytesMax));
  const bool gateway = ticket.kind == Ticket::Kind::gateway;
  const bool known =
      gateway || ticket.kind == Ticket::Kind::token || ticket.kind == Ticket::Kind::pass;
  if (!in.ok() || !in.at_end() || !known || ticket.player.empty() != gateway) return std::nullopt;
  return ticket;
}

}  // namespace laurel
