// server_core.h - the live server without its thread, socket and clock: boards, connections, ticks.
//
//   threads   none; server.h runs it on the live thread, tests run it on a network of their own.
//   time      microseconds of a clock that never goes back, handed in with each call.
//   owner     keeps copies of the windows posted; refers to the transport, which outlives it.
//   cost      tick: O(clients x their subscriptions); a message is encoded once for all who need
//             it.
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
#include "live/admission.h"
#include "live/connection.h"
#include "live/follows.h"
#include "live/publication.h"
#include "live/transport.h"

namespace laurel {

class ServerCore final : private Connection::Host, private Publication::Numbers {
 public:
  struct Options {
    double rate = 20;  // ticks a second, and updates a second per subscription; above 0
    Auth auth = Auth::open;
    Admission::Random random;  // of epochs, words and passes: not to be guessed
  };
  ServerCore(Transport& transport, Options options);
  ~ServerCore();
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  // What time it is by the clock that tokens expire by; see Admission.
  void set_time(Time now) { admission_.set_time(now); }
  // Who may connect from now on, and who no more.
  void add(const Ticket& ticket) { admission_.add(ticket); }
  void revoke(std::string_view player) { admission_.revoke(player); }
  TicketNews take_tickets() { return admission_.take_news(); }

  // The board's window; the first one publishes it.
  void post(const std::string& board, const Window& window);
  // What is around a player whom somebody follows. Nothing when nobody does any more.
  void post(FollowId follow, const Window& window);
  FollowNews take_follows() { return follows_.take_news(); }
  // It is published, and its first window is posted later: until then subscribers wait.
  void announce(const std::string& board);
  // Subscribers are told `unknown` and served again when it is published again.
  void unpublish(const std::string& board);

  // Takes what the transport has, at most kLiveEventsMax events.
  void receive(Time now);
  // Sends what is due.
  void tick(Time now);
  // Hands the network what receive answered, at rounds without a tick.
  void flush();
  // Says bye to everybody.
  void close();

  // Whether a tick may have something to do although nothing is posted or received until then.
  bool waiting() const { return waiting_; }

  std::size_t clients() const { return connections_.size(); }
  ServerStats stats() const;
  // What there is to tell the operator since the last call.
  std::vector<std::pair<Level, std::string>> take_log() { return std::exchange(log_, {}); }

 private:
  // Connection::Host
  std::optional<Admission::Entrance> admit(PeerId peer, std::uint32_t word,
                                           std::string_view secret) override;
  void heard(PeerId peer) override { admission_.heard(peer); }
  Publication* find(std::string_view board) override;
  bool is_announced(std::string_view board) const override { return announced_.contains(board); }
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
  void warn_of_cut(const std::string& board, const Publication& publication);
  void end(PeerId peer, const Farewell& farewell);
  void log(Level level, std::string line);

  Transport& transport_;
  double rate_;
  Admission::Random random_;
  Admission admission_;
  Follows follows_;
  std::vector<PeerId> replaced_;  // whose place another connection took; at most kLiveEventsMax
  std::uint32_t streams_ = 0;
  bool waiting_ = false;
  bool unflushed_ = false;
  std::map<std::string, Publication, std::less<>> boards_;  // at most kLiveBoardsMax
  std::set<std::string, std::less<>> announced_;            // likewise; none of them has a window
  ServerStats counters_;  // outlives the connections, which count in it
  std::unordered_map<PeerId, Connection> connections_;  // as many as the transport has peers
  std::vector<std::pair<Level, std::string>> log_;      // at most kLiveLogLinesMax
};

}  // namespace laurel
