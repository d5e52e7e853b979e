// server_core.h - the live server without its thread, socket and clock: boards, connections, ticks.
//
//   threads   none; server.h runs it on the live thread, tests run it on a network of their own.
//   time      microseconds of a clock that never goes back, handed in with each call.
//   owner     keeps copies of the windows posted; refers to the transport, which outlives it.
//   cost      tick: O(clients x their subscriptions); a message is encoded once for all who need
//   it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/log.h"
#include "live/connection.h"
#include "live/publication.h"
#include "live/transport.h"

namespace laurel {

class ServerCore final : private Connection::Host, private Publication::Numbers {
 public:
  // rate: ticks a second, and updates a second per subscription; above 0
  // seed: of the epochs' random numbers
  ServerCore(Transport& transport, double rate, std::uint64_t seed);

  // The board's window; the first one publishes it.
  void post(const std::string& board, const Window& window);
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
  Publication* find(std::string_view board) override;
  void send(PeerId peer, Channel channel, const MessagePtr& message) override;
  Time round_trip(PeerId peer) const override { return transport_.round_trip(peer); }
  ServerStats& counters() override { return counters_; }

  // Publication::Numbers
  std::uint32_t stream() override { return ++streams_; }
  std::uint64_t epoch() override;

  void warn_of_cut(const std::string& board, const Publication& publication);
  void end(PeerId peer, const Farewell& farewell);
  void log(Level level, std::string line);

  Transport& transport_;
  double rate_;
  std::uint64_t random_;
  std::uint32_t streams_ = 0;
  bool waiting_ = false;
  bool unflushed_ = false;
  std::map<std::string, Publication, std::less<>> boards_;  // at most kLiveBoardsMax
  ServerStats counters_;  // outlives the connections, which count in it
  std::unordered_map<PeerId, Connection> connections_;  // as many as the transport has peers
  std::vector<std::pair<Level, std::string>> log_;      // at most kLiveLogLinesMax
};

}  // namespace laurel
