// remote_calls.h - the calls of a host that wait for boards elsewhere, and their answers as it
// reads them.
//
//   once      every call that was taken is answered once: with what the remote says, as unknown
//             where its board was dropped meanwhile, as closed at the end.
//   when      in the registry's tick, in tick() behind it, or in close(); never in ask().
//   callbacks may ask. Only those of close() find the boards closed.
//   limits    kRemoteAsksMax wait.
//   threads   the registry's caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/result.h"
#include "board/registry.h"
#include "laurel/remote.h"
#include "remote/ask.h"

namespace laurel {

class RemoteCalls {
 public:
  struct Asker {
    laurel_on_answer on_answer = nullptr;  // null: nobody is told
    void* context = nullptr;
  };

  // `board` is as RemoteBoards knows it. The object outlives the registry's remote boards.
  // Fails, so that nobody is called, with  unknown      the board is not there
  //                                        unavailable  too many wait
  //                                        closed       the registry is
  Status ask(const Registry& registry, BoardHandle board, std::uint64_t season, Ask what,
             Asker asker);
  // Likewise of a season, of a board that lives here, which is in the archive: unknown where it is
  // not. REQUIRES: seasons are copied there.
  Status ask_archived(const Registry& registry, const Board& board, std::uint64_t season, Ask what,
                      Asker asker);
  // Once a tick, behind the registry's: answers those whose board was dropped.
  void tick();
  // The registry is closed: answers all that wait, in the order of their asking.
  void close();

 private:
  class Line;
  using Id = std::uint64_t;
  struct Call {
    Asker asker;
    bool counts_players = false;  // the number that is answered is the board's size
    std::size_t results = 0;      // handed in at once
    bool lost = false;            // nobody will answer
  };

  template <typename Begin>
  Status wait(Call call, Begin begin);
  void answered(Id id, const Result<Value>& value);
  void lose(Id id);

  std::map<Id, Call> waiting_;
  std::size_t lost_ = 0;  // of those
  Id last_ = 0;
};

}  // namespace laurel
