// server_core.h - the live server without thread, socket and clock: boards, connections and ticks.
//
//   threads   none; server.h runs it on the live thread, tests run it on a simulated network.
//   time      microseconds of a clock that never goes back; an argument of each call.
//   sealed    clients with sealed tickets have encrypted connections (secure/sealed_server.h).
//   owner     encodes the posted windows; refers to the transport, which must outlive it.
//   cost      tick: O(clients x their subscriptions). A message is encoded once for all clients
//             that need it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/log.h"
#include "live/auth/admission.h"
#include "live/limits.h"
#include "live/net/transport.h"
#include "live/secure/sealed_server.h"
#include "live/server/client_slots.h"
#include "live/server/connection.h"
#include "live/server/follows.h"
#include "live/server/publication.h"

namespace laurel {

class ServerCore final : private Connection::Host, private Publication::Numbers {
 public:
  struct Options {
    double rate = 20;  // ticks per second, and updates per second of a subscription; above 0
    std::size_t clients = kLiveClientsMax;              // that have said hello, at once
    std::size_t clients_per_address = kLiveClientsMax;  // of them
    Auth auth = Auth::open;
    Admission::Random random;  // for epochs, words and passes; must be unpredictable
    std::uint8_t version_max = kWireVersionMax;  // of the protocol; tests have older servers
    TicketsOnTheWay* on_the_way = nullptr;       // they arrive before a client is told anything
  };
  ServerCore(Transport& transport, Options options);
  ~ServerCore();
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  // See SealedServer.
  void set_key(const KeyPair& key) { transport_.set_key(key); }

  // See Admission.
  void set_time(Time now) { admission_.set_time(now); }
  void add(const Ticket& ticket) { admission_.add(ticket); }
  void revoke(std::string_view player) { admission_.revoke(player); }
  // Also the player's connections continue as those of the other id.
  void rename(std::string_view from, const std::string& to);
  // Ends a gateway's token, and the connections that were made with it.
  void end_gateway(TicketId id);
  TicketNews take_tickets() { return admission_.take_news(); }

  // Posts the board's newest window. The first window publishes the board.
  void post(const std::string& board, WindowPtr window);
  // Posts the newest window of a follow. Ignored if the follow has ended.
  void post(FollowId follow, WindowPtr window);
  // What clients that ask for the published boards are told of this one, until it is unpublished.
  void describe(const std::string& board, const BoardDescription& description);
  FollowNews take_follows() { return follows_.take_news(); }
  // Publishes the board; its first window is posted later. Until then subscribers wait.
  void announce(const std::string& board);
  // Sends subscribers the error `unknown`. Their subscriptions continue if it is published again.
  void unpublish(const std::string& board);

  // Handles the events of the transport, at most kLiveEventsMax.
  void receive(Time now);
  // Sends the states that are due.
  void tick(Time now);
  // Hands the answers of receive to the network; for rounds without a tick.
  void flush();
  // Says bye to all clients.
  void close();

  // Whether the next tick may have work even if nothing is posted or received until then.
  bool waiting() const { return waiting_; }

  std::size_t clients() const { return connections_.size(); }
  ServerStats stats() const;
  // Returns the log lines since the last call.
  std::vector<std::pair<Level, std::string>> take_log() { return std::exchange(log_, {}); }

 private:
  // Connection::Host
  std::optional<Admission::Admitted> admit(PeerId peer, std::uint32_t word,
                                           std::string_view secret) override;
  std::optional<CloseReason> take_slot(PeerId peer, Time now) override;
  void heard(PeerId peer) override { admission_.heard(peer); }
  std::optional<std::string> player_of(std::string_view token) override;
  Publication* find(std::string_view board) override;
  bool is_announced(std::string_view board) const override { return announced_.contains(board); }
  void attached(const std::string& board, Publication& publication) override;
  PublishedList& list() override;
  Publication* follow(PeerId peer, const Around& around) override;
  void unfollow(PeerId peer, const Around& around) override;
  void send(PeerId peer, Channel channel, const MessagePtr& message) override;
  Time round_trip(PeerId peer) const override { return transport_.round_trip(peer); }
  ServerStats& counters() override { return counters_; }

  // Publication::Numbers
  std::uint32_t stream() override { return ++streams_; }
  std::uint64_t epoch() override;

  void receive(const TransportEvent& event, Time now);
  void forget(PeerId peer);
  // The list has changed.
  void wake_those_who_ask() { waiting_ = waiting_ || any_asks_; }
  void end(PeerId peer, const CloseReason& close_reason);
  void log(Level level, std::string line);

  SealedServer transport_;
  double rate_;
  std::uint8_t version_max_;
  Admission::Random random_;
  TicketsOnTheWay* on_the_way_;
  Admission admission_;
  Follows follows_;
  ClientSlots slots_;
  std::vector<std::pair<PeerId, CloseReason>> leaving_;  // connections to end, for a newcomer
  std::uint32_t streams_ = 0;
  bool waiting_ = false;
  bool any_asks_ = false;  // a client waits for news of the list, or did at the last tick
  bool unflushed_ = false;
  std::map<std::string, Publication, std::less<>> boards_;  // at most kLiveBoardsMax
  std::set<std::string, std::less<>> announced_;  // boards without a window; at most kLiveBoardsMax
  std::optional<PublishedList> list_;             // from the first description or question on
  ServerStats counters_;                          // must outlive the connections, which change it
  std::unordered_map<PeerId, Connection> connections_;  // one for each connected peer
  std::vector<std::pair<Level, std::string>> log_;      // at most kThreadLogLinesMax
};

}  // namespace laurel
