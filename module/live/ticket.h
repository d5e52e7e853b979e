// ticket.h - what a server remembers of somebody whom it will let in.
//
//   token    drawn by the game for a player: so many connections until a moment.
//   pass     of a client that was let in: its next connection.
//   moment   by the registry's clock; see Admission.
//   row      a ticket's bytes in a durable store: kind (1 byte), secret (16), word, former word and
//            uses (4 each), expires (8), the player's length (LEB128) and id.
//   threads  none; everything here is pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "live/token.h"

namespace laurel {

using TicketId = std::uint64_t;  // random; 0 names none

struct Ticket {
  enum class Kind : std::uint8_t { token = 0, pass = 1 };
  static constexpr Time kNever = std::numeric_limits<Time>::max();

  Kind kind = Kind::token;
  TicketId id = 0;
  Secret secret{};
  std::string player;             // 1 to kPlayerBytesMax bytes
  std::uint32_t word = 0;         // that lets in
  std::uint32_t former_word = 0;  // of a pass: lets in too, while the client may not know `word`
  std::uint32_t uses = 0;         // of a token: connections left
  Time expires = kNever;          // of a pass whose client is connected: never

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

std::string ticket_row(const Ticket& ticket);
// Nothing when the row is none.
std::optional<Ticket> ticket_of(TicketId id, std::string_view row);

// What became of tickets: those that are new or changed, and those that ended.
struct TicketNews {
  std::vector<Ticket> stand;
  std::vector<TicketId> ended;
};

}  // namespace laurel
