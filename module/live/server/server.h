// server.h - publishes the tops of boards to clients, from its own thread (the live thread).
//
//   windows   the game thread posts them. Each client receives the newest, at most `rate` times a
//             second. A board that does not change sends nothing. Windows around a player are
//             posted while a client follows the player.
//   tickets   decide which clients may connect (admission.h). The owner makes tokens, and stores
//             all tickets if they must outlive the server.
//   threads   every member function may be called from any thread, one at a time. Only start,
//             stop and the destructor block.
//   owner     shares the posted windows until newer ones replace them.
//   cost      post: one short lock and one wake-up. The live thread sleeps while it has no work.
//             A message, sent or received, costs the live thread about 3 us, three quarters of it
//             in the kernel: 4,000 clients at 20 updates a second use half a core.
//   buffer    socket receive buffer: 4 MB, limited by net.core.rmem_max. With Linux's default
//             (208 KB) the simultaneous answers of thousands of clients overflow it, and the server
//             sends these clients the state again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "board/standings/top_snapshot.h"
#include "live/auth/admission.h"
#include "live/auth/ticket.h"
#include "live/server/connection.h"
#include "live/server/follows.h"

namespace laurel {

struct ServerOptions {
  std::uint16_t port = 0;          // UDP; 0: a free one
  std::string bind = "127.0.0.1";  // an IPv4 address of this machine; 0.0.0.0: all of them
  std::size_t clients = 1024;      // 1 to kLiveClientsMax
  std::optional<Auth> auth;        // nullopt: open on loopback, token on other addresses
  double rate = 20;                // maximum updates per second of a subscription; to kLiveRateMax
  bool checksum = false;           // ENet's; clients must have the same setting
};

class Server {
 public:
  // Binds, then starts the thread.
  // Fails with  invalid      an option is out of its range
  //             unavailable  "cannot listen on 127.0.0.1:7777 (UDP): port in use"
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options);

  // Says bye to all clients and joins the thread, within kLiveCloseWithin and a tick. Does nothing
  // in a forked child process, because the thread belongs to the parent.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The local UDP port.
  std::uint16_t port() const;

  // While it exists, posts do not wake the live thread; its destructor wakes it once if there were
  // any. The owner holds one during a tick.
  class Hold {
   public:
    explicit Hold(Server& server);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Server& server_;
  };

  // Posts the board's newest window, never null. The first window publishes the board. A window
  // that the live thread has not fetched yet is replaced.
  //   board   1 to kBoardNameBytesMax bytes
  void post(const std::string& board, WindowPtr window);

  // Publishes a board whose first window is posted later. Until then subscribers wait.
  void announce(const std::string& board);

  // Unpublishes a board. Its subscribers get the error `unknown`.
  void unpublish(const std::string& board);

  // Returns the follows that began and ended since the last call.
  FollowNews take_follows();
  // Posts the newest window of a follow, never null.
  void post(FollowId follow, WindowPtr window);

  // Sets the clock that tickets expire by; the owner calls it at each tick. After the first call
  // the live thread's own clock counts too, and the later of the two is used.
  void set_time(Time now);
  // Adds a ticket; ends the player's tickets; returns the changes since the last call.
  void add(Ticket ticket);
  void revoke(std::string player);
  TicketNews take_tickets();

  // Says bye to all clients and joins the thread. take_tickets and take_log still return its last
  // changes and lines.
  void stop();

  // Whether every connected client has acknowledged the newest window of each of its subscriptions,
  // and no posted window waits to be sent.
  bool settled() const;

  // The counters at the end of the live thread's last round.
  ServerStats stats() const;

  // Returns the log lines of the live thread since the last call; at most kLiveLogLinesMax.
  std::vector<std::pair<Level, std::string>> take_log();

 private:
  class Thread;
  explicit Server(std::unique_ptr<Thread> thread);

  std::unique_ptr<Thread> thread_;
};

}  // namespace laurel
