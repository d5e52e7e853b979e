// node.h - one server as a client knows it: a connection that is made again when it breaks, and the
// calls that wait for it or were sent.
//
//   greeting  a new connection shows user and password, loads the scripts, and asks for the
//             server's role and slots; calls wait for that.
//   backoff   kRemoteRetryMin after a failure, doubled up to kRemoteRetryMax while they go on.
//   silence   a server that has not answered for kRedisSilenceMax counts as lost.
//   threads   one.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "remote/redis/call.h"
#include "remote/redis/connection.h"
#include "remote/redis/url.h"

namespace laurel::redis {

class Node {
 public:
  // What a greeting told.
  struct Greeting {
    bool is_replica = false;
    Reply slots;
  };
  struct News {
    std::optional<Greeting> greeting;
    std::optional<Reply> slots;                    // answered to ask_slots()
    std::vector<std::pair<Call*, Reply>> replies;  // in order
    std::vector<Call*> lost;                       // sent, and never to be answered
  };

  // `url` outlives the node.
  Node(const Url& url, Address address) : url_(url), address_(std::move(address)) {}

  const Address& address() const { return address_; }
  bool ready() const { return state_ == State::ready; }
  // Why the last connection was lost, until there is another; empty before any was.
  const std::string& error() const { return error_; }
  bool idle() const { return waiting_.empty() && sent_.empty(); }
  // How long the oldest command sent waits for its answer.
  Time silence(Time now) const { return sent_.empty() ? 0 : now - sent_.front().at; }
  Time round_trip() const { return round_trip_; }

  void add(Call& call) { waiting_.push_back(&call); }
  // Those that were not sent yet, which are not the node's any more.
  std::deque<Call*> take_waiting() { return std::exchange(waiting_, {}); }
  // Those whose deadline has passed leave it, sent ones second.
  void expire(Time now, std::vector<Call*>& waiting, std::vector<Call*>& sent);
  void ask_slots(Time now);  // REQUIRES: ready()

  // Connects where it is time to, and sends what waits.
  void work(Time now, News& news);
  // When work() is to be called again, events or not.
  Time due() const;
  int fd() const { return connection_ ? connection_->fd() : -1; }
  short events() const { return connection_->events(); }
  void on_events(short events, Time now, News& news);
  // Gives the connection up, to be made again.
  void lose(std::string_view why, Time now, News& news);

 private:
  enum class State { away, greeting, ready };
  enum class Kind { call, load, password, role, slots, asking };
  struct Sent {
    Kind kind = Kind::call;
    Call* call = nullptr;  // null where nobody waits any more
    Time at = 0;
  };

  void greet(Time now);
  void send(Call& call, Time now);
  void on_reply(Reply reply, Time now, News& news);

  const Url& url_;
  const Address address_;
  State state_ = State::away;
  std::unique_ptr<Connection> connection_;
  std::string error_;
  Time retry_at_ = 0;
  Time backoff_ = 0;
  Time begun_ = 0;  // connecting
  Time round_trip_ = 0;
  std::deque<Call*> waiting_;
  std::deque<Sent> sent_;
  std::vector<std::string> digests_;  // of the scripts, as they were loaded
  Greeting greeting_;
};

}  // namespace laurel::redis
