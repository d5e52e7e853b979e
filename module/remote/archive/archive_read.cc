#include "remote/archive/archive_read.h"

#include <utility>

#include "base/text.h"
#include "remote/request/spec_codec.h"

namespace laurel {

ArchivedRead::ArchivedRead(PendingRequests& requests, NamedRemote& remote, NamedRemote& archive,
                           Target target, Request what, Time deadline,
                           PendingRequests::Completion done)
    : requests_(requests),
      remote_(remote),
      archive_(archive),
      target_(std::move(target)),
      what_(std::move(what)),
      deadline_(deadline),
      done_(std::move(done)) {}

std::shared_ptr<ArchivedRead> ArchivedRead::begin(PendingRequests& requests, NamedRemote& remote,
                                                  NamedRemote& archive, Target target, Request what,
                                                  Time deadline, PendingRequests::Completion done) {
  const std::shared_ptr<ArchivedRead> read(new ArchivedRead(
      requests, remote, archive, std::move(target), std::move(what), deadline, std::move(done)));
  read->ask(remote, read->target_, read->what_, &ArchivedRead::asked_board);
  return read;
}

void ArchivedRead::cancel() {
  done_ = nullptr;
  requests_.cancel(std::exchange(request_, 0));
}

void ArchivedRead::ask(NamedRemote& remote, Target target, Request what, Answered answered) {
  request_ = requests_.ask(remote, std::move(target), std::move(what), deadline_,
                           [self = shared_from_this(), answered](Result<Value> value) {
                             (*self.*answered)(std::move(value));
                           });
}

void ArchivedRead::end(Result<Value> value) {
  request_ = 0;
  if (const PendingRequests::Completion done = std::exchange(done_, nullptr))
    done(std::move(value));
}

void ArchivedRead::asked_board(Result<Value> value) {
  if (value || value.refusal().code() != Code::unknown) return end(std::move(value));
  ask(remote_, {.board = target_.board, .spec = target_.spec}, request::ReadSpec{},
      &ArchivedRead::found_board);
}

void ArchivedRead::found_board(Result<Value> value) {
  if (!value) return end(std::move(value));
  const KeptSpec& stored = std::get<KeptSpec>(*value);
  if (!stored.exists) {
    return end(
        Refusal(Code::unknown, "the archive has no board \"{}\"", escaped(target_.board, 64)));
  }
  target_.copy_of = stored.created;
  ask(archive_, target_, request::ReadCopy{}, &ArchivedRead::found_copy);
}

void ArchivedRead::found_copy(Result<Value> value) {
  if (!value) return end(std::move(value));
  const KeptSpec& kept = std::get<KeptSpec>(*value);
  if (!kept.exists) {
    return end(Refusal(Code::unknown, "season {} of board \"{}\" is neither kept nor archived",
                       target_.season, escaped(target_.board, 64)));
  }
  Result<Spec> spec = spec_of(kept.spec, archive_.name);
  if (!spec) return end(spec.refusal());
  target_.spec = std::make_shared<const Spec>(std::move(*spec));
  ask(archive_, target_, what_, &ArchivedRead::end);
}

}  // namespace laurel
