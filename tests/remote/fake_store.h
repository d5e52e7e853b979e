// fake_store.h - the engine behind the fake remote: local boards, shared by several "servers".
//
//   boards   are this library's own, so their answers are right by definition. The store adds what
//            a remote has to add: the spec with its revision, and the numbers of posts.
//   players  are those of a registry (fake_players.h), as are copies of seasons (fake_archive.h).
//   clock    the time of a board is the latest `now` in any server's request.
//   threads  none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "fake_archive.h"
#include "registry/registry.h"
#include "remote/remote.h"
#include "remote/request/request.h"

namespace laurel {

class FakeStore {
 public:
  FakeStore();
  ~FakeStore();

  // Answers one request. All of it happens at once.
  Result<Value> apply(const SentRequest& request);
  // A number that changes whenever the board may read differently.
  std::pair<std::uint64_t, std::uint64_t> version(const std::string& board) const;
  // For tests that inspect the store directly. Null if there is no such board.
  Board* board(const std::string& name) const;
  const FakeCopies& copies() const { return *copies_; }

 private:
  class Forced;
  struct Kept {
    BoardHandle handle;
    KeptSpec spec;
    Time now = INT64_MIN;
    // The last post that was applied, by lane and server.
    std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> posts;
    Hearings hearings;
    // When results were accepted, by their ids.
    std::map<std::string, Time> ids;
  };
  class Asked;

  std::shared_ptr<Time> now_;
  Forced* forced_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<FakeCopies> copies_;
  std::map<std::string, Kept> boards_;
};

}  // namespace laurel
