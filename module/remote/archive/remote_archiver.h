// remote_archiver.h - copies past seasons of one shared board, whose remote takes no copies, to the
// remote called "archive".
//
//   turn     every server that has the board open looks for such seasons periodically. The first
//            takes the turn (archive_request.h). The others look again later, and continue at the
//            last copied row if the holder of the turn is silent.
//   which    the seasons that the board's remote keeps, the oldest first. A season that the remote
//            trimmed before it was copied is lost to the archive, and is logged.
//   end      a season is copied only after all parts of the board have moved to a later one. From
//            then on its rows do not change, except that forgotten players are removed.
//   forget   ends the turn in the archive. Rows that were read before and are not written yet are
//            read again (Posts::on_order).
//   amount   kCopyTurnRows rows at a time, for at most kCarriedAtOnce boards of a registry.
//   threads  the registry's caller.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "remote/core/remote_board.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class RemoteArchiver {
 public:
  // The references outlive this object. `free` is how many more boards may be copied concurrently.
  RemoteArchiver(PendingRequests& requests, RemoteBoard& board, NamedRemote& archive,
                 std::size_t& free);
  ~RemoteArchiver() { stop(); }
  RemoteArchiver(const RemoteArchiver&) = delete;
  RemoteArchiver& operator=(const RemoteArchiver&) = delete;

  // Called once a tick, after answers were delivered.
  void tick();

 private:
  using Answered = void (RemoteArchiver::*)(const Result<Value>& value);

  void ask(NamedRemote& remote, Target target, Request what, Time deadline, Answered answered);
  void ask_board(std::uint64_t season, Request what, Answered answered);
  void ask_archive(Request what, Answered answered);
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

  PendingRequests& requests_;
  RemoteBoard& board_;
  NamedRemote& archive_;
  std::size_t& free_;
  const std::uint64_t token_;
  RetryingRequest request_;
  bool copies_ = false;              // one of the concurrent copies is this board's
  Time created_ = 0;                 // of the board, as last read
  std::set<std::uint64_t> settled_;  // its seasons that need no copying

  // ---- the season that is being copied
  Season season_;
  Ranking ranking_ = Ranking::competition;
  CopyTurn turn_;
  bool last_ = false;  // the rows in flight are the last ones
};

}  // namespace laurel
