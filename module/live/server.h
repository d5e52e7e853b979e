// server.h - publishes the tops of boards to whoever connects, from a thread of its own.
//
//   windows   the game thread posts them; clients reach the newest, at most `rate` times a second
//             each. A board that does not change sends nothing. What is around a player is posted
//             for as long as somebody follows it.
//   tickets   say who may connect (admission.h); the owner draws tokens, and keeps all of them
//             where they are to outlive the server.
//   threads   every member function may be called from any thread, one at a time. None waits but
//             start, which binds, and the destructor.
//   owner     shares the windows posted until newer ones took their place.
//   cost      post: one small lock and one wake-up. The live thread sleeps when nothing is to do.
//             A message, sent or received, takes the live thread about 3 us, three quarters of them
//             the kernel's: 4,000 clients at 20 updates a second half of a core.
//   buffer    of the socket: 4 MB, or as much as net.core.rmem_max allows. As Linux comes (208 KB)
//             thousands of clients that answer at once find it full, and are sent to again.
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
#include "live/admission.h"
#include "live/connection.h"
#include "live/follows.h"
#include "live/ticket.h"

namespace laurel {

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
  //             unavailable  "cannot listen on 127.0.0.1:7777 (UDP): port in use"
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options);

  // Says bye to all clients and joins the thread; within kLiveCloseWithin and a tick. In a process
  // that was forked off it does nothing: the server is the other's.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The port that is listened on.
  std::uint16_t port() const;

  // The board's newest window, never null; the first one publishes the board. Windows that the live
  // thread had no time to fetch are skipped.
  //   board   1 to kBoardNameBytesMax bytes
  void post(const std::string& board, WindowPtr window);

  // Publishes a board whose first window is posted later: until then subscribers wait.
  void announce(const std::string& board);

  // Takes a board off the channel: subscribers are told `unknown`.
  void unpublish(const std::string& board);

  // Whose surroundings clients follow, since the last call; and what they are.
  FollowNews take_follows();
  void post(FollowId follow, WindowPtr window);

  // The clock that tickets go by, which the owner tells at each of its ticks; from the first time
  // on they go by the thread's own too, whichever went further.
  void set_time(Time now);
  // Tickets that hold from now on, those of a player that end, and what became of all.
  void add(Ticket ticket);
  void revoke(std::string player);
  TicketNews take_tickets();

  // Says bye to all clients and ends the thread; what it told last can still be taken.
  void stop();

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
