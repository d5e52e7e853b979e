// fake_store.h - the engine that tests put elsewhere: local boards, shared by several "servers".
//
//   boards   are this library's own, so what they answer is right by definition; around them lies
//            what a remote has to add: the spec with its revision, and the numbers of posts.
//   players  likewise a registry's (fake_players.h), and copies of seasons (fake_copies.h).
//   clock    each board's is the latest `now` that any server asked it with.
//   threads  none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "board/registry.h"
#include "fake_copies.h"
#include "remote/ask.h"
#include "remote/remote.h"

namespace laurel {

class FakeStore {
 public:
  FakeStore();
  ~FakeStore();

  // One question, answered as all of it happened at once.
  Result<Value> apply(const Request& request);
  // Another number whenever the board may read otherwise.
  std::pair<std::uint64_t, std::uint64_t> version(const std::string& board) const;
  // For tests that look behind the curtain; null where no such board is.
  Board* board(const std::string& name) const;
  const FakeCopies& copies() const { return *copies_; }

 private:
  class Forced;
  struct Kept {
    BoardHandle handle;
    KeptSpec spec;
    Time now = INT64_MIN;
    // By lane and server: the last post applied.
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> posts;
  };
  class Asked;

  std::shared_ptr<Time> now_;
  Forced* forced_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<FakeCopies> copies_;
  std::map<std::string, Kept> boards_;
};

}  // namespace laurel
