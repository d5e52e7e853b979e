// redis_remote.h - boards in Redis or Valkey, one server or a cluster: version 7 or later, whose
// sharded pub/sub tells of changes.
//
//   boards    of engine ranked, or sharded with such shards; any order, keep, ties and decimals;
//             every ranking but dense, which would have to walk distinct scores. Each shard lies in
//             one slot (layout.h), so that a submission is one script in one server: all of it
//             happens, or nothing.
//   `at`      the server's time where none is given, and later than any given in that shard before.
//   lost      Redis answers before its replicas have a write. A post is answered once one of them
//             has it (node.h says how many, and when none): after a failover it is there. Other
//             writes a master that dies may take along, acknowledged or not: some milliseconds'
//             worth, and nothing where the server syncs (appendfsync always) and comes back
//             itself.
//   names     of hosts are looked up on the remote's thread, which waits for that.
//   memory    of the server: an entry takes some 200 bytes and its data.
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

#include "remote/redis/url.h"
#include "remote/remote.h"

namespace laurel::redis {

class RedisRemote final : public Remote {
 public:
  // Begins to connect. Fails with invalid: the URL.
  static Result<std::unique_ptr<Remote>> open(std::string_view url);
  ~RedisRemote() override;

  Status takes(const Spec& spec) const override;
  Status takes_players() const override;
  Status takes_copies() const override;
  void ask(Request request) override;
  void follow(const Target& board) override;
  void unfollow(const std::string& board) override;
  void take(News& news) override;
  RemoteState state() const override;

 private:
  class Loop;
  struct Follow {
    std::string board;
    std::size_t shards = 0;  // 0: not any more
  };

  explicit RedisRemote(Url url);
  void wake() const;
  void run();

  const Url url_;
  int wake_fd_ = -1;
  mutable std::mutex door_;  // of all below, but the thread
  std::vector<Request> asked_;
  std::vector<Follow> follows_;
  bool ends_ = false;
  News news_;
  RemoteState state_;
  std::size_t under_way_ = 0;  // asked, and not taken yet
  std::thread thread_;
};

}  // namespace laurel::redis
