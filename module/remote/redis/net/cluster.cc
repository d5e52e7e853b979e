#include "remote/redis/net/cluster.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/steady_clock.h"
#include "remote/limits.h"

namespace laurel::redis {

namespace {

// Errors that are temporary: the same call may be sent again later.
bool is_passing(std::string_view error) {
  for (const std::string_view word :
       {"TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "READONLY", "BUSY", "NOREPLICAS"}) {
    if (error.starts_with(word)) return true;
  }
  // One of the script's keys has just moved to another server; the script has written nothing.
  return error.find("non local key") != std::string_view::npos;
}

}  // namespace

Cluster::Cluster(const Url& url, const TlsClient* tls, Ready& ready)
    : url_(url), tls_(tls), ready_(ready) {
  for (const Address& host : url.hosts) node_at(host);
}

Node& Cluster::node_at(const Address& address, bool copies) {
  std::unique_ptr<Node>& node = nodes_[{address, copies}];
  if (!node) node = std::make_unique<Node>(url_, tls_, address, copies);
  return *node;
}

Node& Cluster::node_for(const Call& call, const Address& address) {
  return node_at(address, call.is_copied && url_.copies != 0u);
}

void Cluster::start(Batch& batch, std::coroutine_handle<> waiter) {
  batch.waiter = waiter;
  batch.left = batch.calls.size();
  for (Call& call : batch.calls) {
    if (closed_) {
      finish(call, CallOutcome::not_done, "the remote is closed");
    } else {
      route(call);
    }
  }
}

void Cluster::route(Call& call) {
  call.asking = false;
  if (const Address* address = slots_.find(call.slot)) {
    node_for(call, *address).add(call);
  } else {
    unrouted_.push_back(&call);
    doubts_ = true;
  }
}

void Cluster::finish(Call& call, CallOutcome outcome, std::string_view why) {
  call.outcome = outcome;
  call.why = why;
  if (--call.batch->left == 0) ready_.add(call.batch->waiter);
}

void Cluster::again(Call& call, Time at) {
  ++call.tries;
  delayed_.push_back({at, &call});
}

void Cluster::on_lost(Call& call, const Node& node) {
  if (call.writes) {
    finish(call, CallOutcome::unknown, fmt::format("{}: {}", shown(node.address()), node.error()));
  } else {
    route(call);
  }
}

void Cluster::on_reply(Node& node, Call& call, Reply reply, Time now) {
  if (reply.is_error()) {
    if (const auto to = redirection(reply.text, node.address())) {
      ++call.tries;
      if (to->requests) {
        call.asking = true;
        node_for(call, to->address).add(call);
        return;
      }
      if (call.tries > kRedisRedirectsMax) return again(call, now + kRemoteRetryMin);
      slots_.move(to->slot, to->address);
      ++map_version_;
      doubts_ = true;
      return route(call);
    }
    if (reply.text.starts_with("NOSCRIPT") && call.script && !call.with_source) {
      call.with_source = true;
      call.asking ? node.add(call) : route(call);
      return;
    }
    if (is_passing(reply.text)) {
      doubts_ = true;
      is_replica_ = is_replica_ || reply.text.starts_with("READONLY");
      call.why = reply.text;
      return again(call,
                   now + std::min(kRedisAgainMin << std::min(call.tries, 6), kRemoteRetryMin));
    }
  }
  call.reply = std::move(reply);
  finish(call, CallOutcome::answered, {});
}

void Cluster::take(Node& node, Node::News& news, Time now) {
  if (news.greeting) on_greeting(node, *news.greeting);
  tell_copies(node, news);
  for (auto& [call, reply] : news.replies) on_reply(node, *call, std::move(reply), now);
  if (!news.lost.empty()) doubts_ = true;
  for (Call* const call : news.lost) on_lost(*call, node);
  for (Call* const call : news.uncopied) {
    finish(*call, CallOutcome::unknown,
           fmt::format("{}: {}", shown(node.address()), news.why_uncopied));
  }
  news = {};
}

void Cluster::on_greeting(Node& node, Node::Greeting& greeting) {
  if (greeting.is_new && !node.copies()) {
    log_.emplace_back(Level::debug, fmt::format("redis {}: connected", shown(node.address())));
  }
  if (!greeting.slots.is_error()) return on_slots(node, greeting.slots);
  if (greeting.is_replica) return;
  const Address* const other = slots_.find(0);
  if (other != nullptr && (*other == node.address() || node_at(*other).ready())) return;
  slots_.set_single(node.address());
  map_changed();
}

void Cluster::on_slots(const Node& node, const Reply& slots) {
  SlotMap fresh;
  if (slots.is_error() || !fresh.set(slots, node.address()) || fresh == slots_) return;
  slots_ = std::move(fresh);
  map_changed();
}

// Routes calls again that wait for a server that has lost their slot.
void Cluster::map_changed() {
  ++map_version_;
  std::deque<Call*> waiting = std::exchange(unrouted_, {});
  for (const auto& [line, node] : nodes_) {
    for (Call* const call : node->take_waiting()) waiting.push_back(call);
  }
  for (const Address& address : slots_.masters()) node_at(address);
  for (Call* const call : waiting) {
    const bool stays = slots_.find(call->slot) != nullptr;
    if (stays) {
      route(*call);
    } else {
      unrouted_.push_back(call);
    }
  }
}

// Removes idle nodes that neither have slots nor are in the URL. Connections for copies are kept
// only to servers with slots.
void Cluster::drop_strangers() {
  const std::vector<Address> masters = slots_.masters();
  const auto is_master = [&](const Address& address) {
    return std::find(masters.begin(), masters.end(), address) != masters.end();
  };
  const auto is_known = [&](const Address& address) {
    return is_master(address) ||
           std::find(url_.hosts.begin(), url_.hosts.end(), address) != url_.hosts.end();
  };
  std::erase_if(nodes_, [&](const auto& each) {
    const auto& [line, node] = each;
    return node->idle() && !(line.copies ? is_master(line.address) : is_known(line.address));
  });
}

// Without a cluster, another of the hosts may be the master by now.
void Cluster::look_for_master(Time now) {
  if (slots_.empty() || slots_.is_cluster() || url_.hosts.size() < 2) return;
  if (node_at(*slots_.find(0)).ready() && !is_replica_) return;
  is_replica_ = false;
  slots_ = {};
  ++map_version_;
  for (const auto& [line, node] : nodes_) {
    for (Call* const call : node->take_waiting()) unrouted_.push_back(call);
    if (!node->ready()) continue;
    Node::News news;
    node->lose("reconnecting, to ask for its role", now, news);
    take(*node, news, now);
  }
}

void Cluster::tell_loss(const Node& node, bool was_up) {
  if (!was_up || node.error().empty() || node.copies()) return;
  log_.emplace_back(Level::warn, fmt::format("redis {}: {}", shown(node.address()), node.error()));
}

// Logs when it begins and when it is over.
void Cluster::tell_copies(const Node& node, const Node::News& news) {
  const bool any_copied =
      std::any_of(news.replies.begin(), news.replies.end(),
                  [](const auto& answered) { return !answered.second.is_error(); });
  if (!news.uncopied.empty() && uncopied_.insert(node.address()).second) {
    log_.emplace_back(Level::warn, fmt::format("redis {}: posts are not acknowledged: {}",
                                               shown(node.address()), news.why_uncopied));
  } else if (node.copies() && any_copied && uncopied_.erase(node.address()) > 0) {
    log_.emplace_back(Level::info,
                      fmt::format("redis {}: posts are acknowledged again", shown(node.address())));
  }
}

// Requests the slots from a connected server, each time another one. Without a cluster only clears
// the doubt: look_for_master() does the rest.
void Cluster::refresh(Time now) {
  if (!doubts_ || now - refreshed_at_ < kRedisRefreshEvery) return;
  refreshed_at_ = now;
  if (!slots_.empty() && !slots_.is_cluster()) {
    doubts_ = false;
    return;
  }
  std::vector<Node*> connected;
  for (const auto& [line, node] : nodes_) {
    const bool answers = node->ready() && node->silence(now) < kRedisRefreshEvery;
    if (answers && !node->copies()) connected.push_back(node.get());
  }
  if (connected.empty()) return;  // greetings bring the slots too
  connected[next_asked_++ % connected.size()]->greet_again(now);
  doubts_ = false;
}

void Cluster::expire(Time now) {
  if (now - expired_at_ < kRedisLookEvery) return;
  expired_at_ = now;
  std::vector<Call*> waiting;
  std::vector<Call*> sent;
  for (const auto& [line, node] : nodes_) {
    const std::size_t before = waiting.size();
    node->expire(now, waiting, sent);
    for (std::size_t i = before; i < waiting.size(); ++i) {
      waiting[i]->why = fmt::format("{}: {}", shown(line.address),
                                    node->error().empty() ? "no answer" : node->error());
    }
  }
  const auto is_over = [&](Call* call) {
    if (call->deadline > now) return false;
    waiting.push_back(call);
    return true;
  };
  unrouted_.erase(std::remove_if(unrouted_.begin(), unrouted_.end(), is_over), unrouted_.end());
  std::erase_if(delayed_, [&](const Delayed& each) { return is_over(each.call); });
  for (Call* const call : waiting) {
    const std::string why = call->why.empty() ? down() : std::move(call->why);
    finish(*call, CallOutcome::not_done, why.empty() ? "no answer" : why);
  }
  for (Call* const call : sent) {
    finish(*call, call->writes ? CallOutcome::unknown : CallOutcome::not_done, "no answer");
  }
}

void Cluster::prepare(Time now, std::vector<pollfd>& fds) {
  for (std::size_t i = 0; i < delayed_.size();) {
    if (delayed_[i].at > now) {
      ++i;
      continue;
    }
    Call* const call = delayed_[i].call;
    delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(i));
    route(*call);
  }
  drop_strangers();
  look_for_master(now);
  expire(now);
  std::vector<Node*> nodes;
  for (const auto& [line, node] : nodes_) {
    nodes.push_back(node.get());
    // A replica may have taken over. If not yet, this asks again.
    const bool is_lost = !node->ready() && !node->error().empty();
    doubts_ = doubts_ || is_lost || node->silence(now) > kSecond;
  }
  refresh(now);
  for (Node* const node : nodes) {
    Node::News news;
    const bool was_up = node->error().empty();
    node->work(now, news);
    tell_loss(*node, was_up);
    take(*node, news, now);
  }
  polled_.clear();
  for (const auto& [line, node] : nodes_) {
    if (node->fd() < 0) continue;
    polled_.push_back(node.get());
    fds.push_back({node->fd(), node->events(), 0});
  }
}

Time Cluster::due() const {
  Time due = INT64_MAX;
  bool busy = !unrouted_.empty();
  for (const auto& [line, node] : nodes_) {
    due = std::min(due, node->due());
    busy = busy || !node->idle();
  }
  for (const Delayed& each : delayed_) due = std::min(due, each.at);
  if (busy || !delayed_.empty()) due = std::min(due, expired_at_ + kRedisLookEvery);
  if (doubts_) due = std::min(due, refreshed_at_ + kRedisRefreshEvery);
  return due;
}

void Cluster::on_events(Time now, const pollfd*& fds) {
  const std::vector<Node*> polled = std::exchange(polled_, {});
  std::vector<Node::News> news(polled.size());
  for (std::size_t i = 0; i < polled.size(); ++i, ++fds) {
    if (fds->revents == 0) continue;
    const bool was_up = polled[i]->error().empty();
    polled[i]->on_events(fds->revents, now, news[i]);
    tell_loss(*polled[i], was_up);
  }
  for (std::size_t i = 0; i < polled.size(); ++i) take(*polled[i], news[i], now);
}

void Cluster::close() {
  closed_ = true;
  std::vector<Call*> waiting(unrouted_.begin(), unrouted_.end());
  std::vector<Call*> sent;
  unrouted_.clear();
  for (const Delayed& each : delayed_) waiting.push_back(each.call);
  delayed_.clear();
  for (const auto& [line, node] : nodes_) node->expire(INT64_MAX, waiting, sent);
  for (Call* const call : waiting) finish(*call, CallOutcome::not_done, "the remote is closed");
  for (Call* const call : sent) finish(*call, CallOutcome::unknown, "the remote is closed");
}

std::string Cluster::down() const {
  const auto words = [](const Node& node) {
    return fmt::format("{}: {}", shown(node.address()),
                       node.error().empty() ? "not connected yet" : node.error());
  };
  if (slots_.empty()) {
    for (const auto& [line, node] : nodes_) {
      if (!node->error().empty()) return words(*node);
    }
    for (const auto& [line, node] : nodes_) {
      if (!node->ready()) return words(*node);
    }
    return "no server serves the slots";
  }
  for (const Address& address : slots_.masters()) {
    const auto found = nodes_.find({address, false});
    if (found != nodes_.end() && !found->second->ready()) return words(*found->second);
  }
  return {};
}

Time Cluster::round_trip() const {
  Time longest = 0;
  for (const auto& [line, node] : nodes_) {
    if (!node->copies()) longest = std::max(longest, node->round_trip());
  }
  return longest;
}

}  // namespace laurel::redis
