// connection.h - one client, as the server knows it: what it may do, what it did wrong, what it is
// owed.
//
// A connection reads the client's messages and answers them; server_core.h owns the connections and
// the boards and does for a connection what concerns more than one client.
//
//   offence   a message that is damaged, comes out of turn or exceeds a limit. It is dropped;
//             kLiveOffencesMax of them end the connection.
//   threads   none. Time comes from the caller.
//   cost      memory: 7 KB at most, with all its subscriptions; no queue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/admission.h"
#include "live/follows.h"
#include "live/pace.h"
#include "live/subscription.h"
#include "live/token_bucket.h"
#include "live/transport.h"
#include "live/wire.h"

namespace laurel {

// Why and in which words a connection ends.
struct Farewell {
  Reason reason = Reason::closing;
  std::string sentence;
};

// Counters of the live channel, as live:stats() shows them.
struct ServerStats {
  std::uint64_t clients = 0;        // connected now, those before their hello included
  std::uint64_t boards = 0;         // published now
  std::uint64_t subscriptions = 0;  // now, those to boards that are not published included
  std::uint64_t sent = 0;           // messages queued for the network
  std::uint64_t bytes = 0;          // in them, without the headers of ENet and UDP
  std::uint64_t received = 0;       // messages of clients
  std::uint64_t encoded = 0;        // states encoded: the rest of those sent were shared
  std::uint64_t resyncs = 0;        // clients that had to begin anew
  std::uint64_t dropped = 0;        // messages the network would not take, and posts beyond a limit
  std::uint64_t offences = 0;       // messages of clients that were damaged or not allowed
  std::uint64_t garbage = 0;        // datagrams dropped before ENet saw them
  std::uint64_t denied = 0;         // connects with a word that nobody expects, and wrong secrets
  std::uint64_t tickets = 0;        // tokens not used up yet, and clients that may come again
  std::uint64_t followed = 0;       // players whose surroundings clients follow now
  std::uint64_t closed = 0;         // connections that the server ended: slow, late, abuse, refused
};

class Connection {
 public:
  using Entrance = Admission::Entrance;

  // What a connection asks of the server around it.
  class Host {
   public:
    virtual ~Host() = default;
    // Who comes in with this word and secret; nothing: it has to go.
    virtual std::optional<Entrance> admit(PeerId peer, std::uint32_t word,
                                          std::string_view secret) = 0;
    // The client was heard after its welcome.
    virtual void heard(PeerId peer) = 0;
    // The published board of that name; null when there is none.
    virtual Publication* find(std::string_view board) = 0;
    // Whether there will be one.
    virtual bool is_announced(std::string_view board) const = 0;
    // One more who follows that player, or one fewer. The windows, or null: they come later.
    virtual Publication* follow(PeerId peer, const Around& around) = 0;
    virtual void unfollow(PeerId peer, const Around& around) = 0;
    virtual void send(PeerId peer, Channel channel, const MessagePtr& message) = 0;
    virtual Time round_trip(PeerId peer) const = 0;
    virtual ServerStats& counters() = 0;
  };

  // word: that the client connected with
  // rate: updates a second, per subscription
  Connection(Host& host, PeerId peer, std::uint32_t word, double rate, Time now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A message of the client. The farewell with which the connection is to end, if it is.
  std::optional<Farewell> receive(std::string_view bytes, Channel channel, Time now);

  // Sends what is due.
  std::optional<Farewell> tick(Time now);

  // The board was published, begins a new epoch, or is no longer published.
  void published(const std::string& board, Publication& publication);
  void unpublished(const std::string& board);
  // The first windows around a player whom this client follows, or another epoch of them.
  void looked_up(const Around& around, Publication& windows);

  // Whether something was left to be sent at a later tick, or a deadline runs.
  bool waiting() const { return waiting_; }

 private:
  // What a client says that it holds of an earlier stream.
  struct Held {
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
  };

  // Whether the message was in order.
  bool handle(const Hello& hello, Time now);
  bool handle(const Subscribe& subscribe, Time now);
  bool handle(const Unsubscribe& unsubscribe, Time now);
  bool handle(const Resync& resync, Time now);
  bool handle(const Ack& ack, Time now);
  bool handle(const Ping& ping, Time now);

  bool within_limits(std::string_view bytes, const ClientMessage& message, Time now);
  std::optional<Farewell> offence();
  Around around(const Subscription& subscription) const;
  void begin(Subscription& subscription, Publication& board, std::optional<Held> held);
  void leave(const Subscription& subscription);
  void say(Channel channel, const ServerMessage& message);
  void say_error(Reason reason, std::string_view board, std::string_view sentence);
  void say_unknown(std::string_view board);
  void attach(Subscription& subscription, Publication& publication, std::optional<Held> held);
  void send_state(Subscription& subscription, Time now);
  Subscription* find(std::string_view board, View view);
  Subscription* find(std::uint32_t stream);

  Host& host_;
  PeerId peer_;
  std::uint32_t word_;
  std::string player_;  // whose token the client showed; empty: nobody's
  Time tick_;           // between two ticks
  Time connected_at_;
  bool welcomed_ = false;
  bool heard_ = false;  // since then
  bool waiting_ = true;
  std::optional<Farewell> farewell_;
  int offences_ = 0;
  TokenBucket bytes_in_, control_in_;
  Pace pace_;
  std::vector<Subscription> subscriptions_;  // at most kLiveSubscriptionsMax
};

}  // namespace laurel
