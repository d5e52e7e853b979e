// redis_remote.h - boards in Redis or Valkey, one server or a cluster, version 7 or later: changes
// are reported by sharded pub/sub.
//
//   boards    engine ranked, or sharded over ranked shards; any order, keep, ties and decimals;
//             every ranking. Each shard is in one slot (keys.h), so that a submission is one atomic
//             script on one server.
//   dense     a board of one shard whose ranking it is has a set of its distinct scores, and counts
//             in O(log n). With several shards, and for a rank in another mode than the board's
//             own, it costs a step for each distinct score that is better, until the deadline.
//   `at`      the server's time by default, and later than any default time used in that shard
//             before.
//   lost      Redis answers before its replicas have a write. A post is answered only after a
//             replica has it (node.h says how many, and when none), so that it survives a failover.
//             Other writes, acknowledged or not, may be lost with a master that fails: the last few
//             milliseconds. Nothing is lost if the server syncs (appendfsync always) and the same
//             server comes back.
//   TLS       with a rediss:// URL, to all servers (net/tls_client.h).
//   names     of hosts are resolved on the remote's thread, which blocks meanwhile.
//   memory    of the server: an entry takes about 200 bytes and its data.
//   versions  all servers that share a board with dense ranks know them: 0.2 or later.
//   threads   one of its own, and one caller.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "remote/redis/net/tls_client.h"
#include "remote/redis/net/url.h"
#include "remote/remote.h"

namespace laurel::redis {

class RedisRemote final : public Remote {
 public:
  // Starts to connect. Fails with invalid: the URL, or a file that it names for TLS. Fails with
  // unsupported: TLS, with the OpenSSL of this process (net/tls_library.h).
  static Result<std::unique_ptr<Remote>> open(std::string_view url);
  ~RedisRemote() override;

  Status takes(const Spec& spec) const override;
  Status takes_players() const override;
  Status takes_copies() const override;
  void ask(SentRequest sent) override;
  void follow(const Target& board) override;
  void unfollow(const std::string& board) override;
  void take(News& news) override;
  RemoteState state() const override;

 private:
  class Loop;
  struct Follow {
    std::string board;
    std::size_t shards = 0;  // 0: unfollow
  };

  RedisRemote(Url url, std::shared_ptr<const TlsClient> tls);
  void wake() const;
  void run();

  const Url url_;
  const std::shared_ptr<const TlsClient> tls_;  // null: without TLS
  int wake_fd_ = -1;
  mutable std::mutex door_;  // guards the members below, except the thread
  std::vector<SentRequest> asked_;
  std::vector<Follow> follows_;
  bool ends_ = false;
  News news_;
  RemoteState state_;
  std::size_t under_way_ = 0;  // asked, and the answer is not taken yet
  std::thread thread_;
};

}  // namespace laurel::redis
