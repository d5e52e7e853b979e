#include "live/server/server.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <pthread.h>
#include <system_error>

#include "base/hash.h"
#include "base/memory_guarantee.h"
#include "base/steady_clock.h"
#include "live/limits.h"
#include "live/net/enet_transport.h"
#include "live/net/resolver.h"

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

// A text that is not an address counts as loopback; EnetTransport::listen refuses it.
Auth usual_auth(const std::string& bind) {
  const bool loopback = bind.starts_with("127.") || !numeric_address(bind);
  return loopback ? Auth::open : Auth::token;
}

Time sleep_after(std::uint32_t datagrams) {
  if (datagrams >= kBusyDatagrams) return 0;
  return datagrams >= kBatchDatagrams ? kShortSleep : kLongSleep;
}

ServerCore::Options options_for(ServerCore::Options options, TicketsOnTheWay& on_the_way) {
  options.on_the_way = &on_the_way;
  return options;
}

std::size_t usual_share(std::size_t clients, Auth auth) {
  if (auth == Auth::token) return clients;
  return (clients + kLiveShareOfAddress - 1) / kLiveShareOfAddress;
}

}  // namespace

Result<ServerPtr> Server::start(const ServerOptions& options) {
  if (options.clients < 1 || options.clients > kLiveClientsMax) {
    return Refusal(Code::invalid, "clients = {} is not 1 to {}", options.clients, kLiveClientsMax);
  }
  if (!(options.rate > 0 && options.rate <= kLiveRateMax)) {
    return Refusal(Code::invalid, "rate = {} is not above 0 and at most {} updates a second",
                   options.rate, kLiveRateMax);
  }
  ServerCore::Options core;
  core.rate = options.rate;
  core.clients = options.clients;
  core.auth = options.auth.value_or(usual_auth(options.bind));
  core.clients_per_address =
      options.clients_per_address.value_or(usual_share(options.clients, core.auth));
  core.random = random_u64;
  if (core.clients_per_address < 1 || core.clients_per_address > kLiveClientsMax) {
    return Refusal(Code::invalid, "clients_per_address = {} is not 1 to {}",
                   core.clients_per_address, kLiveClientsMax);
  }
  EnetTransport::Listen listen;
  listen.bind = options.bind;
  listen.port = options.port;
  listen.clients = options.clients;
  listen.clients_per_address = core.clients_per_address;
  listen.checksum = options.checksum;
  Result<std::unique_ptr<EnetTransport>> transport = EnetTransport::listen(listen);
  if (!transport) return transport.refusal();
  ServerPtr server(new Server(std::move(*transport), core));
  try {
    server->thread_ = std::thread([live = server.get()] { live->run(); });
  } catch (const std::system_error& error) {
    return Refusal(Code::unavailable, "cannot start the live channel's thread: {}", error.what());
  }
  return server;
}

Server::Server(std::unique_ptr<EnetTransport> transport, const ServerCore::Options& options)
    : transport_(std::move(transport)),
      core_(*transport_, options_for(options, *this)),
      clock_(static_cast<Time>(kSecond / options.rate)),
      auth_(options.auth) {}

Server::~Server() { stop(); }

void EndServer::operator()(Server* server) const {
  if (!server->fork_guard_.is_owner_process()) return server->transport_->close_descriptors();
  delete server;
}

void Server::stop() {
  if (!thread_.joinable() || !fork_guard_.is_owner_process()) return;
  ending_.store(true);
  transport_->wake();
  thread_.join();
  const TicketNews last = core_.take_tickets();
  TicketNews& tickets = report_.tickets;
  tickets.stand.insert(tickets.stand.end(), last.stand.begin(), last.stand.end());
  tickets.ended.insert(tickets.ended.end(), last.ended.begin(), last.ended.end());
}

std::uint16_t Server::port() const { return transport_->port(); }

Server::Hold::~Hold() {
  server_.held_ = false;
  if (std::exchange(server_.wake_wanted_, false)) server_.transport_->wake();
}

// One wake is a system call, so a tick that changes many boards makes one.
void Server::wake() {
  if (held_) {
    wake_wanted_ = true;
  } else {
    transport_->wake();
  }
}

template <typename Change>
void Server::update(const std::string& board, Change change) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.boards.size() >= kLiveBoardsMax && !pending_.boards.contains(board)) {
      ++lost_;
      return;
    }
    change(pending_.boards[board]);
  }
  wake();
}

void Server::post(const std::string& board, WindowPtr window) {
  assert(window && !board.empty() && board.size() <= kBoardNameBytesMax);
  update(board, [&](BoardUpdate& update) {
    update.window = std::move(window);
    ++posts_;
  });
}

void Server::announce(const std::string& board) {
  update(board, [](BoardUpdate& update) { update.announce = true; });
}

void Server::unpublish(const std::string& board) {
  update(board, [](BoardUpdate& update) {
    update = {};
    update.unpublish = true;
  });
}

void Server::describe(const std::string& board, BoardDescription description) {
  update(board, [&](BoardUpdate& update) { update.description.emplace(std::move(description)); });
}

void Server::post(FollowId follow, WindowPtr window) {
  assert(window);
  {
    const std::lock_guard lock(mutex_);
    pending_.follows[follow] = std::move(window);
    ++posts_;
  }
  wake();
}

void Server::set_key(const KeyPair& key) {
  const std::lock_guard lock(mutex_);
  tickets_.key = key;
}

void Server::add(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  tickets_.added.push_back(std::move(ticket));
  tickets_wait_.store(true);
}

void Server::end_gateway(TicketId id) {
  {
    const std::lock_guard lock(mutex_);
    tickets_.ended_gateways.push_back(id);
  }
  wake();
}

void Server::revoke(std::string player) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tickets_.added, [&](const Ticket& ticket) { return ticket.player == player; });
  tickets_.players.push_back({std::move(player), std::nullopt});
}

void Server::rename(std::string from, std::string to) {
  const std::lock_guard lock(mutex_);
  for (Ticket& ticket : tickets_.added) {
    if (ticket.player == from) ticket.player = to;
  }
  tickets_.players.push_back({std::move(from), std::move(to)});
}

void Server::set_time(Time now) {
  const std::lock_guard lock(mutex_);
  if (!ahead_) ahead_ = now - steady_now();
  time_ = now;
}

TicketNews Server::take_tickets() {
  if (!fork_guard_.is_owner_process()) return {};  // a thread of the parent may hold the lock
  const std::lock_guard lock(mutex_);
  return std::exchange(report_.tickets, {});
}

FollowNews Server::take_follows() {
  const std::lock_guard lock(mutex_);
  return std::exchange(report_.follows, {});
}

std::vector<std::pair<Level, std::string>> Server::take_log() {
  const std::lock_guard lock(mutex_);
  return std::exchange(report_.log, {});
}

bool Server::settled() const {
  const std::lock_guard lock(mutex_);
  return settled_posts_ == posts_;
}

ServerStats Server::stats() const {
  const std::lock_guard lock(mutex_);
  ServerStats stats = report_.stats;
  stats.dropped += lost_;
  return stats;
}

// --- the live thread

void Server::run() {
  allocate_thread_variables();
  ::pthread_setname_np(::pthread_self(), "laurel-live");
  // Only the allocator is expected to throw. The game continues without the channel.
  try {
    while (!ending_.load()) round();
    say_bye();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    report_.log.emplace_back(Level::error,
                             fmt::format("live: the channel ended: {}", error.what()));
  }
}

void Server::round() {
  const Time started = steady_now();
  const std::uint64_t posts = apply_pending(started);
  const std::uint32_t datagrams = transport_->datagrams();
  core_.receive(started);
  if (core_.waiting() && started >= clock_.next(posted_)) {
    core_.tick(started);
    clock_.ticked(started, std::exchange(posted_, false));
  } else {
    core_.flush();
  }
  report(core_.waiting() ? kUnsettled : posts);
  const Time longest = pause();
  if (transport_->wait(longest) || core_.clients() < kManyClients || ending_.load()) return;
  const Time sleep =
      std::min(sleep_after(transport_->datagrams() - datagrams), started + longest - steady_now());
  if (sleep > 0) transport_->rest(sleep);
}

// Returns the number of posts up to now.
std::uint64_t Server::apply_pending(Time now) {
  std::unique_lock lock(mutex_);
  const PendingWindows pending = std::exchange(pending_, {});
  const std::uint64_t posts = posts_;
  // Uses the later of the owner's clock and this thread's clock, so that no token outlives its
  // expiry, even if the game stops ticking.
  const std::optional<Time> time =
      ahead_ ? std::optional(std::max(time_, *ahead_ + now)) : std::nullopt;
  lock.unlock();
  if (time) core_.set_time(*time);
  arrive();
  posted_ = posted_ || !pending.boards.empty() || !pending.follows.empty();
  for (const auto& [board, update] : pending.boards) {
    if (update.unpublish) core_.unpublish(board);
    if (update.announce) core_.announce(board);
    if (update.description) core_.describe(board, *update.description);
    if (update.window) core_.post(board, update.window);
  }
  for (const auto& [follow, window] : pending.follows) core_.post(follow, window);
  return posts;
}

void Server::arrive() {
  std::unique_lock lock(mutex_);
  const PendingTickets pending = std::exchange(tickets_, {});
  tickets_wait_.store(false);
  lock.unlock();
  for (const auto& [player, to] : pending.players) {
    to ? core_.rename(player, *to) : core_.revoke(player);
  }
  if (pending.key) core_.set_key(*pending.key);
  for (const Ticket& ticket : pending.added) core_.add(ticket);
  for (const TicketId gateway : pending.ended_gateways) core_.end_gateway(gateway);
}

Time Server::pause() const {
  if (core_.waiting())
    return std::clamp<Time>(clock_.next(posted_) - steady_now(), 0, 2 * clock_.tick());
  return transport_->connections() > 0 ? kIdleWait : kAloneWait;
}

void Server::report(std::uint64_t posts) {
  std::vector<std::pair<Level, std::string>> lines = core_.take_log();
  ServerStats stats = core_.stats();
  stats.garbage = transport_->garbage();
  stats.denied += transport_->denied();
  const std::lock_guard lock(mutex_);
  settled_posts_ = posts;
  report_.stats = stats;
  // Takes new changes only after the last ones were fetched. Until then Admission and Follows
  // merge them, so that they do not pile up.
  if (report_.tickets.stand.empty() && report_.tickets.ended.empty()) {
    report_.tickets = core_.take_tickets();
  }
  if (report_.follows.begun.empty() && report_.follows.ended.empty()) {
    report_.follows = core_.take_follows();
  }
  for (auto& line : lines) {
    if (report_.log.size() < kThreadLogLinesMax) report_.log.push_back(std::move(line));
  }
}

void Server::say_bye() {
  core_.close();
  {
    const ServerStats last = core_.stats();
    const std::lock_guard lock(mutex_);
    report_.stats.clients = last.clients;
    report_.stats.sent = last.sent;
    report_.stats.bytes = last.bytes;
    report_.stats.closed_for = last.closed_for;
  }
  const Time end = steady_now() + kLiveCloseWithin;
  while (transport_->connections() > 0 && steady_now() < end) {
    transport_->wait(10'000);
    while (transport_->next()) {
    }
  }
}

}  // namespace laurel
