// client.h - follows the tops of a server's boards.
//
//   calls     all work is done in the caller's thread, mostly in tick(). No call waits for the
//             network. A host name is looked up on a separate, short-lived thread.
//   windows   each is exactly one state that the board had, verified by its digest. Versions only
//             increase within an epoch. The client reaches the newest version despite packet loss.
//             Windows are immutable and remain valid while the caller holds them. Their epoch is
//             the channel's; each publication has a different one.
//   lost      a lost connection is made again automatically, and continues from the held windows.
//   threads   any thread, but one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/checks.h"
#include "base/process/fork_guard.h"
#include "base/result.h"
#include "live/client/client_core.h"

namespace laurel {

struct ClientOptions {
  std::string host;        // an IPv4 address or a name
  std::uint16_t port = 0;  // UDP
  std::string token = {};  // text form, see token.h; empty: none
  bool checksum = false;   // must equal the server's setting
  TokenSource fetch = {};  // instead of `token`: called in tick() when a token is needed
};

class Client final : public ClientCore {
 public:
  using OnTop = laurel::OnTop;

  // Returns a client that begins to connect at its first tick. Never waits.
  // Fails with  invalid      no host, or port 0
  //             unavailable  the system cannot open a socket
  static Result<std::unique_ptr<Client>> connect(const ClientOptions& options);

  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls back, in tick(), with the first n entries of a board when they arrive and at each change.
  // Calls back once with `unknown` if the server does not publish the board, and with a window when
  // it does. May be called before the client is connected. Subscribing again replaces n and the
  // callback. If the board has or publishes fewer than n entries, the window has these.
  //   n   1 to kLiveTopMax
  // Fails with  out_of_range  n, the board's name, or more subscriptions than a client may have
  //             closed        after close()
  Status subscribe(std::string_view board, std::size_t n, OnTop on_top) {
    return ClientCore::subscribe(board, View::top, n, std::move(on_top));
  }

  // As subscribe, with the token's player and n entries above and below; no entries while the
  // player is not ranked. Calls back once with `unsupported` if the server knows no player for this
  // client, because it has no token or an unknown one.
  //   n   0 to kLiveAroundMax
  Status follow(std::string_view board, std::size_t n, OnTop on_entries) {
    return ClientCore::subscribe(board, View::around, n, std::move(on_entries));
  }
  // For gateways: as follow, with any player. unfollow ends it.
  // Fails also with bad_player.
  Status follow_player(std::string_view board, std::size_t n, OnTop on_entries,
                       std::string_view player) {
    if (player.empty()) return check_player(player);
    return ClientCore::subscribe(board, View::around, n, std::move(on_entries), player);
  }

  // Receives and sends, then calls back. Callbacks may subscribe, unsubscribe and close, but must
  // not tick or destroy the client. In a forked child process it closes the client, because the
  // connection belongs to the parent.
  void tick();

 private:
  Client(std::unique_ptr<ClientTransport> network, Credentials credentials);

  std::unique_ptr<ClientTransport> network_;
  ForkGuard fork_guard_;
};

}  // namespace laurel
