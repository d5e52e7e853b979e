// node.h - one server as a client knows it: a connection that is made again when it breaks, and the
// calls that wait for it or were sent.
//
//   greeting  a new connection shows user and password, loads the scripts, and asks for the
//             server's role and slots; calls wait for that.
//   copies    posts, and what changes a board itself, go over a connection of their own to the same
//             server, and are answered once replicas have them: behind all that went out at once
//             stand one WAIT, which holds up what comes after it, and ROLE, which says how many
//             replicas are in step. The URL's copies=N waits for N, however few there are. Without
//             it one copy is waited for while the master has a replica, and none after it has lost
//             the last, nor where the user may not ask ROLE. What has too few copies within
//             kRedisCopiedWithin is not acknowledged, and asked again by whoever posted it. A
//             script that meets a post again writes its number again, so that WAIT is about that
//             post too, whichever connection it came over at first.
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
    bool is_new = true;  // of a new connection
    bool is_replica = false;
    Reply slots;
  };
  struct News {
    std::optional<Greeting> greeting;
    std::vector<std::pair<Call*, Reply>> replies;  // in order
    std::vector<Call*> lost;                       // sent, and never to be answered
    std::vector<Call*> uncopied;                   // done there, with too few copies
    std::string why_uncopied;
  };

  // `url` outlives the node.
  Node(const Url& url, Address address, bool copies)
      : url_(url), address_(std::move(address)), copies_(copies) {}

  const Address& address() const { return address_; }
  // Whether it is the connection of what waits for copies.
  bool copies() const { return copies_; }
  bool ready() const { return state_ == State::ready; }
  // Why the last connection was lost, until there is another; empty before any was.
  const std::string& error() const { return error_; }
  bool idle() const { return waiting_.empty() && sent_.empty() && uncopied_.empty(); }
  // How long the oldest command sent waits for its answer.
  Time silence(Time now) const { return sent_.empty() ? 0 : now - sent_.front().at; }
  Time round_trip() const { return round_trip_; }

  void add(Call& call) { waiting_.push_back(&call); }
  // Those that were not sent yet, which are not the node's any more.
  std::deque<Call*> take_waiting() { return std::exchange(waiting_, {}); }
  // Those whose deadline has passed leave it, sent ones second.
  void expire(Time now, std::vector<Call*>& waiting, std::vector<Call*>& sent);
  // Asks for its role and slots. REQUIRES: ready()
  void greet_again(Time now);

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
  enum class Kind { call, load, password, role, slots, asking, copied };
  struct Sent {
    Kind kind = Kind::call;
    Call* call = nullptr;  // null where nobody waits any more
    Time at = 0;
  };

  void greet(Time now);
  void send(Call& call, Time now);
  void on_reply(Reply reply, Time now, News& news);
  unsigned copies_wanted() const;
  void ask_for_copies(Time now);
  void on_role(const Reply& role, News& news);
  void on_copies(News& news);

  const Url& url_;
  const Address address_;
  const bool copies_;
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
  std::size_t replicas_ = 0;  // in step, as the last ROLE said
  // What was answered, and of which it is not known how many copies there are.
  std::vector<std::pair<Call*, Reply>> uncopied_;
  bool has_uncopied_ = false;     // sent since the last WAIT
  bool asks_for_copies_ = false;  // its ROLE is not answered yet
  unsigned copies_asked_ = 0;     // of it; 0: there was only ROLE
  Reply copied_;                  // what it answered
};

}  // namespace laurel::redis
