// cluster.h - all servers of one Redis. A call is routed to the server that has its slot, and
// routed again if the slot has moved.
//
//   one        a server without cluster mode counts as a cluster of one. Of several such hosts the
//              first that is not a replica is used; when it is lost, the first one that answers
//              then.
//   again      on MOVED, ASK, TRYAGAIN, CLUSTERDOWN, MASTERDOWN, LOADING, READONLY, BUSY and
//              NOSCRIPT the call was not executed, so it is sent again until its deadline. Reads
//              that were lost in flight are sent again too.
//   copies     calls that require copies use a separate connection to each server (node.h), unless
//              the URL says copies=0.
//   order      calls to one slot are sent in the order of their start, except those that are sent
//              again. Calls that require copies are ordered only among themselves.
//   TLS        with a rediss:// URL to all servers, also to those that the cluster announces.
//   deadline   every call ends at its deadline, or at most kRedisLookEvery later.
//   limits     kRedisNodesMax servers.
//   threads    one: the owner polls for it.
#pragma once

#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "remote/core/run_queue.h"
#include "remote/redis/net/command.h"
#include "remote/redis/net/node.h"
#include "remote/redis/net/slot_map.h"

namespace laurel::redis {

class Cluster {
 public:
  // All outlive it; a null `tls`: without TLS, to any server.
  Cluster(const Url& url, const TlsClient* tls, Ready& ready);

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

  // Before poll: appends the sockets to poll. due() gives the latest time to return.
  void prepare(Time now, std::vector<pollfd>& fds);
  Time due() const;
  // After poll, with the same entries of fds; advances fds past them.
  void on_events(Time now, const pollfd*& fds);
  // Ends every call. Calls started later fail at once.
  void close();

  const SlotMap& slots() const { return slots_; }
  // Goes up when slots() changes.
  std::uint64_t map_version() const { return map_version_; }
  // Called when the slot map may be outdated.
  void doubt_slots() { doubts_ = true; }
  // Why it is down; empty: every server that has slots is connected.
  std::string down() const;
  Time round_trip() const;
  std::vector<std::pair<Level, std::string>>& log() { return log_; }

 private:
  void start(Batch& batch, std::coroutine_handle<> waiter);
  void route(Call& call);
  void finish(Call& call, CallOutcome outcome, std::string_view why);
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
  const TlsClient* const tls_;
  Ready& ready_;
  SlotMap slots_;
  std::uint64_t map_version_ = 0;
  bool doubts_ = false;
  bool is_replica_ = false;  // the server in use (no cluster) is a replica by now
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
  std::set<Address> uncopied_;  // masters whose posts have too few copies, as logged
  std::vector<Node*> polled_;   // in the order of prepare()
  std::deque<Call*> unrouted_;  // calls whose slot has no known server
  struct Delayed {
    Time at = 0;
    Call* call = nullptr;
  };
  std::vector<Delayed> delayed_;
  std::vector<std::pair<Level, std::string>> log_;
};

}  // namespace laurel::redis
