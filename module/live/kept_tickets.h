// kept_tickets.h - the tickets of one server as the game thread knows them: the tokens that it
// drew, and what the live thread tells of all since; where the registry is durable, with a row of
// each in its store.
//
//   seat     tells this server's rows from those of others that the registry has.
//   limits   kLiveTokensMax tokens that are not used up; passes as Admission has them.
//   threads  the registry's caller.
//   cost     O(log tickets), forget O(tickets).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/kept_rows.h"
#include "live/ticket.h"

namespace laurel {

class KeptTickets {
 public:
  KeptTickets(KeptRows rows, unsigned seat);

  // What an earlier server in this seat left and is still good. Its clients were lost with it, at
  // the latest now.
  std::vector<Ticket> load(Time now);

  // A token of so many uses for the player.
  // Fails with  unavailable  kLiveTokensMax tokens stand already
  Result<Ticket> draw(std::string_view player, Time expires, std::uint32_t uses);

  // What the live thread tells.
  void take(const TicketNews& news);

  // Whether the player had any. The live thread has to be told.
  bool forget(std::string_view player);

 private:
  void put(const Ticket& ticket);
  void erase(TicketId id);
  std::string key(TicketId id) const;

  KeptRows rows_;
  char seat_;
  std::map<TicketId, Ticket> tickets_;
  std::size_t tokens_ = 0;
};

}  // namespace laurel
