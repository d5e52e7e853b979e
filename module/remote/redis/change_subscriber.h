// change_subscriber.h - detects which followed boards may have changed at the top.
//
//   told      scripts publish changes on a channel per shard (sharded pub/sub). Separate
//             connections only listen, one to each server with such a channel.
//   polled    every kRedisFollowEvery each board is polled too. This finds lost messages, and
//             changes of the board's own hash.
//   doubt     every new subscription to a channel, for any reason, counts as a change.
//   threads   one: the owner polls for it.
#pragma once

#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "remote/core/backoff.h"
#include "remote/core/coroutine.h"
#include "remote/redis/net/cluster.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/net/url.h"

namespace laurel::redis {

class Following {
 public:
  // All outlive this object; a null `tls`: without TLS.
  Following(const Url& url, const TlsClient* tls, Cluster& cluster)
      : url_(url), tls_(tls), cluster_(cluster) {}

  void follow(const std::string& board, std::size_t shards);
  void unfollow(const std::string& board);

  // Before poll, and after it with the same entries of fds, as in Cluster.
  void prepare(Time now, std::vector<pollfd>& fds);
  Time due(Time now) const;
  void on_events(const pollfd*& fds);
  // Stops new polls of boards.
  void close() { closed_ = true; }

  // Boards that may have changed since the last call, each once.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

 private:
  struct Board {
    std::size_t shards = 1;
    std::vector<std::string> seen;  // at the last poll
    bool is_looked_at = false;
    Time look_at = 0;
  };
  struct Channel {
    std::string board;
    std::uint16_t slot = 0;
    bool asked = false;
    bool confirmed = false;
  };
  struct Listener {
    std::unique_ptr<Connection> connection;
    std::set<std::string> channels;  // subscriptions that were sent
    Backoff backoff;
  };

  void place_channels(Time now);
  void on_reply(Listener& listener, const Reply& reply);
  void forget(Listener& listener);
  Detached look(std::string name, std::shared_ptr<Board> board);

  const Url& url_;
  const TlsClient* const tls_;
  Cluster& cluster_;
  std::map<std::string, std::shared_ptr<Board>> boards_;
  std::map<std::string, Channel> channels_;
  std::map<Address, Listener> listeners_;
  std::vector<Listener*> polled_;
  std::set<std::string> changed_;
  std::uint64_t map_version_ = 0;
  bool is_placed_ = false;
  Time placed_at_ = 0;
  bool closed_ = false;
};

}  // namespace laurel::redis
