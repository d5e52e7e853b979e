// client_core.h - the live client without socket and clock: connecting, subscribing, receiving.
//
//   calls     subscribe and unsubscribe set the wanted views. tick sends the requests for them,
//             within the server's rate limit, and calls back with the received windows.
//   lost      a connection that is silent for too long, or that the server ends, is made again
//             automatically: after kLiveBackoffMin at first, then twice as long each time, up to
//             kLiveBackoffMax, each varied by up to a quarter. The client tells the server which
//             windows it holds, and the server sends deltas from them. A refused client tries its
//             other credentials (credentials.h), then gives up.
//   owner     refers to the transport, which must outlive it. A callback is kept until unsubscribe,
//             replacement or close, and while it runs.
//   threads   none; all work is done in the caller's calls.
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
#include "board/standings/top_snapshot.h"
#include "live/auth/credentials.h"
#include "live/client/replica.h"
#include "live/net/token_bucket.h"
#include "live/net/transport.h"

namespace laurel {

// Gets a window, or why there is none: "unknown: no board "x" is published here".
using OnTop = std::function<void(const Result<WindowPtr>&)>;

class ClientCore {
 public:
  // seed: for the jitter of reconnects
  ClientCore(ClientTransport& transport, Credentials credentials, std::uint64_t seed);

  // Subscribes to a view of a board. Subscribing again to the same kind of view replaces n and the
  // callback.
  // Fails with  out_of_range  n is not in the view's range, the name is not 1 to 255 bytes or has a
  //                           zero byte, or there are kLiveSubscriptionsMax subscriptions already
  //             closed        after close()
  Status subscribe(std::string_view board, View view, std::size_t n, OnTop on_top);
  // Ends the subscriptions to all views of the board.
  void unsubscribe(std::string_view board);

  // Receives and sends, then calls back. A callback may call any method except tick.
  void tick(Time now);

  // "connecting" | "connected" | "refused: why" | "lost: why" | "closed"
  std::string state() const;
  // Disconnects and ends all callbacks. The state is "closed" from then on.
  void close();

 private:
  enum class Phase : std::uint8_t { away, connecting, greeting, welcomed, refused, closed };

  struct Wanted {
    std::string board;
    View view = View::top;
    std::size_t n = 0;
    OnTop on_top;
    Replica replica;
    bool fresh = false;              // the replica's window is not delivered yet
    std::optional<Refusal> refusal;  // not delivered yet
    std::optional<Refusal> told;     // delivered, or in `refusal`; still true
    std::optional<Channel> ack_due;
    std::optional<Time> resync_at;  // of the last resync
  };
  using WantedPtr = std::shared_ptr<Wanted>;

  void handle(const TransportEvent& event, Time now);
  void handle(const Welcome& welcome, Time now);
  void handle(const Subscribed& subscribed, Time now);
  void handle(const Error& error, Time now);
  void deny(Wanted& wanted, Refusal refusal);
  void handle(const Bye& bye, Time now);
  void handle(const State&, Time) {}  // not called: take() handles states
  void handle(const Pong&, Time) {}   // heard_at_ is already updated
  void take(Wanted& wanted, const State& state, Channel channel, Time now);

  void serve_timers(Time now);
  void begin_to_connect(Time now);
  void lose(std::string_view why, Time now);
  void refuse(std::string_view why);
  void reject(std::string_view why, Time now);
  void reconcile(Time now);
  void acknowledge(Channel channel);
  void deliver();
  void say(Channel channel, const ClientMessage& message);
  WantedPtr find(std::string_view board, View view) const;
  WantedPtr of_stream(std::uint32_t stream) const;
  static Refusal unknown(std::string_view board);

  ClientTransport& transport_;
  Credentials credentials_;
  std::optional<std::uint32_t> word_;  // of the current attempt to connect
  std::uint64_t random_;
  Phase phase_ = Phase::away;
  std::string why_;  // reason of refused and lost; empty before the first loss
  PeerId peer_ = 0;
  Time phase_since_ = 0;
  Time retry_at_ = 0;
  Time backoff_ = kLiveBackoffMin;
  Time heard_at_ = 0, pinged_at_ = 0;
  std::uint32_t pings_ = 0;
  std::optional<TokenBucket> control_;  // of this connection
  std::vector<WantedPtr> wanted_;       // at most kLiveSubscriptionsMax
  // The n that was requested of each view on this connection; nullopt: the view was requested, but
  // is no longer wanted, and an unsubscribe is due.
  std::map<std::pair<std::string, View>, std::optional<std::size_t>> asked_;
};

}  // namespace laurel
