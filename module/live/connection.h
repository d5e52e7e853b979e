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

#include "live/pace.h"
#include "live/subscription.h"
#include "live/token_bucket.h"
#include "live/transport.h"
#include "live/wire.h"

namespace laurel {

class Publication;

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
  std::uint64_t closed = 0;         // connections that the server ended: slow, late, abuse
};

class Connection {
 public:
  // What a connection asks of the server around it.
  class Host {
   public:
    virtual ~Host() = default;
    // The published board of that name; null when there is none.
    virtual Publication* find(std::string_view board) = 0;
    virtual void send(PeerId peer, Channel channel, const MessagePtr& message) = 0;
    virtual Time round_trip(PeerId peer) const = 0;
    virtual ServerStats& counters() = 0;
  };

  // rate: updates a second, per subscription
  Connection(Host& host, PeerId peer, double rate, Time now);
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

  // Whether something was left to be sent at a later tick, or a deadline runs.
  bool waiting() const { return waiting_; }

 private:
  // Whether the message was in order.
  bool handle(const Hello& hello, Time now);
  bool handle(const Subscribe& subscribe, Time now);
  bool handle(const Unsubscribe& unsubscribe, Time now);
  bool handle(const Resync& resync, Time now);
  bool handle(const Ack& ack, Time now);
  bool handle(const Ping& ping, Time now);

  bool within_limits(std::string_view bytes, const ClientMessage& message, Time now);
  std::optional<Farewell> offence();
  void drop(std::string_view board);
  void say(Channel channel, const ServerMessage& message);
  void say_unknown(std::string_view board);
  void attach(Subscription& subscription, Publication& publication,
              std::optional<std::uint64_t> held);
  void send_state(Subscription& subscription, Time now);
  Subscription* find(std::string_view board);
  Subscription* find(std::uint32_t stream);

  Host& host_;
  PeerId peer_;
  Time tick_;  // between two ticks
  Time connected_at_;
  bool welcomed_ = false;
  bool waiting_ = true;
  std::optional<Farewell> farewell_;
  int offences_ = 0;
  TokenBucket bytes_in_, control_in_;
  Pace pace_;
  std::vector<Subscription> subscriptions_;  // at most kLiveSubscriptionsMax
};

}  // namespace laurel
