// remote_board.h - the local state of one remote board: its spec, and how it was read.
//
//   opening  the remote spec is read and the local changes are merged into it. If the result
//            differs, it is written, provided that the revision has not changed. Until then the
//            spec is not known. If the remote does not answer, the read is repeated after a delay.
//   mismatch a change asked for another stored order than the remote has. The board can be read
//            with the remote's order, and not written. The next change that is compatible ends
//            that.
//   checks   while the board is used its spec is read again periodically: other servers may change
//            it.
//   threads  the registry's caller.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board/spec/spec_change.h"
#include "remote/core/retrying_request.h"

namespace laurel {

class RemoteBoard {
 public:
  // The pending requests and the remote outlive the board.
  RemoteBoard(PendingRequests& requests, NamedRemote& remote, std::string name)
      : requests_(requests),
        remote_(remote),
        name_(std::move(name)),
        is_carried_(!remote.backend->takes_copies()),
        request_(requests) {}
  RemoteBoard(const RemoteBoard&) = delete;
  RemoteBoard& operator=(const RemoteBoard&) = delete;

  const std::string& name() const { return name_; }
  NamedRemote& remote() const { return remote_; }
  bool is_open() const { return stage_ == Stage::open && spec_ != nullptr; }
  // As the remote stores it; null until it was read once.
  const std::shared_ptr<const Spec>& spec() const { return spec_; }
  // The columns of its scores: the remote's, or those asked for here until the remote has answered.
  // They live as long as this.
  const ScoreColumns::Ptr& columns() const { return spec_ ? spec_->columns : columns_; }
  // Empty if the local changes are compatible with the remote spec.
  const std::string& spec_mismatch() const { return spec_mismatch_; }
  // Why the board is not open yet; empty if nothing failed.
  const std::string& last_error() const { return last_error_; }
  Target target(std::uint64_t season) const { return {name_, spec_, season, copy_of_}; }

  // Takes a change to be merged. Fails with  invalid, unsupported  if it can never work
  //                                          unavailable  too many changes are pending
  Status change(const SpecChange& change);
  // Makes this the copy of a season of the local board that was created then, under that spec. The
  // spec is never read; only read requests are sent.
  void stand(std::shared_ptr<const Spec> spec, Time copy_of);
  bool is_copy() const { return copy_of_.has_value(); }
  bool is_copy_of(Time created) const { return copy_of_ == created; }
  // Whether its past seasons are copied to the archive if there is one: its own remote takes no
  // copies.
  bool is_carried() const { return is_carried_ && !is_copy(); }
  // After a restart: reads the board, and creates it with that change if it does not exist.
  void restore(const SpecChange& change);
  // Called once a tick, after answers were delivered.
  void tick();
  void use() { used_ = true; }
  // The remote does not know the board, or has another one: reads the spec again now.
  void invalidate_spec();

  // Called whenever the spec becomes known or changes; is_open() is true then.
  std::function<void()> on_open;

 private:
  enum class Stage : std::uint8_t { reading, writing, open };

  bool changes_anything(const SpecChange& change) const;
  Status check_fields(const SpecChange& change) const;
  void read();
  void check_spec();
  void was_read(const Result<Value>& value);
  void spec_checked(const Result<Value>& value);
  Result<Spec> merged(const KeptSpec& remote_spec);
  void write(const Spec& spec);
  void was_written(const std::shared_ptr<const Spec>& spec, const Result<Value>& value);
  void open();
  void try_again(std::string why);

  PendingRequests& requests_;
  NamedRemote& remote_;
  std::string name_;
  bool is_carried_;
  Stage stage_ = Stage::open;  // until a change is given
  std::vector<SpecChange> changes_;
  std::optional<SpecChange> restored_;
  std::shared_ptr<const Spec> spec_;
  ScoreColumns::Ptr columns_;  // of the first local change
  std::optional<Time> copy_of_;
  KeptSpec remote_spec_;
  std::string spec_mismatch_;
  std::string last_error_;
  RetryingRequest request_;  // of the opening, or of a periodic read
  Time checked_at_ = 0;
  bool used_ = false;
  bool gone_ = false;  // it was dropped remotely
};

}  // namespace laurel
