// forgetting.h - players whom a remote is to forget, beyond its boards: the registry's word, that
// nobody waits for.
//
//   kept      like a post, in the journal under a name of its own, until it was done.
//   order     one after the other; after a failure the same again, after a while.
//   threads   the registry's caller.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/asks.h"
#include "remote/journal.h"

namespace laurel {

class Forgetting {
 public:
  using MakeAsk = std::function<Ask(std::string player)>;

  // `name` is the journal's, and no board's. All references outlive it.
  Forgetting(Asks& asks, Journal& journal, Site& site, std::string name, MakeAsk make)
      : asks_(asks),
        journal_(journal),
        site_(site),
        name_(std::move(name)),
        make_(std::move(make)) {}
  Forgetting(const Forgetting&) = delete;
  Forgetting& operator=(const Forgetting&) = delete;

  void add(std::string_view player);
  // Those whom the store has of an earlier run.
  void restore(const std::vector<Post>& forgotten);
  // Once a tick, after answers were handed out: what waits is sent.
  void tick();
  std::size_t pending() const { return forgotten_.size(); }

 private:
  void answered(const Result<Value>& value);

  Asks& asks_;
  Journal& journal_;
  Site& site_;
  std::string name_;
  MakeAsk make_;
  std::deque<Post> forgotten_;
  bool sent_ = false;  // the front is under way
  Time retry_at_ = 0;
  Time backoff_ = 0;
};

}  // namespace laurel
