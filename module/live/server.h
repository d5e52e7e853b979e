// server.h - publishes the tops of boards to whoever connects, from a thread of its own.
//
//   windows   the game thread posts them; clients reach the newest, at most `rate` times a second
//             each. A board that does not change sends nothing.
//   threads   every member function may be called from any thread, one at a time. None waits but
//             start, which binds, and the destructor.
//   owner     shares the windows posted until newer ones took their place.
//   cost      post: one small lock and one wake-up. The live thread sleeps when nothing is to do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "board/window.h"
#include "live/connection.h"

namespace laurel {

// Who may connect: anyone who reaches the port, or who shows a token.
enum class Auth : std::uint8_t { open, token };

struct ServerOptions {
  std::uint16_t port = 0;          // UDP; 0: a free one
  std::string bind = "127.0.0.1";  // an IPv4 address of this machine; 0.0.0.0: all of them
  std::size_t clients = 1024;      // 1 to kLiveClientsMax
  std::optional<Auth> auth;        // nothing: open on loopback, token beyond
  double rate = 20;                // updates a second at most, per subscription; to kLiveRateMax
  bool checksum = false;           // ENet's; clients must have it set alike
};

class Server {
 public:
  // Binds, then starts the thread.
  // Fails with  invalid      an option is out of its range
  //             unsupported  tokens, which this version does not have
  //             unavailable  "cannot listen on 127.0.0.1:7777 (UDP): port in use"
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options);

  // Says bye to all clients and joins the thread; within kLiveCloseWithin and a tick.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The port that is listened on.
  std::uint16_t port() const;

  // The board's newest window, never null; the first one publishes the board. Windows that the live
  // thread had no time to fetch are skipped.
  //   board   1 to kBoardNameBytesMax bytes
  void post(const std::string& board, WindowPtr window);

  // Takes a board off the channel: subscribers are told `unknown`.
  void unpublish(const std::string& board);

  // Whether every client that is connected has acknowledged the newest window of each board that it
  // follows, and nothing posted waits to be sent.
  bool settled() const;

  // As the live thread counted at the end of its last round.
  ServerStats stats() const;

  // Lines of the live thread for the log, since the last call; at most kLiveLogLinesMax.
  std::vector<std::pair<Level, std::string>> take_log();

 private:
  class Thread;
  explicit Server(std::unique_ptr<Thread> thread);

  std::unique_ptr<Thread> thread_;
};

}  // namespace laurel
