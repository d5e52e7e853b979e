// carrier.h - copies past seasons of one board that many servers share, and that lives in a remote
// which takes no copies, to the remote called "archive".
//
//   who       every server that has the board open looks for such seasons now and then; the first
//             takes the turn (ask_copies.h), the others look again later, and go on where it
//             stopped if it is not heard of any more.
//   which     those that the board's remote keeps, the oldest first. One that the remote gave up
//             before it was copied is not in the archive, and is logged.
//   end       before a season is copied all of the board has gone on to a later one: from then on
//             it never changes, but that forgotten players go.
//   forget    ends the turn in the archive: what was read before and is not written yet is read
//             again (Posts::on_forgotten).
//   amount    kCopyTurnRows rows at a time, of kCarriedAtOnce boards of a registry.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "remote/asks.h"
#include "remote/remote_board.h"

namespace laurel {

class Carrier {
 public:
  // All of them outlive it. `free` is how many boards may still be copied at the same time.
  Carrier(Asks& asks, RemoteBoard& board, Site& archive, std::size_t& free);
  ~Carrier() { stop(); }
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  // Once a tick, after answers were handed out.
  void tick();

 private:
  using Answered = void (Carrier::*)(const Result<Value>& value);

  void ask(Site& site, std::uint64_t season, Ask what, Answered answered);
  void ask_archive(Ask what, Answered answered);
  void looked(const Result<Value>& value);
  void found_running(const Result<Value>& value);
  void found_season(const Result<Value>& value);
  void took_turn(const Result<Value>& value);
  void read_rows();
  void have_rows(const Result<Value>& value);
  void wrote_rows(const Result<Value>& value);
  bool went_well(const Result<Value>& value);
  void settle();
  void look_again(Time after);
  void stop();

  Asks& asks_;
  RemoteBoard& board_;
  Site& archive_;
  std::size_t& free_;
  const std::uint64_t token_;
  RequestId request_ = 0;  // 0: nothing is under way
  bool copies_ = false;    // and counts as one of those
  Time next_at_ = 0;
  Time backoff_ = 0;
  Time created_ = 0;                 // of the board, as it was seen last
  std::set<std::uint64_t> settled_;  // its seasons that need no copying any more

  // ---- the season that is being copied
  Season season_;
  Ranking ranking_ = Ranking::competition;
  CopyTurn turn_;
  bool last_ = false;  // with the rows that are under way
};

}  // namespace laurel
