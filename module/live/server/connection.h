// connection.h - the server's state of one client: its limits, offences and subscriptions.
//
// A connection decodes the client's messages and answers them. ServerCore owns the connections and
// the boards, and does what concerns more than one client (Connection::Host).
//
//   offence   a message that is damaged, is not allowed at this time, of another version or for
//             gateways only, or exceeds a limit. It is dropped. kLiveOffencesMax offences end the
//             connection.
//   version   hello and welcome agree on it. Until then the limits are those of version 1.
//   threads   none. Time comes from the caller.
//   cost      memory: about 0.4 KB for each subscription; it has no queue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/auth/admission.h"
#include "live/net/client_limits.h"
#include "live/net/token_bucket.h"
#include "live/net/transport.h"
#include "live/server/follows.h"
#include "live/server/pace.h"
#include "live/server/published_list.h"
#include "live/server/subscription.h"
#include "live/wire/wire.h"

namespace laurel {

// Why the server ends a connection.
struct CloseReason {
  Reason reason = Reason::closing;
  std::string sentence;
};

// Counters of the live channel, as in live:stats() and in metrics.
struct ServerStats {
  std::uint64_t clients = 0;        // connected now, including those before their hello
  std::uint64_t boards = 0;         // published now
  std::uint64_t subscriptions = 0;  // now, including those to boards that are not published
  std::uint64_t sent = 0;           // messages queued for the network
  std::uint64_t bytes = 0;          // of these messages, without headers and encryption
  std::uint64_t received = 0;       // messages of clients
  std::uint64_t encoded = 0;        // states encoded; the other states sent reused these bytes
  std::uint64_t resyncs = 0;        // resync messages of clients
  std::uint64_t dropped = 0;        // messages that the transport refused, and posts beyond a limit
  std::uint64_t offences = 0;       // messages of clients that were damaged or not allowed
  std::uint64_t garbage = 0;        // datagrams dropped before ENet processed them
  std::uint64_t denied = 0;         // connects that were not accepted, wrong secrets, and
                                    // handshakes that failed
  std::uint64_t tickets = 0;        // tokens that are not used up, and passes
  std::uint64_t followed = 0;       // follows now, see follows.h
  std::uint64_t closed = 0;         // connections that the server ended, except at closing
  struct Closed {                   // connections that the server ended, by reason
    std::uint64_t slow = 0;
    std::uint64_t late = 0;
    std::uint64_t abuse = 0;
    std::uint64_t refused = 0;  // also for another version, and for a newcomer
    std::uint64_t stopped = 0;  // at closing
  };
  Closed closed_for = {};
};

class Connection {
 public:
  using Admitted = Admission::Admitted;

  // The services of the server that a connection uses.
  class Host {
   public:
    virtual ~Host() = default;
    // Admits a client with this word and secret; nullopt: the connection must end.
    virtual std::optional<Admitted> admit(PeerId peer, std::uint32_t word,
                                          std::string_view secret) = 0;
    // Gives an admitted client a slot. Returns a reason to end the connection if it gets none.
    virtual std::optional<CloseReason> take_slot(PeerId peer, Time now) = 0;
    // The player of the token; nullopt if it is not known. For gateways.
    virtual std::optional<std::string> player_of(std::string_view token) = 0;
    // The client sent a message after its welcome.
    virtual void heard(PeerId peer) = 0;
    // The published board with that name, or null.
    virtual Publication* find(std::string_view board) = 0;
    // Whether the board is announced: its first window comes later.
    virtual bool is_announced(std::string_view board) const = 0;
    // A stream of a published board has begun.
    virtual void attached(const std::string& board, Publication& publication) = 0;
    // The list of what is published.
    virtual PublishedList& list() = 0;
    // Adds or removes a follower. Returns the windows, or null if they come later.
    virtual Publication* follow(PeerId peer, const Around& around) = 0;
    virtual void unfollow(PeerId peer, const Around& around) = 0;
    virtual void send(PeerId peer, Channel channel, const MessagePtr& message) = 0;
    virtual Time round_trip(PeerId peer) const = 0;
    virtual ServerStats& counters() = 0;
  };

  // word         the client's connect data
  // rate         updates per second of each subscription
  // version_max  the newest version of the protocol that the server speaks
  Connection(Host& host, PeerId peer, std::uint32_t word, double rate, Time now,
             std::uint8_t version_max = kWireVersionMax);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Handles a message of the client. Returns a reason if the connection must end.
  std::optional<CloseReason> receive(std::string_view bytes, Channel channel, Time now);

  // Sends the states that are due. Returns a reason if the connection must end.
  std::optional<CloseReason> tick(Time now);

  // The board was published or began a new epoch; the board was unpublished.
  void published(const std::string& board, Publication& publication);
  void unpublished(const std::string& board);
  // The first window of a follow of this client was posted, or a new epoch began.
  void looked_up(const Around& around, Publication& windows);

  // The player has another id. What follows the player begins again, if the client is the player's.
  void renamed(std::string_view from, const std::string& to);

  // Whether the client has a subscription, also one to a board that is not published.
  bool subscribed() const { return !subscriptions_.empty(); }

  // Whether a later tick has something to send, or a deadline is pending.
  bool waiting() const { return waiting_; }
  // Whether the client waits for news of the list of published boards.
  bool asks_for_list() const { return list_asked_.has_value(); }

 private:
  // The window that a client says it holds from an earlier stream.
  struct Held {
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
  };

  // These return false if the message is an offence.
  bool handle(const Hello& hello, Time now);
  bool handle(const Subscribe& subscribe, Time now);
  bool handle(const Unsubscribe& unsubscribe, Time now);
  bool handle(const Resync& resync, Time now);
  bool handle(const Ack& ack, Time now);
  bool handle(const Ping& ping, Time now);
  bool handle(const Follow& follow, Time now);
  bool handle(const Unfollow& unfollow, Time now);
  bool handle(const AskBoards& ask, Time now);
  bool handle(const AskPlayer& ask, Time now);

  // Agrees on a version of the protocol. A newer one has other limits.
  void welcome(std::uint8_t version, const Admitted& admitted, Time now);
  // Adds a subscription in place of an equal one. False if there are too many.
  bool subscribe(Subscription added, const Held& held);
  void end(const Subscription& subscription);

  bool within_limits(std::string_view bytes, const ClientMessage& message, Time now);
  std::optional<CloseReason> offence();
  Around around(const Subscription& subscription) const;
  void begin(Subscription& subscription, Publication& board, std::optional<Held> held);
  void leave(const Subscription& subscription);
  void say(Channel channel, const ServerMessage& message);
  void say_error(Reason reason, std::string_view board, std::string_view sentence);
  void say_unknown(std::string_view board);
  void say_not_shown(std::string_view board);
  void say_begins(const Subscription& subscription, const EntryFormat& format);
  void attach(Subscription& subscription, Publication& publication, std::optional<Held> held);
  void send_state(Subscription& subscription, Time now);
  Subscription* find(std::string_view board, View view, std::string_view player);
  Subscription* find(std::uint32_t stream);

  Host& host_;
  PeerId peer_;
  std::uint32_t word_;
  std::string player_;  // of the client's token; empty: none
  Role role_ = Role::client;
  std::uint8_t version_max_;
  std::uint8_t version_ = 1;  // of the protocol, from the welcome on
  Time tick_;                 // interval of the ticks
  Time connected_at_;
  bool welcomed_ = false;
  bool heard_ = false;  // since the welcome
  bool waiting_ = true;
  std::optional<CloseReason> close_reason_;
  int offences_ = 0;
  ClientLimits limits_;
  TokenBucket bytes_in_, control_in_;
  Pace pace_;
  std::vector<Subscription> subscriptions_;  // at most limits_.subscriptions
  std::size_t acknowledged_last_ = 0;        // acks name streams in the order of subscriptions
  std::optional<Held> list_asked_;  // the client holds this list, and waits for a newer one
};

}  // namespace laurel
