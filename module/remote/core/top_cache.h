// top_cache.h - the first entries of one remote board, for watches and for the live channel.
//
//   reading   while it is watched or shown: when the board opens, when the remote reports a
//             possible change, and when a season was due to end. One read at a time, at most one a
//             tick.
//   kept      the last read stays while the remote is down.
//   window    has its own epoch, drawn at construction. Its version goes up when it changes.
//   watchers  are told of changes after the first read that they saw.
//   threads   the registry's caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "registry/watch.h"
#include "remote/core/known_top_writer.h"
#include "remote/core/remote_board.h"

namespace laurel {

// The first n entries, with data. The caller sets epoch, version and columns.
std::shared_ptr<Window> window_of(const Listed& listed, std::size_t n = SIZE_MAX);

struct RemoteWatch {
  WatchId id = 0;  // 0: it was ended
  std::size_t n = 0;
  WindowPtr told;  // null until the first read
  WatchCallback callback;
};

class Top {
 public:
  Top(PendingRequests& requests, RemoteBoard& board, KnownTopWriter& known)
      : requests_(requests), board_(board), known_(known), request_(requests) {}
  ~Top();
  Top(const Top&) = delete;
  Top& operator=(const Top&) = delete;

  // Every show(true) must be paired with a show(false).
  void show(bool shown);
  void add(std::shared_ptr<RemoteWatch> watch);
  bool remove(WatchId id);
  WindowPtr window() const { return window_; }
  // Whether the window is the remote's now, as far as the remote has told.
  bool is_current() const;

  void opened();
  void may_have_changed() { stale_ = true; }
  // Called once a tick, after news were taken.
  void tick();

  // Events for watchers, in the order of registration.
  using Told = std::vector<std::pair<std::shared_ptr<RemoteWatch>, WatchEvent>>;
  void tell(Told& told);
  // Ends all watches without calling them.
  void end_watches();

 private:
  std::size_t wanted() const;
  void follow_as_wanted();
  void read(std::size_t n);
  void was_read(std::size_t n, Time asked, const Result<Value>& value);
  void look_at_clock();
  WindowPtr named(std::size_t n) const;

  PendingRequests& requests_;
  RemoteBoard& board_;
  KnownTopWriter& known_;
  int shown_ = 0;  // calls of show(true) without their show(false)
  std::map<WatchId, std::shared_ptr<RemoteWatch>> watches_;
  std::multiset<std::size_t> widths_;  // how many entries each of them shows
  bool followed_ = false;
  bool stale_ = false;  // the window may be outdated
  RetryingRequest request_;
  std::size_t read_n_ = 0;
  std::optional<Time> due_;  // when the clock changes the board
  std::uint64_t epoch_ = random_u64();
  WindowPtr window_;
  bool news_ = false;          // for watchers
  std::uint64_t renames_ = 0;  // value of Names::renames when they were told last
};

}  // namespace laurel
