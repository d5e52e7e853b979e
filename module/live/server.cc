#include "live/server.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "base/hash.h"
#include "live/enet_transport.h"
#include "live/mailbox.h"
#include "live/server_core.h"

namespace laurel {

namespace {

// With clients, ENet has retransmissions and pings of its own to see to.
constexpr Time kIdleWait = kSecond / 10;
constexpr Time kAloneWait = kSecond;
constexpr std::uint64_t kUnsettled = UINT64_MAX;
// ENet looks at every peer in each round: with a crowd, what arrives is taken by the armful. Two
// milliseconds of 4,000 clients' acknowledgements fill a third of the socket's buffer.
constexpr std::size_t kCrowd = 64;
constexpr Time kCrowdNap = 2'000;

// What is no address is refused where it is listened on.
Auth usual_auth(const std::string& bind) {
  const bool loopback = bind.starts_with("127.") || !numeric_address(bind);
  return loopback ? Auth::open : Auth::token;
}

Time steady_now() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// The live thread and what it shares with the others. The transport and the core are its own; the
// mailbox, the report and the flag are shared.
class Server::Thread {
 public:
  Thread(std::unique_ptr<EnetTransport> transport, double rate)
      : transport_(std::move(transport)),
        core_(*transport_, rate, random_u64()),
        tick_(static_cast<Time>(kSecond / rate)),
        port_(transport_->port()),
        thread_([this] { run(); }) {}

  ~Thread() {
    ending_.store(true);
    transport_->wake();
    thread_.join();
  }

  std::uint16_t port() const { return port_; }

  void post(const std::string& board, WindowPtr window) {
    if (!mailbox_.post(board, std::move(window))) return lost_.fetch_add(1), void();
    posts_.fetch_add(1);
    transport_->wake();
  }

  void unpublish(const std::string& board) {
    if (!mailbox_.unpublish(board)) return lost_.fetch_add(1), void();
    transport_->wake();
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
  void run() {
    // Nothing here is expected to throw but the allocator: the game goes on without its channel.
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
    for (auto& [board, letter] : mailbox_.take()) {
      if (letter.unpublish) core_.unpublish(board);
      if (letter.window) core_.post(board, *letter.window);
    }
    core_.receive(started);
    const bool due = core_.waiting() && started >= next_tick_;
    if (due) {
      core_.tick(started);
      // On the beat while ticks follow each other; a pause begins a new beat.
      if (started - next_tick_ > tick_ / 2) next_tick_ = started;
      next_tick_ += tick_;
    } else {
      core_.flush();
    }
    report();
    settled_posts_.store(core_.waiting() ? kUnsettled : posts);
    const Time longest = pause();
    transport_->wait(longest);
    if (core_.clients() >= kCrowd && !ending_.load()) {
      const Time nap = std::min(kCrowdNap, started + longest - steady_now());
      if (nap > 0) std::this_thread::sleep_for(std::chrono::microseconds(nap));
    }
  }

  Time pause() const {
    if (core_.waiting()) return std::clamp<Time>(next_tick_ - steady_now(), 0, tick_);
    return transport_->connections() > 0 ? kIdleWait : kAloneWait;
  }

  void report() {
    std::vector<std::pair<Level, std::string>> lines = core_.take_log();
    ServerStats stats = core_.stats();
    stats.garbage = transport_->garbage();
    const std::lock_guard lock(report_mutex_);
    stats_ = stats;
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
  Time next_tick_ = 0;
  std::uint16_t port_;
  Mailbox mailbox_;
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> posts_{0};
  std::atomic<std::uint64_t> settled_posts_{0};  // how many posts all clients have seen
  std::atomic<std::uint64_t> lost_{0};           // letters the mailbox had no room for
  mutable std::mutex report_mutex_;
  ServerStats stats_;
  std::vector<std::pair<Level, std::string>> log_;
  std::thread thread_;  // last: it starts when all the others are there
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options) {
  if (options.clients < 1 || options.clients > kLiveClientsMax) {
    return Refusal(Code::invalid, "clients = {} is not 1 to {}", options.clients, kLiveClientsMax);
  }
  if (!(options.rate > 0 && options.rate <= kLiveRateMax)) {
    return Refusal(Code::invalid, "rate = {} is not above 0 and at most {} updates a second",
                   options.rate, kLiveRateMax);
  }
  if (options.auth.value_or(usual_auth(options.bind)) == Auth::token) {
    return Refusal(Code::unsupported,
                   "{}: tokens are not available in this version; auth = \"open\" lets in anyone "
                   "who reaches the port",
                   options.bind);
  }
  EnetTransport::Listen listen;
  listen.bind = options.bind;
  listen.port = options.port;
  listen.clients = options.clients;
  listen.checksum = options.checksum;
  Result<std::unique_ptr<EnetTransport>> transport = EnetTransport::listen(listen);
  if (!transport) return transport.refusal();
  return std::unique_ptr<Server>(
      new Server(std::make_unique<Thread>(std::move(*transport), options.rate)));
}

Server::Server(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
Server::~Server() = default;

std::uint16_t Server::port() const { return thread_->port(); }

void Server::post(const std::string& board, WindowPtr window) {
  assert(window && !board.empty() && board.size() <= kBoardNameBytesMax);
  thread_->post(board, std::move(window));
}

void Server::unpublish(const std::string& board) { thread_->unpublish(board); }
bool Server::settled() const { return thread_->settled(); }
ServerStats Server::stats() const { return thread_->stats(); }
std::vector<std::pair<Level, std::string>> Server::take_log() { return thread_->take_log(); }

}  // namespace laurel
