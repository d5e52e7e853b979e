// server.h - publishes the tops of boards to clients, from its own thread (the live thread).
//
//   windows   the game thread posts them. Each client receives the newest, at most `rate` times a
//             second. A board that does not change sends nothing. Windows around a player are
//             posted while a client follows the player.
//   tickets   decide which clients may connect (admission.h). The owner makes tokens, and stores
//             all tickets if they must outlive the server.
//   threads   every member function may be called from any thread, one at a time. Only start,
//             stop and the destructor block.
//   owner     shares the posted windows until the live thread has fetched them.
//   cost      post: one short lock and one wake-up. The live thread sleeps while it has no work.
//             A message, sent or received, costs the live thread about 3 us, three quarters of it
//             in the kernel: 4,000 clients at 20 updates a second use half a core.
//   buffer    socket receive buffer: 4 MB, limited by net.core.rmem_max. With Linux's default
//             (208 KB) the simultaneous answers of thousands of clients overflow it, and the server
//             sends these clients the state again.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/process/fork_guard.h"
#include "base/result.h"
#include "live/server/server_core.h"
#include "live/server/tick_clock.h"

namespace laurel {

class EnetTransport;

struct ServerOptions {
  std::uint16_t port = 0;          // UDP; 0: a free one
  std::string bind = "127.0.0.1";  // an IPv4 address of this machine; 0.0.0.0: all of them
  std::size_t clients = 1024;      // 1 to kLiveClientsMax
  // Clients of one address, 1 to kLiveClientsMax. nullopt: a quarter of `clients` if the server is
  // open; all of them if it requires tokens.
  std::optional<std::size_t> clients_per_address;
  std::optional<Auth> auth;  // nullopt: open on loopback, token on other addresses
  double rate = 20;          // maximum updates per second of a subscription; to kLiveRateMax
  bool checksum = false;     // ENet's; clients must have the same setting
};

class Server;

// Ends a server. In a forked child process it only closes the child's descriptors and runs no
// destructor. The thread and the connections belong to the parent, and the thread may have been
// changing any member at the moment of the fork.
struct EndServer {
  void operator()(Server* server) const;
};
using ServerPtr = std::unique_ptr<Server, EndServer>;

class Server final : private TicketsOnTheWay {
 public:
  // Binds, then starts the thread.
  // Fails with  invalid      an option is out of its range
  //             unavailable  "cannot listen on 127.0.0.1:7777 (UDP): port in use", or another
  //                          reason of the system; or no thread can be started
  static Result<ServerPtr> start(const ServerOptions& options);

  // Says bye to all clients and joins the thread, within kLiveCloseWithin and a tick.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The local UDP port.
  std::uint16_t port() const;

  // While it exists, posts do not wake the live thread; its destructor wakes it once if there were
  // any. The owner holds one during a tick.
  class Hold {
   public:
    explicit Hold(Server& server) : server_(server) { server_.held_ = true; }
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

  // Describes a board to the clients that ask, until it is unpublished.
  void describe(const std::string& board, BoardDescription description);

  // Unpublishes a board. Its subscribers get the error `unknown`.
  void unpublish(const std::string& board);

  // Returns the follows that began and ended since the last call.
  FollowNews take_follows();
  // Posts the newest window of a follow, never null.
  void post(FollowId follow, WindowPtr window);

  // Sets the clock that tickets expire by; the owner calls it at each tick. After the first call
  // the live thread's own clock counts too, and the later of the two is used.
  void set_time(Time now);
  // The key that sealed tokens name; before them.
  void set_key(const KeyPair& key);
  // Which clients may connect.
  Auth auth() const { return auth_; }
  // Adds a ticket; ends the player's tickets; returns the changes since the last call.
  void add(Ticket ticket);
  void revoke(std::string player);
  // Gives the player's tickets and connections to another id.
  void rename(std::string from, std::string to);
  // Ends a gateway's token, and the connections that were made with it.
  void end_gateway(TicketId id);
  TicketNews take_tickets();

  // Says bye to all clients and joins the thread. take_tickets and take_log still return its last
  // changes and lines.
  void stop();

  // Whether every connected client has acknowledged the newest window of each of its subscriptions,
  // and no posted window waits to be sent.
  bool settled() const;

  // The counters at the end of the live thread's last round.
  ServerStats stats() const;

  // Returns the log lines of the live thread since the last call; at most kThreadLogLinesMax.
  std::vector<std::pair<Level, std::string>> take_log();

 private:
  // The updates of one board, to be applied in this order.
  struct BoardUpdate {
    bool unpublish = false;
    bool announce = false;  // its first window comes later
    std::optional<BoardDescription> description;
    WindowPtr window;  // null: none
  };
  // Who may connect, as far as the live thread has not fetched it yet, to be applied in this order.
  struct PendingTickets {
    // Players whose tickets end, or go to another id, in this order.
    struct PlayerChange {
      std::string player;
      std::optional<std::string> to;  // absent: they end
    };
    std::vector<PlayerChange> players;
    std::optional<KeyPair> key;
    std::vector<Ticket> added;
    std::vector<TicketId> ended_gateways;
  };
  // What else it has not fetched yet, to be applied in this order. A new window replaces one that
  // was not fetched, so the thread may be busy for long.
  struct PendingWindows {
    std::map<std::string, BoardUpdate> boards;  // at most kLiveBoardsMax
    std::map<FollowId, WindowPtr> follows;      // of those that the live thread reported
  };
  // What the owner has not fetched yet.
  struct Report {
    TicketNews tickets;
    FollowNews follows;
    ServerStats stats;
    std::vector<std::pair<Level, std::string>> log;  // at most kThreadLogLinesMax
  };

  Server(std::unique_ptr<EnetTransport> transport, const ServerCore::Options& options);

  template <typename Change>
  void update(const std::string& board, Change change);
  void wake();

  // On the live thread:
  friend struct EndServer;

  void run();
  void round();
  std::uint64_t apply_pending(Time now);
  bool any() const override { return tickets_wait_.load(); }
  void arrive() override;
  void report(std::uint64_t posts);
  Time pause() const;
  void say_bye();

  // Only the live thread uses these, except wake() of the transport.
  std::unique_ptr<EnetTransport> transport_;
  ServerCore core_;
  TickClock clock_;
  Auth auth_;            // constant
  bool posted_ = false;  // something was posted since the last tick

  // Only the owner uses these.
  ForkGuard fork_guard_;
  bool held_ = false;
  bool wake_wanted_ = false;  // something was posted while it was held

  std::atomic<bool> ending_{false};
  std::atomic<bool> tickets_wait_{false};  // tickets_ has added ones
  mutable std::mutex mutex_;  // guards what both use; held briefly, and never during I/O
  PendingTickets tickets_;
  PendingWindows pending_;
  Report report_;
  std::uint64_t posts_ = 0;
  std::uint64_t settled_posts_ = 0;  // this many posts are acknowledged by all clients
  std::uint64_t lost_ = 0;           // updates that did not fit into pending_
  Time time_ = 0;                    // of the owner's clock
  std::optional<Time> ahead_;        // of it before the steady clock, at the first set_time

  std::thread thread_;
};

}  // namespace laurel
