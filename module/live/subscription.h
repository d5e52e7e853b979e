// subscription.h - what one client is owed of one board, and when.
//
// The loop: while the client's acknowledged version is behind the stream, send what leads from the
// one to the other, again at each tick, until it is acknowledged. Nothing is queued: a client that
// was away is sent the newest state and never what it missed.
//
//   spacing   after kLiveEagerSends sends without an answer half a round trip apart, after
//             kLiveSparseAfter once a second, after kLiveSlowAfter the client is given up. Any
//             answer, a stale one included, starts over.
//   large     a message that goes reliably is sent once and waited for: ENet sends it again.
//   threads   none. Time comes from the caller.
//   cost      O(1) a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/stream.h"
#include "live/token_bucket.h"

namespace laurel {

class Subscription {
 public:
  enum class Due : std::uint8_t {
    nothing,
    later,  // behind, and not to be sent to at this tick
    send,
    slow,  // to be given up
  };

  // What a tick is measured against.
  struct Pace {
    Time tick = 0;  // between two ticks
    Time round_trip = 0;
  };

  // rate: updates a second at most; of a view around a player kLiveAroundRate at most
  Subscription(std::string board, View view, std::size_t n, double rate, Time now);

  const std::string& board() const { return board_; }
  View view() const { return view_; }
  std::size_t n() const { return n_; }
  // Null while there is nothing to show: the board is not published, the player not looked up yet.
  const StreamPtr& stream() const { return stream_; }
  std::optional<std::uint64_t> acknowledged() const { return acknowledged_; }

  // Begins to follow a stream from what the client says it holds of it.
  void attach(StreamPtr stream, std::optional<std::uint64_t> held);
  void detach();

  // What is to be done now. `send` has taken its token from the bucket: sent() must follow.
  Due due(Time now, const Pace& pace);
  void sent(Time now, Channel channel);

  // The client holds that version, and received so many messages of the stream in all; returns how
  // many of them are news. Claims are believed: a client that lies is sent too little, itself.
  std::uint32_t acknowledge(std::uint64_t version, std::uint32_t received);
  // The client holds nothing that it can use.
  void restart();
  // The client gave some sign of life: it is worth trying at once.
  void encourage() { unanswered_ = 0; }

  void set_rate(double per_second, Time now);

 private:
  std::string board_;
  View view_;
  std::size_t n_;
  StreamPtr stream_;
  std::optional<std::uint64_t> acknowledged_;
  std::optional<std::uint64_t> in_flight_;  // the version sent reliably
  TokenBucket bucket_;
  int unanswered_ = 0;                // sends since the last answer
  std::optional<Time> silent_since_;  // the first send since the last answer
  Time last_sent_ = 0;
  std::uint32_t sent_ = 0, received_ = 0;  // messages since attach
};

}  // namespace laurel
