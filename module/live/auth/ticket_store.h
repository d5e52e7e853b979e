// ticket_store.h - the game thread's copy of one server's tickets: the tokens that it made, updated
// with the changes that the live thread reports. A durable registry stores each ticket in a row.
//
//   slot     separates this server's rows from those of the registry's other servers.
//   limits   kLiveTokensMax tokens that are not used up, those of gateways included; passes: see
//            Admission.
//   threads  the registry's caller.
//   cost     O(log tickets), forget O(tickets).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/persistent_rows.h"
#include "live/auth/ticket.h"

namespace laurel {

class KeptTickets {
 public:
  KeptTickets(PersistentRows rows, unsigned slot);

  // Returns the stored tickets of an earlier server with this slot that are still valid, and erases
  // the others. Its clients are not connected, so a pass expires at most kLivePassFor from now.
  std::vector<Ticket> load(Time now);

  // Makes a token with `uses` uses for the player.
  //   sealed   see ticket.h
  // Fails with  unavailable  kLiveTokensMax tokens exist already
  Result<Ticket> draw(std::string_view player, Time expires, std::uint32_t uses,
                      bool sealed = false);
  // Makes a gateway's token. Fails as draw().
  Result<Ticket> draw_gateway(Time expires, bool sealed = false);
  // Ends a gateway's token and returns its number, which the caller has to tell the live thread;
  // nullopt if this server has no such token, or it has expired.
  std::optional<TicketId> end_gateway(const Token& token, Time now);

  // Applies changes that the live thread reported.
  void take(const TicketNews& news);

  // Erases the player's tickets and returns whether there were any. If so, the caller has to tell
  // the live thread.
  bool forget(std::string_view player);
  // Gives the player's tickets to another id; otherwise as forget.
  bool rename(std::string_view from, std::string_view to);

 private:
  Result<Ticket> draw(Ticket token);
  std::vector<TicketId> of(std::string_view player) const;
  void put(const Ticket& ticket);
  void erase(TicketId id);
  std::string key(TicketId id) const;

  PersistentRows rows_;
  char slot_;
  std::map<TicketId, Ticket> tickets_;
  std::size_t tokens_ = 0;
};

}  // namespace laurel
