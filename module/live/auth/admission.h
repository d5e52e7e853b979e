// admission.h - decides which clients may connect to a server: those with a token that the game
// gave out, and those with a pass, which lets an admitted client connect again.
//
//   token    is valid for a number of uses, until it expires.
//   pass     is valid while its client is connected, and for kLivePassFor after the connection was
//            lost. Each connection gives the pass a new word.
//   gateway  its token is valid for any number of connections, all at once too, until it expires or
//            is revoked. It has no passes: each connection uses the token.
//   spent    a use of a token, and the previous word of a pass, are spent when the first message of
//            the client after its welcome arrives. They are not spent earlier, because the welcome
//            may be lost; then the client needs the same word again. So a later connection replaces
//            one that was not heard yet.
//   filter   checks the first datagram of a client, which has a word but no secret. One word may
//            begin kLiveAttemptsMax connections within kLiveHelloWithin, or one for each use if
//            these are more. So one token cannot exhaust the connection slots.
//   sealed   a ticket that is sealed admits a client only over an encrypted connection, and one
//            that is clear only over a connection that is not. So no client can be led to do
//            without encryption.
//   open     if no token is required, a known token still identifies the player. An unknown token
//            is ignored.
//   way      a token may be on its way here when its client connects: the game hands it over, and
//            gives it out at once. So a word that is not known is not refused while tickets are on
//            the way; the client gets no answer, and its next datagram finds the ticket.
//   time     of the clock that feeds set_time; it never goes back.
//   limits   tokens: the caller's. Passes: kLivePassesMax, then the pass that expires first ends.
//   threads  none.
//   cost     O(log tickets); the filter O(1).
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

#include "live/auth/ticket.h"
#include "live/net/transport.h"

namespace laurel {

// Which clients may connect: all, or those with a token.
enum class Auth : std::uint8_t { open, token };

// Tickets that the owner has handed over to the thread of the server, which has not added them yet.
class TicketsOnTheWay {
 public:
  virtual bool any() const = 0;
  // Adds them.
  virtual void arrive() = 0;

 protected:
  ~TicketsOnTheWay() = default;
};

class Admission final : public ConnectFilter {
 public:
  using Random = std::function<std::uint64_t()>;  // must be unpredictable

  // on_the_way: outlives this object; null: there are none, ever
  Admission(Auth auth, Random random, const TicketsOnTheWay* on_the_way = nullptr)
      : auth_(auth), random_(std::move(random)), on_the_way_(on_the_way) {}

  // Ends the tickets that have expired by `now`.
  void set_time(Time now);

  // Adds a ticket: a new token, or a ticket of an earlier server from the store.
  void add(const Ticket& ticket);
  // Ends the player's tickets. Connected clients stay connected.
  void revoke(std::string_view player);
  // Ends a gateway's token. Returns the connections that were made with it, which must end.
  std::vector<PeerId> end_gateway(TicketId id);
  // Gives the player's tickets to another id.
  void rename(std::string_view from, const std::string& to);

  Verdict expects(std::uint32_t word, std::uint64_t who) override;

  struct Admitted {
    std::string player;      // empty: not known
    std::uint32_t word = 0;  // for the next connection; 0: none is needed
    PeerId replaced = 0;     // the connection that this one replaces; 0: none
    bool gateway = false;    // it may do what gateways may
  };
  // Admits a client that connected with this word and sent this secret; nullopt: refused.
  //   sealed   whether its connection is encrypted
  std::optional<Admitted> admit(PeerId peer, std::uint32_t word, std::string_view secret,
                                bool sealed = false);
  // The secrets of the sealed tickets with this word, of which the encrypted connection must use
  // one: mostly one or none, at most kLiveSecretsOfWordMax.
  std::vector<Secret> sealed_secrets(std::uint32_t word) const;
  // Whether a ticket that is not sealed has this word.
  bool has_clear(std::uint32_t word) const;
  // The player of a token that has uses left; nullopt if the token is not known. Spends nothing.
  std::optional<std::string> player_of(const Token& token);
  // The client sent a message after its welcome.
  void heard(PeerId peer);
  // The client's connection has ended.
  void left(PeerId peer);

  // Returns the changes since the last call.
  TicketNews take_news();

  std::size_t tickets() const { return tickets_.size(); }

 private:
  struct ConnectAttempt {
    std::uint64_t who = 0;
    Time at = 0;
  };
  struct Held {
    Ticket ticket;
    std::vector<ConnectAttempt> attempts;  // at most kAttemptsKept
    bool known = false;                    // was reported by take_news, or came in by add
    // A token: the passes made from it that were not heard yet, oldest first.
    std::vector<TicketId> unheard;
    // A pass:
    TicketId token = 0;  // it was made from this token; 0 once it was heard
    PeerId peer = 0;     // 0: not connected
    bool was_heard = false;
    // A gateway's token: the connections that were made with it.
    std::set<PeerId> gateways;
  };
  static constexpr std::size_t kAttemptsKept = 64;

  Held& hold(Ticket ticket);
  Held* find(TicketId id);
  Held* find(std::uint32_t word, std::string_view secret, bool sealed);
  Held& pass_of_token(Held& token, PeerId& replaced);
  void spend(Held& pass);
  void expire_at(Held& held, Time expires);
  void index(std::uint32_t word, TicketId id);
  void unindex(std::uint32_t word, TicketId id);
  void end(TicketId id);
  void changed(const Held& held);
  bool may_attempt(Held& held, std::uint64_t who);
  std::uint32_t draw_word();
  void make_room();

  Auth auth_;
  Random random_;
  const TicketsOnTheWay* on_the_way_;
  Time now_ = 0;
  std::unordered_map<TicketId, Held> tickets_;
  std::unordered_multimap<std::uint32_t, TicketId> words_;
  std::unordered_map<PeerId, TicketId> inside_;
  std::set<std::pair<Time, TicketId>> ends_;  // tickets that expire, by time
  std::size_t passes_ = 0;
  std::set<TicketId> changed_, ended_;  // not taken yet
};

}  // namespace laurel
