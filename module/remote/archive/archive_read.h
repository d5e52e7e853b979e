// archive_read.h - a read of a past season of a shared board. The board's remote is asked first.
// If it no longer keeps the season, the archive is asked.
//
//   steps    ask the board's remote; read the board's creation time from it; ask whether the
//            archive has a complete copy of that season; ask the archive.
//   answer   of the first that knows the season. If neither does: unknown.
//   threads  the registry's caller.
#pragma once

#include <memory>

#include "remote/core/pending_requests.h"

namespace laurel {

class ArchivedRead : public std::enable_shared_from_this<ArchivedRead> {
 public:
  // `done` is called like the callback of a request. The pending requests and the remotes must live
  // until it is done or cancelled. REQUIRES: the target is a past season, and `what` only reads.
  static std::shared_ptr<ArchivedRead> begin(PendingRequests& requests, NamedRemote& remote,
                                             NamedRemote& archive, Target target, Request what,
                                             Time deadline, PendingRequests::Completion done);
  void cancel();

 private:
  ArchivedRead(PendingRequests& requests, NamedRemote& remote, NamedRemote& archive, Target target,
               Request what, Time deadline, PendingRequests::Completion done);

  using Answered = void (ArchivedRead::*)(Result<Value> value);
  void ask(NamedRemote& remote, Target target, Request what, Answered answered);
  void asked_board(Result<Value> value);
  void found_board(Result<Value> value);
  void found_copy(Result<Value> value);
  void end(Result<Value> value);

  PendingRequests& requests_;
  NamedRemote& remote_;
  NamedRemote& archive_;
  Target target_;
  Request what_;
  Time deadline_;
  PendingRequests::Completion done_;
  RequestId request_ = 0;
};

}  // namespace laurel
