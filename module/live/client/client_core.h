// client_core.h - the live client without socket and clock: connecting, subscribing, receiving.
//
//   calls     subscribe and unsubscribe set the wanted views. tick sends the requests for them,
//             within the server's rate limit, and calls back with the received windows.
//   lost      a connection that is silent for too long, or that the server ends, is made again
//             automatically: after kLiveBackoffMin at first, then twice as long each time, up to
//             kLiveBackoffMax, each varied by up to a quarter. The client tells the server which
//             windows it holds, and the server sends deltas from them. A refused client tries its
//             other credentials (credentials.h), then gives up. If the server has not proven who it
//             is, the client continues trying, every kLiveBackoffMax.
//   sealed    the connection is encrypted if the token names the server's key, and never falls back
//             to one that is not (secure/sealed_client.h).
//   version   of the protocol: the newest that both speak. What a server of version 1 does not have
//             is refused with `unsupported`.
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
#include "live/client/held_boards.h"
#include "live/client/questions.h"
#include "live/client/wanted_views.h"
#include "live/limits.h"
#include "live/net/client_limits.h"
#include "live/net/token_bucket.h"
#include "live/net/transport.h"
#include "live/secure/sealed_client.h"

namespace laurel {

// Gets the published boards, or `unsupported`.
using OnBoards = std::function<void(const Result<ListedBoardsPtr>&)>;

class ClientCore {
 public:
  // seed         for the jitter of reconnects
  // version_max  the newest version of the protocol that the client speaks
  ClientCore(ClientTransport& transport, Credentials credentials, std::uint64_t seed,
             std::uint8_t version_max = kWireVersionMax);

  // Subscribes to a view of a board. Subscribing again to the same kind of view, of the same
  // player, replaces n and the callback. If the server allows fewer subscriptions than there are,
  // the last ones are called back with out_of_range.
  //   player  for View::around: the player in the middle; empty: the token's player. Only gateways
  //           may name one, other clients are called back with `unsupported`.
  // Fails with  out_of_range  n is not in the view's range, the name is not 1 to 255 bytes or has a
  //                           zero byte, or the client may have no more subscriptions
  //             bad_player    the player's id is not valid
  //             closed        after close()
  Status subscribe(std::string_view board, View view, std::size_t n, OnTop on_top,
                   std::string_view player = {});
  // Ends the subscriptions to all views of the board.
  void unsubscribe(std::string_view board);
  // Ends the subscription to the player's surroundings.
  void unfollow(std::string_view board, std::string_view player);

  // The boards that the server publishes, as last heard; none before that. From the first call on
  // the client asks for them. Fails with unsupported.
  Result<ListedBoardsPtr> boards();
  // Calls back with the published boards when they are known, and at each change. A second call
  // replaces the callback. Fails with closed.
  Status on_boards(OnBoards on_boards);

  // The player of the client's token; absent while it is not connected, if the server does not know
  // one, and with a server of version 1.
  std::optional<std::string> player() const;

  // For gateways: asks which player a token belongs to. This spends no use of the token. Calls back
  // once, in a later tick, within kLiveAnswerWithin.
  // Fails with  out_of_range  the token is not 1 to kLiveTokenTextBytesMax bytes
  //             unavailable   kLiveQuestionsMax questions are not answered yet, or the client was
  //                           refused
  //             closed        after close()
  Status ask_player(std::string_view token, OnPlayer on_player);

  // Receives and sends, then calls back. A callback may call any method except tick.
  void tick(Time now);

  // "connecting" | "connected" | "refused: why" | "lost: why" | "closed"
  std::string state() const;
  // How long nothing was heard from the server, and the measured round trip; absent while the state
  // is not "connected".
  std::optional<Time> silence(Time now) const;
  std::optional<Time> round_trip() const;
  // Whether the server has begun, on this connection, to send what follows the window that was
  // called back last. Until then that window may be outdated.
  bool is_current(std::string_view board, View view, std::string_view player = {}) const;
  // Disconnects and ends all callbacks. The state is "closed" from then on.
  void close();

 private:
  enum class Phase : std::uint8_t { away, connecting, greeting, welcomed, refused, closed };

  void handle(const TransportEvent& event, Time now);
  void handle(const Welcome& welcome, Time now);
  void handle(const Subscribed& subscribed, Time now);
  void handle(const Error& error, Time now);
  void handle(const Bye& bye, Time now);
  void handle(const State&, Time) {}  // not called: take() handles states
  void handle(const Pong&, Time) {}   // heard_at_ is already updated
  void handle(const StreamBegins& begins, Time now);
  void handle(const PlayerIs& answer, Time now);
  void handle(const BoardList& list, Time now);
  void attach(std::string_view board, View view, std::string_view player, std::size_t n,
              std::uint32_t stream, std::uint64_t epoch, const EntryFormat& format);
  std::size_t subscriptions_max() const;
  void take(WantedView& wanted, const State& state, Channel channel, Time now);

  void serve_timers(Time now);
  void begin_to_connect(Time now);
  void lose(std::string_view why, Time now);
  void refuse(std::string_view why);
  void reject(std::string_view why, Time now);
  void reject_by_stranger(Time now);
  void pace_control(Time now);
  void reconcile(Time now);
  bool end_unwanted(Time now);
  bool ask_for_wanted(Time now);
  void ask_for_boards(Time now);
  void ask_for_players(Time now);
  void acknowledge(Channel channel);
  void deliver();
  void deliver_boards();
  void deliver_answers();
  void say(Channel channel, const ClientMessage& message);
  static Refusal no_version_2(std::string_view what);

  SealedClient transport_;
  Credentials credentials_;
  std::optional<std::uint32_t> word_;  // of the current attempt to connect
  std::uint64_t random_;
  std::uint8_t version_max_;
  std::uint8_t version_ = 1;  // of this connection, with the next three
  Role role_ = Role::client;
  std::size_t allowed_ = 0;  // subscriptions; 0: not known yet
  std::string player_;
  Phase phase_ = Phase::away;
  std::string why_;                   // reason of refused and lost; empty before the first loss
  bool refused_by_stranger_ = false;  // is that reason
  PeerId peer_ = 0;
  Time phase_since_ = 0;
  Time retry_at_ = 0;
  Time backoff_ = kLiveBackoffMin;
  Time heard_at_ = 0, pinged_at_ = 0;
  std::uint32_t pings_ = 0;
  std::optional<TokenBucket> control_;  // of this connection
  WantedViews wanted_;                  // at most subscriptions_max()
  struct AskedView {
    std::string board;
    View view = View::top;
    std::string player;
    friend auto operator<=>(const AskedView&, const AskedView&) = default;
  };
  // The n that was requested of each view on this connection; nullopt: the view was requested, but
  // is no longer wanted, and an unsubscribe is due.
  std::map<AskedView, std::optional<std::size_t>> asked_;
  bool reconciled_ = false;  // all that is wanted was requested
  HeldBoards boards_;
  bool boards_wanted_ = false;
  bool boards_asked_ = false;            // on this connection, and not answered yet
  bool boards_refused_ = false;          // the callback was told
  std::optional<Time> boards_retry_at_;  // after a useless answer
  OnBoards on_boards_;
  ListedBoardsPtr boards_told_;
  Questions questions_;
};

}  // namespace laurel
