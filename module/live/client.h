// client.h - follows the tops of a server's boards.
//
//   calls     everything happens in the caller's thread, in tick() above all; no call waits for the
//             network. A host given by name is looked up on a short-lived thread of its own.
//   windows   each is exactly one state that the board had, digest-checked; versions only go up
//             within an epoch, and the newest is reached whatever the network loses. The windows
//             handed out are immutable and stay valid for as long as they are held. Their epoch is
//             the channel's own, another one for each publication.
//   lost      a lost connection is made again by itself, and goes on from what was held.
//   threads   one at a time, whichever it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "live/client_core.h"

namespace laurel {

struct ClientOptions {
  std::string host;        // an IPv4 address or a name
  std::uint16_t port = 0;  // UDP
  std::string token = {};  // as token.h has it; empty where none is asked for
  bool checksum = false;   // as the server has it
  TokenSource fetch = {};  // in the token's place: asked in tick, whenever one is needed
};

class Client {
 public:
  using OnTop = laurel::OnTop;

  // A client that begins to connect at its first tick. Never waits.
  // Fails with  invalid      no host, or port 0
  //             unavailable  the system has no socket for us
  static Result<std::unique_ptr<Client>> connect(const ClientOptions& options);

  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls back, in tick, with the first n entries of a board at once and at each change; or once
  // with `unknown` while the server publishes no such board, and with the window when it does. May
  // come before the connection stands. Subscribing again replaces n and the callback. Where fewer
  // than n are published, those come.
  //   n   1 to kLiveTopMax
  // Fails with  out_of_range  n, the name's length, or more than kLiveSubscriptionsMax in all
  //             closed        after close()
  Status subscribe(std::string_view board, std::size_t n, OnTop on_top);

  // Likewise the player whose token this is with n above and n below; no entries while he is not
  // ranked. A server to which the client showed no token calls back once with `unsupported`.
  //   n   0 to kLiveAroundMax
  Status follow(std::string_view board, std::size_t n, OnTop on_entries);

  // Ends both.
  void unsubscribe(std::string_view board);

  // Serves the connection, then calls back. Callbacks may subscribe, unsubscribe and close, not
  // tick or destroy the client.
  void tick();

  // "connecting" | "connected" | "refused: why" | "lost: why" | "closed"
  std::string state() const;

  // Leaves, and calls back no more. The client remains, closed.
  void close();

 private:
  class Dialer;
  Client(std::unique_ptr<Dialer> dialer, Credentials credentials);

  std::unique_ptr<Dialer> dialer_;
  ClientCore core_;
};

}  // namespace laurel
