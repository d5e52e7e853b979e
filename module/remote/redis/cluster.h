// cluster.h - all servers of one Redis as one: a call goes to whoever has its slot, and again where
// that was not so.
//
//   one        a server that is no cluster is a cluster of one. Of several hosts the first that is
//              no replica is taken, and when it is lost whichever comes first then.
//   again      MOVED, ASK, TRYAGAIN, CLUSTERDOWN, MASTERDOWN, LOADING, READONLY, BUSY, NOSCRIPT:
//              not done yet, so the call goes out again until its deadline. So does one that was
//              lost on its way and only reads.
//   copies     calls that wait for them have a connection to each server for themselves (node.h),
//              unless the URL wants none.
//   order      calls to one slot go out in the order of their starting, those that wait for copies
//              among themselves and all others, but for those that go out again.
//   deadline   every call ends by it, or kRedisLookEvery later.
//   limits     kRedisNodesMax servers.
//   threads    one: whoever owns it polls for it.
#pragma once

#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "remote/redis/call.h"
#include "remote/redis/node.h"
#include "remote/redis/ready.h"
#include "remote/redis/slot_map.h"

namespace laurel::redis {

class Cluster {
 public:
  // `url` and `ready` outlive it.
  Cluster(const Url& url, Ready& ready);

  // To be awaited: returns when every call of the batch has ended.
  auto run(Batch& batch) {
    struct Running {
      Cluster& cluster;
      Batch& batch;
      bool await_ready() const noexcept { return batch.calls.empty(); }
      void await_suspend(std::coroutine_handle<> task) { cluster.start(batch, task); }
      void await_resume() const noexcept {}
    };
    return Running{*this, batch};
  }

  // Before poll: what to look for, and until when at most.
  void prepare(Time now, std::vector<pollfd>& fds);
  Time due() const;
  // After poll, with the same entries of fds, which are removed from its front.
  void on_events(Time now, const pollfd*& fds);
  // Ends every call; none starts any more.
  void close();

  const SlotMap& slots() const { return slots_; }
  // Goes up when slots() changes.
  std::uint64_t map_version() const { return map_version_; }
  // Somebody found that slots may have moved.
  void doubt_slots() { doubts_ = true; }
  // Why it is down; empty: every server that has slots is connected.
  std::string down() const;
  Time round_trip() const;
  std::vector<std::pair<Level, std::string>>& log() { return log_; }

 private:
  void start(Batch& batch, std::coroutine_handle<> waiter);
  void route(Call& call);
  void finish(Call& call, Fate fate, std::string_view why);
  void again(Call& call, Time at);
  void take(Node& node, Node::News& news, Time now);
  void on_greeting(Node& node, Node::Greeting& greeting);
  void on_slots(const Node& node, const Reply& slots);
  void on_reply(Node& node, Call& call, Reply reply, Time now);
  void on_lost(Call& call, const Node& node);
  void map_changed();
  void refresh(Time now);
  void expire(Time now);
  Node& node_at(const Address& address, bool copies = false);
  Node& node_for(const Call& call, const Address& address);
  void drop_strangers();
  void look_for_master(Time now);
  void tell_loss(const Node& node, bool was_up);
  void tell_copies(const Node& node, const Node::News& news);

  const Url& url_;
  Ready& ready_;
  SlotMap slots_;
  std::uint64_t map_version_ = 0;
  bool doubts_ = false;
  bool is_replica_ = false;  // the one server that was taken
  Time refreshed_at_ = 0;
  std::size_t next_asked_ = 0;
  Time expired_at_ = 0;
  bool closed_ = false;
  struct Line {
    Address address;
    bool copies = false;

    friend auto operator<=>(const Line&, const Line&) = default;
  };
  std::map<Line, std::unique_ptr<Node>> nodes_;
  std::set<Address> uncopied_;  // masters whose posts have too few copies, as the log knows
  std::vector<Node*> polled_;   // in the order of prepare()
  std::deque<Call*> homeless_;  // nobody is known to have their slot
  struct Delayed {
    Time at = 0;
    Call* call = nullptr;
  };
  std::vector<Delayed> delayed_;
  std::vector<std::pair<Level, std::string>> log_;
};

}  // namespace laurel::redis
