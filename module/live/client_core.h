// client_core.h - the live client without its socket and clock: connecting, subscribing, receiving.
//
//   calls     subscribe and unsubscribe say what is wanted; tick brings the connection there,
//             within what a server lets one client do, and calls back with what came.
//   lost      a connection on which nothing is heard, or that the server ends, is made again by
//             itself: after kLiveBackoffMin at first, twice as long each time up to
//             kLiveBackoffMax, each varied by a quarter. What was held is told to the server, which
//             goes on from it. A client that is refused tries what else it has (credentials.h),
//             then gives up.
//   owner     refers to the transport, which outlives it. Callbacks are kept until unsubscribe,
//             replacement or close, and for as long as they run.
//   threads   none; everything happens in the caller's calls.
//   time      microseconds of a clock that never goes back.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "board/window.h"
#include "live/credentials.h"
#include "live/replica.h"
#include "live/token_bucket.h"
#include "live/transport.h"

namespace laurel {

// A window, or why there is none: "unknown: no board "x" is published here".
using OnTop = std::function<void(const Result<WindowPtr>&)>;

class ClientCore {
 public:
  // seed: of the jitter before a reconnect
  ClientCore(ClientTransport& transport, Credentials credentials, std::uint64_t seed);

  // Wants a view of a board. Subscribing again to the same kind of view replaces what was wanted
  // and who is told. Fails with  out_of_range  n is not in the view's range, the name has not 1 to
  // 255 bytes or holds
  //                           a zero byte, or kLiveSubscriptionsMax views are wanted already
  //             closed        after close()
  Status subscribe(std::string_view board, View view, std::size_t n, OnTop on_top);
  // Wants no view of the board any more.
  void unsubscribe(std::string_view board);

  // Serves the connection, then calls back. A callback may call anything here but tick.
  void tick(Time now);

  // "connecting" | "connected" | "refused: ..." | "lost: ..." | "closed"
  std::string state() const;
  void close();

 private:
  enum class Phase : std::uint8_t { away, connecting, greeting, welcomed, refused, closed };

  struct Wanted {
    std::string board;
    View view = View::top;
    std::size_t n = 0;
    OnTop on_top;
    Replica replica;
    bool fresh = false;              // the replica's window was not delivered yet
    std::optional<Refusal> refusal;  // not delivered yet
    std::optional<Refusal> told;     // delivered last, and still so
    std::optional<Channel> ack_due;
    std::optional<Time> resync_at;  // when one was last asked for
  };
  using WantedPtr = std::shared_ptr<Wanted>;

  void handle(const TransportEvent& event, Time now);
  void handle(const Welcome& welcome, Time now);
  void handle(const Subscribed& subscribed, Time now);
  void handle(const Error& error, Time now);
  void deny(Wanted& wanted, Refusal refusal);
  void handle(const Bye& bye, Time now);
  void handle(const State&, Time) {}  // goes to its subscription, see take
  void handle(const Pong&, Time) {}   // having been heard is all there is to it
  void take(Wanted& wanted, const State& state, Channel channel, Time now);

  void serve_timers(Time now);
  void begin_to_connect(Time now);
  void lose(std::string_view why, Time now);
  void refuse(std::string_view why);
  void turn_away(std::string_view why, Time now);
  void reconcile(Time now);
  void acknowledge(Channel channel);
  void deliver();
  void say(Channel channel, const ClientMessage& message);
  WantedPtr find(std::string_view board, View view) const;
  WantedPtr of_stream(std::uint32_t stream) const;
  static Refusal unknown(std::string_view board);

  ClientTransport& transport_;
  Credentials credentials_;
  std::optional<std::uint32_t> word_;  // of the attempt to connect that runs
  std::uint64_t random_;
  Phase phase_ = Phase::away;
  std::string why_;  // of refused and lost; empty before the first loss
  PeerId peer_ = 0;
  Time phase_since_ = 0;
  Time retry_at_ = 0;
  Time backoff_ = kLiveBackoffMin;
  Time heard_at_ = 0, pinged_at_ = 0;
  std::uint32_t pings_ = 0;
  std::optional<TokenBucket> control_;  // of this connection
  std::vector<WantedPtr> wanted_;       // at most kLiveSubscriptionsMax
  // Of this connection: the n asked for of each view, or nothing where it was asked for and is not
  // wanted any more. Boards that are wanted in no view are unsubscribed.
  std::map<std::pair<std::string, View>, std::optional<std::size_t>> asked_;
};

}  // namespace laurel
