// top.h - the first entries of one remote board, for those who watch it or show it.
//
//   reading   while anybody wants it: when the board opens, when the remote says that it may have
//             changed, when a season was due to end; one reading at a time, one a tick at most.
//   kept      what was read last stays while the remote is away.
//   window    of its own epoch, drawn with the object; its version goes up when it changed.
//   watchers  are told of changes after the first reading that they saw.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "board/watch.h"
#include "remote/remote_board.h"

namespace laurel {

// With data; epoch and version are left to the caller.
std::shared_ptr<Window> window_of(const Listed& listed);

struct RemoteWatch {
  WatchId id = 0;  // 0: it was ended
  std::size_t n = 0;
  WindowPtr told;  // null until the first reading
  WatchCallback callback;
};

class Top {
 public:
  Top(Asks& asks, RemoteBoard& board) : asks_(asks), board_(board) {}
  ~Top();
  Top(const Top&) = delete;
  Top& operator=(const Top&) = delete;

  // Each showing is ended by one that is none.
  void show(bool shown);
  void add(std::shared_ptr<RemoteWatch> watch);
  bool remove(WatchId id);
  WindowPtr window() const { return window_; }

  void opened();
  void may_have_changed() { stale_ = true; }
  // Once a tick, after news were taken.
  void tick();

  // What watchers are to be told, in the order of their coming.
  using Told = std::vector<std::pair<std::shared_ptr<RemoteWatch>, WatchEvent>>;
  void tell(Told& told);
  // They are not called any more.
  void end_watches();

 private:
  std::size_t wanted() const;
  void follow_as_wanted();
  void read(std::size_t n);
  void was_read(std::size_t n, Result<Value> value);
  void look_at_clock();

  Asks& asks_;
  RemoteBoard& board_;
  int shown_ = 0;  // by so many
  std::vector<std::shared_ptr<RemoteWatch>> watches_;
  bool followed_ = false;
  bool stale_ = false;  // what was read may not be so any more
  RequestId request_ = 0;
  std::size_t read_n_ = 0;
  Time retry_at_ = 0;
  Time backoff_ = 0;
  std::optional<Time> due_;  // when the clock changes the board
  std::uint64_t epoch_ = random_u64();
  WindowPtr window_;
  bool news_ = false;  // for watchers
};

}  // namespace laurel
