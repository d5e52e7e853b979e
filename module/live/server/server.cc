#include "live/server/server.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <thread>

#include "base/fork_guard.h"
#include "base/hash.h"
#include "base/steady_clock.h"
#include "live/net/enet_transport.h"
#include "live/server/mailbox.h"
#include "live/server/server_core.h"

namespace laurel {

namespace {

// If there are clients, ENet must run regularly to retransmit and ping.
constexpr Time kIdleWait = kSecond / 10;
constexpr Time kAloneWait = kSecond;
constexpr std::uint64_t kUnsettled = UINT64_MAX;
// ENet scans all peers in each round. So with many clients the thread sleeps between rounds, and
// reads the datagrams in batches. Within kShortSleep the acknowledgements of 4,000 clients fill a
// third of the socket's buffer. If only few datagrams arrive, it sleeps for kLongSleep.
constexpr std::size_t kManyClients = 64;
constexpr std::uint32_t kBatchDatagrams = 32;
constexpr std::uint32_t kBusyDatagrams = 512;
constexpr Time kShortSleep = 2'000;
constexpr Time kLongSleep = 10'000;
constexpr Time kJitterDivisor = 8;  // ticks may have a jitter of a tick / kJitterDivisor

// A text that is not an address counts as loopback; EnetTransport::listen refuses it.
Auth usual_auth(const std::string& bind) {
  const bool loopback = bind.starts_with("127.") || !numeric_address(bind);
  return loopback ? Auth::open : Auth::token;
}

}  // namespace

// The live thread and its data. Only the live thread uses the core and the transport, except the
// transport's wake(). Other threads share the mailbox, the atomics, and what report_mutex_ guards.
class Server::Thread {
 public:
  Thread(std::unique_ptr<EnetTransport> transport, double rate, Auth auth)
      : transport_(std::move(transport)),
        core_(*transport_, {.rate = rate, .auth = auth, .random = random_u64}),
        tick_(static_cast<Time>(kSecond / rate)),
        port_(transport_->port()),
        thread_([this] { run(); }) {}

  ~Thread() { stop(); }

  void stop() {
    if (!thread_.joinable()) return;
    if (!fork_guard_.is_owner_process()) {
      // The thread and the connections belong to the parent process.
      thread_.detach();
      (void)transport_.release();
      return;
    }
    ending_.store(true);
    transport_->wake();
    thread_.join();
    const TicketNews last = core_.take_tickets();
    tickets_.stand.insert(tickets_.stand.end(), last.stand.begin(), last.stand.end());
    tickets_.ended.insert(tickets_.ended.end(), last.ended.begin(), last.ended.end());
  }

  std::uint16_t port() const { return port_; }

  void post(const std::string& board, WindowPtr window) {
    if (!mailbox_.post(board, std::move(window))) return lost_.fetch_add(1), void();
    posts_.fetch_add(1);
    wake();
  }

  void announce(const std::string& board) {
    if (!mailbox_.announce(board)) return lost_.fetch_add(1), void();
    wake();
  }

  void unpublish(const std::string& board) {
    if (!mailbox_.unpublish(board)) return lost_.fetch_add(1), void();
    wake();
  }

  void post(FollowId follow, WindowPtr window) {
    mailbox_.post(follow, std::move(window));
    posts_.fetch_add(1);
    wake();
  }

  void hold() { held_ = true; }
  void release() {
    held_ = false;
    if (std::exchange(wake_wanted_, false)) transport_->wake();
  }

  void add(Ticket ticket) { mailbox_.add(std::move(ticket)); }
  void revoke(std::string player) { mailbox_.revoke(std::move(player)); }

  void set_time(Time now) {
    if (!time_set_.load(std::memory_order_relaxed)) {
      time_at_start_.store(now);
      started_at_.store(steady_now());
      time_set_.store(true);
    }
    time_.store(now);
  }

  TicketNews take_tickets() {
    if (!fork_guard_.is_owner_process()) return {};  // a thread of the parent may hold the lock
    const std::lock_guard lock(report_mutex_);
    return std::exchange(tickets_, {});
  }

  FollowNews take_follows() {
    const std::lock_guard lock(report_mutex_);
    return std::exchange(follows_, {});
  }

  bool settled() const { return settled_posts_.load() == posts_.load(); }

  ServerStats stats() const {
    const std::lock_guard lock(report_mutex_);
    ServerStats stats = stats_;
    stats.dropped += lost_.load();
    return stats;
  }

  std::vector<std::pair<Level, std::string>> take_log() {
    const std::lock_guard lock(report_mutex_);
    return std::exchange(log_, {});
  }

 private:
  // One wake is a system call, so a tick that changes many boards makes one.
  void wake() {
    if (held_) {
      wake_wanted_ = true;
    } else {
      transport_->wake();
    }
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "laurel-live");
    // Only the allocator is expected to throw. The game continues without the channel.
    try {
      while (!ending_.load()) round();
      say_bye();
    } catch (const std::exception& error) {
      const std::lock_guard lock(report_mutex_);
      log_.emplace_back(Level::error, fmt::format("live: the channel ended: {}", error.what()));
    }
  }

  void round() {
    const Time started = steady_now();
    const std::uint64_t posts = posts_.load();
    apply_pending();
    const std::uint32_t datagrams = transport_->datagrams();
    core_.receive(started);
    if (core_.waiting() && started >= next_tick()) {
      core_.tick(started);
      ticked_at_ = started;
      if (std::exchange(posted_, false)) posted_at_ = started;
    } else {
      core_.flush();
    }
    report();
    settled_posts_.store(core_.waiting() ? kUnsettled : posts);
    const Time longest = pause();
    if (transport_->wait(longest) || core_.clients() < kManyClients || ending_.load()) return;
    const Time sleep = std::min(sleep_after(transport_->datagrams() - datagrams),
                                started + longest - steady_now());
    if (sleep > 0) transport_->rest(sleep);
  }

  static Time sleep_after(std::uint32_t datagrams) {
    if (datagrams >= kBusyDatagrams) return 0;
    return datagrams >= kBatchDatagrams ? kShortSleep : kLongSleep;
  }

  // Sends new posts at once if the last posts were sent about a tick ago, less the jitter of the
  // game's ticks. Otherwise only resends are due; they wait for the next post for a while longer.
  Time next_tick() const {
    const Time steady = ticked_at_ + tick_;
    return posted_ ? std::min(steady, posted_at_ + tick_ - tick_ / kJitterDivisor)
                   : steady + tick_ / kJitterDivisor;
  }

  void apply_pending() {
    // Uses the later of the registry's clock and this thread's clock, so that no token outlives its
    // expiry, even if the game stops ticking.
    if (time_set_.load()) {
      core_.set_time(
          std::max(time_.load(), time_at_start_.load() + steady_now() - started_at_.load()));
    }
    Mailbox::Pending pending = mailbox_.take();
    for (const std::string& player : pending.revoked) core_.revoke(player);
    for (const Ticket& ticket : pending.tickets) core_.add(ticket);
    posted_ = posted_ || !pending.boards.empty() || !pending.follows.empty();
    for (const auto& [board, update] : pending.boards) {
      if (update.unpublish) core_.unpublish(board);
      if (update.announce) core_.announce(board);
      if (update.window) core_.post(board, *update.window);
    }
    for (const auto& [follow, window] : pending.follows) core_.post(follow, *window);
  }

  Time pause() const {
    if (core_.waiting()) return std::clamp<Time>(next_tick() - steady_now(), 0, 2 * tick_);
    return transport_->connections() > 0 ? kIdleWait : kAloneWait;
  }

  void report() {
    std::vector<std::pair<Level, std::string>> lines = core_.take_log();
    ServerStats stats = core_.stats();
    stats.garbage = transport_->garbage();
    stats.denied += transport_->denied();
    const std::lock_guard lock(report_mutex_);
    stats_ = stats;
    // Takes new changes only after the last ones were fetched. Until then Admission and Follows
    // merge them, so that they do not pile up.
    if (tickets_.stand.empty() && tickets_.ended.empty()) tickets_ = core_.take_tickets();
    if (follows_.begun.empty() && follows_.ended.empty()) follows_ = core_.take_follows();
    for (auto& line : lines) {
      if (log_.size() < kLiveLogLinesMax) log_.push_back(std::move(line));
    }
  }

  void say_bye() {
    core_.close();
    const Time end = steady_now() + kLiveCloseWithin;
    while (transport_->connections() > 0 && steady_now() < end) {
      transport_->wait(10'000);
      while (transport_->next()) {
      }
    }
  }

  std::unique_ptr<EnetTransport> transport_;
  ServerCore core_;
  Time tick_;
  Time ticked_at_ = 0;
  Time posted_at_ = 0;   // the last tick that sent new posts
  bool posted_ = false;  // something was posted since the last tick
  std::uint16_t port_;
  bool held_ = false;         // the owner's, as is the next
  bool wake_wanted_ = false;  // something was posted while it was held
  Mailbox mailbox_;
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::uint64_t> settled_posts_{0};  // this many posts are acknowledged by all clients
  std::atomic<std::uint64_t> lost_{0};           // updates that did not fit into the mailbox
  std::atomic<bool> time_set_{false};            // whether the next three are set
  std::atomic<Time> time_at_start_{0}, started_at_{0};
  std::atomic<Time> time_{0};
  mutable std::mutex report_mutex_;
  TicketNews tickets_;
  FollowNews follows_;
  ServerStats stats_;
  std::vector<std::pair<Level, std::string>> log_;
  ForkGuard fork_guard_;
  std::thread thread_;  // last, because it uses the other members
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options) {
  if (options.clients < 1 || options.clients > kLiveClientsMax) {
    return Refusal(Code::invalid, "clients = {} is not 1 to {}", options.clients, kLiveClientsMax);
  }
  if (!(options.rate > 0 && options.rate <= kLiveRateMax)) {
    return Refusal(Code::invalid, "rate = {} is not above 0 and at most {} updates a second",
                   options.rate, kLiveRateMax);
  }
  EnetTransport::Listen listen;
  listen.bind = options.bind;
  listen.port = options.port;
  listen.clients = options.clients;
  listen.checksum = options.checksum;
  Result<std::unique_ptr<EnetTransport>> transport = EnetTransport::listen(listen);
  if (!transport) return transport.refusal();
  return std::unique_ptr<Server>(new Server(std::make_unique<Thread>(
      std::move(*transport), options.rate, options.auth.value_or(usual_auth(options.bind)))));
}

Server::Server(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
Server::~Server() = default;

Server::Hold::Hold(Server& server) : server_(server) { server_.thread_->hold(); }
Server::Hold::~Hold() { server_.thread_->release(); }

std::uint16_t Server::port() const { return thread_->port(); }

void Server::post(const std::string& board, WindowPtr window) {
  assert(window && !board.empty() && board.size() <= kBoardNameBytesMax);
  thread_->post(board, std::move(window));
}

void Server::announce(const std::string& board) { thread_->announce(board); }
void Server::unpublish(const std::string& board) { thread_->unpublish(board); }
void Server::post(FollowId follow, WindowPtr window) {
  assert(window);
  thread_->post(follow, std::move(window));
}

void Server::set_time(Time now) { thread_->set_time(now); }
void Server::add(Ticket ticket) { thread_->add(std::move(ticket)); }
void Server::revoke(std::string player) { thread_->revoke(std::move(player)); }
TicketNews Server::take_tickets() { return thread_->take_tickets(); }
FollowNews Server::take_follows() { return thread_->take_follows(); }
void Server::stop() { thread_->stop(); }
bool Server::settled() const { return thread_->settled(); }
ServerStats Server::stats() const { return thread_->stats(); }
std::vector<std::pair<Level, std::string>> Server::take_log() { return thread_->take_log(); }

}  // namespace laurel
