// node.h - the client side of one server: a connection that is restored when it breaks, and the
// calls that wait for it or were sent.
//
//   greeting  a new connection sends user and password, loads the scripts, and asks for the
//             server's role and slots. Calls wait for that.
//   copies    posts, Reset and WriteSpec use a separate connection to the same server. They are
//             answered only after replicas have them. Each group of calls is followed by one WAIT,
//             which blocks the connection, and by ROLE, which says how many replicas are in sync.
//             With copies=N in the URL, N copies are required, however few replicas there are.
//             Without it, one copy is required while the master has a replica, and for
//             kRedisAloneAfter after it lost the last one: the replica may be the new master,
//             and the old one does not know it yet. None is required if the master had no
//             replica for that long, or the user may not run ROLE. A call with too few copies
//             within kRedisCopiedWithin is not acknowledged; the poster repeats it. A script that
//             meets a post again rewrites its number, so that WAIT covers that post even if it
//             first came over another connection.
//   backoff   a pause after each failure, as in remote/core/backoff.h.
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
#include "remote/core/backoff.h"
#include "remote/redis/net/command.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/net/url.h"

namespace laurel::redis {

class Node {
 public:
  // The answers to a greeting.
  struct Greeting {
    bool is_new = true;  // from a new connection
    bool is_replica = false;
    Reply slots;
  };
  struct News {
    std::optional<Greeting> greeting;
    std::vector<std::pair<Call*, Reply>> replies;  // in order
    std::vector<Call*> lost;                       // sent, but never answered
    std::vector<Call*> uncopied;                   // executed, but with too few copies
    std::string why_uncopied;
  };

  // `url` and `tls` outlive the node; a null `tls`: without TLS.
  Node(const Url& url, const TlsClient* tls, Address address, bool copies)
      : url_(url), tls_(tls), address_(std::move(address)), copies_(copies) {}

  const Address& address() const { return address_; }
  // Whether this is the connection for calls that require copies.
  bool copies() const { return copies_; }
  bool ready() const { return state_ == State::ready; }
  // Why the last connection was lost; empty while connected, and before the first loss.
  const std::string& error() const { return error_; }
  bool idle() const { return waiting_.empty() && sent_.empty() && uncopied_.empty(); }
  // How long the oldest sent command has been waiting for its answer.
  Time silence(Time now) const { return sent_.empty() ? 0 : now - sent_.front().at; }
  Time round_trip() const { return round_trip_; }

  void add(Call& call) { waiting_.push_back(&call); }
  // Removes the calls that were not sent yet.
  std::deque<Call*> take_waiting() { return std::exchange(waiting_, {}); }
  // Removes calls whose deadline has passed: unsent ones into `waiting`, sent ones into `sent`.
  void expire(Time now, std::vector<Call*>& waiting, std::vector<Call*>& sent);
  // Requests role and slots again. REQUIRES: ready()
  void greet_again(Time now);

  // Connects if it is time to, and sends waiting calls.
  void work(Time now, News& news);
  // When work() must be called again, even without events.
  Time due() const;
  int fd() const { return connection_ ? connection_->fd() : -1; }
  short events() const { return connection_->events(); }
  void on_events(short events, Time now, News& news);
  // Drops the connection; work() connects again after the backoff.
  void lose(std::string_view why, Time now, News& news);

 private:
  enum class State { away, greeting, ready };
  enum class Kind { call, load, password, role, slots, asking, copied };
  struct Sent {
    Kind kind = Kind::call;
    Call* call = nullptr;  // null after its deadline
    Time at = 0;
  };

  void greet(Time now);
  void send(Call& call, Time now);
  void on_reply(Reply reply, Time now, News& news);
  unsigned copies_wanted(Time now) const;
  void ask_for_copies(Time now);
  void on_role(const Reply& role, Time now, News& news);
  void on_copies(Time now, News& news);

  const Url& url_;
  const TlsClient* const tls_;
  const Address address_;
  const bool copies_;
  State state_ = State::away;
  std::unique_ptr<Connection> connection_;
  std::string error_;
  Backoff backoff_;
  Time begun_ = 0;  // start of the connection attempt
  Time round_trip_ = 0;
  std::deque<Call*> waiting_;
  std::deque<Sent> sent_;
  std::vector<std::string> digests_;  // of the scripts, in the order of Script
  Greeting greeting_;
  Time copied_until_ = 0;  // without copies=N: one copy is required before this time
  // Answered calls, for which the number of copies is not known yet.
  std::vector<std::pair<Call*, Reply>> uncopied_;
  bool has_uncopied_ = false;     // calls were sent since the last WAIT
  bool asks_for_copies_ = false;  // the ROLE after WAIT is not answered yet
  unsigned copies_asked_ = 0;     // the argument of that WAIT; 0: only ROLE was sent
  Reply copied_;                  // the reply to WAIT
};

}  // namespace laurel::redis
