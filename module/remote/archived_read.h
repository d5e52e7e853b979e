// archived_read.h - a question about a past season of a board that many servers share, wherever
// that is: the board's remote is asked first, and where it is kept there no more, the archive.
//
//   steps     the remote that the board lives in; who it is, by its creation; whether the archive
//             has that season, whole; the question there.
//   answer    as of the first that knows the season. Nobody does: unknown.
//   threads   the registry's caller.
#pragma once

#include <memory>

#include "remote/asks.h"

namespace laurel {

class ArchivedRead : public std::enable_shared_from_this<ArchivedRead> {
 public:
  // `done` is called as of an ask of its own. Asks and sites outlive it, or its cancelling.
  // REQUIRES: the target is of a past season, and `what` only reads.
  static std::shared_ptr<ArchivedRead> begin(Asks& asks, Site& site, Site& archive, Target target,
                                             Ask what, Time deadline, Asks::Completion done);
  void cancel();

 private:
  ArchivedRead(Asks& asks, Site& site, Site& archive, Target target, Ask what, Time deadline,
               Asks::Completion done);

  using Answered = void (ArchivedRead::*)(Result<Value> value);
  void ask(Site& site, Target target, Ask what, Answered answered);
  void asked_board(Result<Value> value);
  void found_board(Result<Value> value);
  void found_copy(Result<Value> value);
  void end(Result<Value> value);

  Asks& asks_;
  Site& site_;
  Site& archive_;
  Target target_;
  Ask what_;
  Time deadline_;
  Asks::Completion done_;
  RequestId request_ = 0;
};

}  // namespace laurel
