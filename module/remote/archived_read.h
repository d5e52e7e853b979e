// archived_read.h - a read of a past season of a shared board. The board's remote is asked first.
// If it no longer keeps the season, the archive is asked.
//
//   steps    ask the board's remote; read the board's creation time there; ask whether the archive
//            has a complete copy of that season; ask the archive.
//   answer   of the first that knows the season. If neither does: unknown.
//   threads  the registry's caller.
#pragma once

#include <memory>

#include "remote/asks.h"

namespace laurel {

class ArchivedRead : public std::enable_shared_from_this<ArchivedRead> {
 public:
  // `done` is called like the callback of an ask. Asks and sites must live until it is done or
  // cancelled. REQUIRES: the target is a past season, and `what` only reads.
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
