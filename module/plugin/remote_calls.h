// remote_calls.h - the host's pending calls on remote boards, and their answers as C structs.
//
//   once      every accepted call is answered once: with what the remote says, with unknown if its
//             board was dropped meanwhile, or with closed at the end.
//   when      in the registry's tick, in tick() after it, or in close(); never in ask().
//   callbacks may call ask(), except those of close(): there the boards are closed.
//   limits    at most kRemoteRequestsMax pending calls.
//   threads   the registry's caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/result.h"
#include "laurel/remote.h"
#include "registry/registry.h"
#include "remote/request/request.h"

namespace laurel {

class RemoteCalls {
 public:
  struct Receiver {
    laurel_on_answer on_answer = nullptr;  // null: the answer is ignored
    void* context = nullptr;
  };

  // `board` is a handle of RemoteBoards. This object must outlive the registry's remote boards.
  // Fails, and then on_answer is not called, with  unknown      the board does not exist
  //                                                unavailable  too many calls are pending
  //                                                closed       the registry is closed
  //                                        closed       the registry is
  Status ask(const Registry& registry, BoardHandle board, std::uint64_t season, Request what,
             Receiver receiver);
  // As ask(), for a season of a local board that is in the remote archive. The answer is unknown if
  // it is not there. REQUIRES: the registry copies seasons to an archive.
  Status ask_archived(const Registry& registry, const Board& board, std::uint64_t season,
                      Request what, Receiver receiver);
  // Once a tick, after the registry's: answers calls whose board was dropped.
  void tick();
  // After the registry is closed: answers all pending calls, in the order in which they were made.
  void close();

 private:
  class Line;
  using Id = std::uint64_t;
  struct Call {
    Receiver receiver;
    bool counts_players = false;   // the answered number is the board's size
    bool counts_attempts = false;  // the answered number is of attempts that are left
    std::size_t results = 0;       // number of results of a submit_all
    bool lost = false;             // there will be no answer
  };

  template <typename Begin>
  Status wait(Call call, Begin begin);
  void answered(Id id, const Result<Value>& value);
  void abandon(Id id);

  std::map<Id, Call> waiting_;
  std::size_t lost_ = 0;  // how many of waiting_ are lost
  Id last_ = 0;
};

}  // namespace laurel
