// ticket.h - the server's record of a client that may connect.
//
//   token    made by the game for a player: allows n connections until it expires.
//   pass     made for an admitted client: allows its next connection.
//   gateway  the token of a gateway: allows any number of connections, and names no player.
//   sealed   its client must make an encrypted connection. Others are `clear`: so are those of
//            0.1.0.
//   time     of the registry's clock; see Admission.
//   row      a ticket in a durable store: kind, and 16 more if it is sealed (1 byte), secret (16),
//            word, previous word and uses (4 each), expires (8), length of the player's id
//            (LEB128), player's id.
//   threads  none; all functions are pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "live/auth/token.h"

namespace laurel {

using TicketId = std::uint64_t;  // random; 0: none

struct Ticket {
  enum class Kind : std::uint8_t { token = 0, pass = 1, gateway = 2 };
  static constexpr Time kNever = std::numeric_limits<Time>::max();

  Kind kind = Kind::token;
  bool sealed = false;
  TicketId id = 0;
  Secret secret{};
  std::string player;               // 1 to kPlayerBytesMax bytes; a gateway's: empty
  std::uint32_t word = 0;           // the connect data that is accepted
  std::uint32_t previous_word = 0;  // pass: also accepted while the client may not know `word` yet
  std::uint32_t uses = 0;           // token: connections left
  Time expires = kNever;            // pass of a connected client: kNever; so may a gateway's be

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

std::string ticket_row(const Ticket& ticket);
// Returns nullopt if the row is damaged.
std::optional<Ticket> ticket_of(TicketId id, std::string_view row);

// Changes of tickets: `stand` has the new and the changed ones.
struct TicketNews {
  std::vector<Ticket> stand;
  std::vector<TicketId> ended;
};

}  // namespace laurel
