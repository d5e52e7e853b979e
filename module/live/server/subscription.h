// subscription.h - decides when one client is sent a state of one board.
//
// While the client's acknowledged version is behind the stream, each tick sends the delta from that
// version to the newest one. Nothing is queued: a client that missed versions is sent only the
// newest.
//
//   spacing   after kLiveEagerSends sends without an answer: half a round trip between two sends.
//             After kLiveSparseAfter: kLiveSparseInterval. After kLiveSlowAfter: the connection
//             ends. Any answer, even a stale one, resets this.
//   large     a state sent on the reliable channel is sent once, because ENet retransmits it. No
//             other state is sent until it is acknowledged.
//   threads   none. Time comes from the caller.
//   cost      O(1) per call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/net/token_bucket.h"
#include "live/server/stream.h"

namespace laurel {

class Subscription {
 public:
  enum class Due : std::uint8_t {
    nothing,
    later,  // the client is behind, but do not send at this tick
    send,
    slow,  // end the connection
  };

  // Intervals that due() needs.
  struct Pace {
    Time tick = 0;  // interval of the ticks
    Time round_trip = 0;
  };

  // rate    maximum updates per second; for View::around also at most kLiveAroundRate
  // player  that a gateway follows; empty: the client's own
  Subscription(std::string board, View view, std::size_t n, double rate, Time now,
               std::string player = {});

  const std::string& board() const { return board_; }
  View view() const { return view_; }
  const std::string& player() const { return player_; }
  std::size_t n() const { return n_; }
  // Null if the board is not published, or the follow has no window yet.
  const StreamPtr& stream() const { return stream_; }
  std::optional<std::uint64_t> acknowledged() const { return acknowledged_; }

  // Starts sending a stream. `held` is the version that the client says it holds.
  void attach(StreamPtr stream, std::optional<std::uint64_t> held);
  void detach();

  // Decides what to do now. If it returns `send`, it has used a token of the rate limit, and the
  // caller must send and call sent().
  Due due(Time now, const Pace& pace);
  void sent(Time now, Channel channel);

  // The client holds `version` and has received `received` messages of the stream in all. Returns
  // how many of these were not reported before. The numbers are not verified: false ones harm only
  // the client that sends them.
  std::uint32_t acknowledge(std::uint64_t version, std::uint32_t received);
  // The client cannot use the windows it holds: the next state is a whole window.
  void restart();
  // A ping arrived: the next sends do not wait for the spacing.
  void encourage() { unanswered_ = 0; }

  void set_rate(double per_second, Time now);

 private:
  std::string board_;
  std::string player_;
  View view_;
  std::size_t n_;
  StreamPtr stream_;
  std::optional<std::uint64_t> acknowledged_;
  std::optional<std::uint64_t> in_flight_;  // version sent reliably and not acknowledged
  TokenBucket bucket_;
  int unanswered_ = 0;                // sends since the last answer
  std::optional<Time> silent_since_;  // the first send since the last answer
  Time last_sent_ = 0;
  std::uint32_t sent_ = 0, received_ = 0;  // messages since attach
};

}  // namespace laurel
