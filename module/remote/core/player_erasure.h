// player_erasure.h - players whom a remote must forget outside its boards. The registry orders it;
// the caller gets no answer.
//
//   kept     like a post, in the journal under a name of its own, until it is done.
//   order    one at a time. After a failure the same player is tried again, after a delay.
//   threads  the registry's caller.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/core/post_journal.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class Forgetting {
 public:
  using MakeAsk = std::function<Request(std::string player)>;

  // `name` is the journal's; no board has it. All references outlive this object.
  Forgetting(PendingRequests& requests, Journal& journal, NamedRemote& remote, std::string name,
             MakeAsk make)
      : requests_(requests),
        journal_(journal),
        remote_(remote),
        name_(std::move(name)),
        make_(std::move(make)),
        request_(requests) {}
  Forgetting(const Forgetting&) = delete;
  Forgetting& operator=(const Forgetting&) = delete;

  // Called when the remote has forgotten a player, or refused to.
  std::function<void(std::string_view player)> on_done = [](std::string_view) {};

  void add(std::string_view player);
  // The players that the store has kept from an earlier run.
  void restore(const std::vector<Post>& forgotten);
  // Called once a tick, after answers were delivered: sends the next player.
  void tick();
  std::size_t pending() const { return forgotten_.size(); }

 private:
  void answered(const Result<Value>& value);

  PendingRequests& requests_;
  Journal& journal_;
  NamedRemote& remote_;
  std::string name_;
  MakeAsk make_;
  std::deque<Post> forgotten_;
  RetryingRequest request_;  // for the front
};

}  // namespace laurel
