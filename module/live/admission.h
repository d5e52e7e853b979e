// admission.h - whom a server lets in: by tokens that the game handed out, and by the passes of
// those who were let in before.
//
//   token    is good for its uses until its time is over.
//   pass     is good while its client is connected, and for kLivePassFor after it was lost. Each
//            connection that it lets in gives it another word.
//   spent    a use of a token, and a pass's former word, when the client was heard after its
//            welcome, and not before: a welcome may be lost, and then the same word has to serve
//            again. So a later connection takes the place of one that was not heard yet.
//   doorman  asks without a secret, about a stranger's first datagram: whether a word is expected
//            at all. One word begins kLiveKnocksMax connections within kLiveHelloWithin, or as many
//            as it has uses: who holds one token does not fill the house.
//   open     where no tokens are asked for, a token still says who the client is; one that is not
//            known says nothing.
//   moments  of whatever clock set_time is fed with; it does not go back.
//   limits   tokens: the caller's. Passes: kLivePassesMax, then the one that was lost first ends.
//   threads  none.
//   cost     O(log tickets); the doorman O(1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "live/ticket.h"
#include "live/transport.h"

namespace laurel {

// Who may connect: anyone who reaches the port, or who shows a token.
enum class Auth : std::uint8_t { open, token };

class Admission final : public Doorman {
 public:
  using Random = std::function<std::uint64_t()>;  // not to be guessed

  Admission(Auth auth, Random random) : auth_(auth), random_(std::move(random)) {}

  // Ends what has expired by then.
  void set_time(Time now);

  // A ticket that holds from now on: a token just drawn, or what a store had of an earlier server.
  void add(const Ticket& ticket);
  // Ends what the player holds. Who is connected stays.
  void revoke(std::string_view player);

  Says expects(std::uint32_t word, std::uint64_t who) override;

  struct Entrance {
    std::string player;      // empty: nobody knows
    std::uint32_t word = 0;  // for the next connection; 0: none is needed
    PeerId replaced = 0;     // whose place this connection took
  };
  // A client that connected with this word and says this secret; nothing: it has to go.
  std::optional<Entrance> admit(PeerId peer, std::uint32_t word, std::string_view secret);
  // The client was heard after its welcome.
  void heard(PeerId peer);
  // Its connection is gone.
  void left(PeerId peer);

  // Since the last call.
  TicketNews take_news();

  std::size_t tickets() const { return tickets_.size(); }

 private:
  struct Knock {
    std::uint64_t who = 0;
    Time at = 0;
  };
  struct Held {
    Ticket ticket;
    std::vector<Knock> knocks;  // at most kKnocksKept
    bool known = false;         // to those who took the news
    // Of a token: passes that it gave and that were not heard yet, the oldest first.
    std::vector<TicketId> unheard;
    // Of a pass.
    TicketId token = 0;  // that gave it, until it was heard
    PeerId peer = 0;     // 0: lost
    bool was_heard = false;
  };
  static constexpr std::size_t kKnocksKept = 64;

  Held& hold(Ticket ticket);
  Held* find(TicketId id);
  Held* find(std::uint32_t word, std::string_view secret);
  Held& pass_of_token(Held& token, PeerId& replaced);
  void spend(Held& pass);
  void expire_at(Held& held, Time expires);
  void index(std::uint32_t word, TicketId id);
  void unindex(std::uint32_t word, TicketId id);
  void end(TicketId id);
  void changed(const Held& held);
  bool may_knock(Held& held, std::uint64_t who);
  std::uint32_t draw_word();
  void make_room();

  Auth auth_;
  Random random_;
  Time now_ = 0;
  std::unordered_map<TicketId, Held> tickets_;
  std::unordered_multimap<std::uint32_t, TicketId> words_;
  std::unordered_map<PeerId, TicketId> inside_;
  std::set<std::pair<Time, TicketId>> ends_;  // of those that end
  std::size_t passes_ = 0;
  std::set<TicketId> changed_, ended_;  // not taken yet
};

}  // namespace laurel
