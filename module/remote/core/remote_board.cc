#include "remote/core/remote_board.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "board/spec/spec_change.h"
#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel {

bool RemoteBoard::changes_anything(const SpecChange& change) const {
  if (!is_open() || gone_ || !spec_mismatch_.empty()) return true;
  const Result<Spec> changed = change.update(*spec_);
  return !changed || text_of(*changed) != text_of(*spec_);
}

namespace {

// What no remote has, and the value that means none.
struct LocalField {
  std::string_view name;
  FieldValue off;
};
const LocalField kLocalFields[] = {{"history", 0.0}, {"journal", 0.0}};

}  // namespace

Status RemoteBoard::check_fields(const SpecChange& change) const {
  Status status = Done{};
  change.each_given([&](std::string_view field, const FieldValue& value) {
    const auto* const local = std::ranges::find(kLocalFields, field, &LocalField::name);
    if (local == std::end(kLocalFields) || value == local->off || !status) return;
    status =
        Refusal(Code::unsupported, "field '{}' is of boards on this server; remote \"{}\" has none",
                field, remote_.name);
  });
  return status;
}

Status RemoteBoard::change(const SpecChange& change) {
  if (Status taken = check_fields(change); !taken) return taken;
  if (changes_.empty()) {
    // Impossible specs are refused at once. A board that is not known yet is checked as a new one;
    // another stored order is a mismatch with the remote's.
    const Result<Spec> changed = spec_ ? change.update(*spec_) : change.create();
    if (!changed && !spec_) return changed.refusal();
    const Status taken = changed ? remote_.backend->takes(*changed) : Done{};
    if (!taken) return taken;
    if (changed && !spec_) columns_ = changed->columns;
  }
  if (!changes_anything(change)) return Done{};
  if (changes_.size() >= kRemoteChangesMax) {
    return Refusal(Code::unavailable,
                   "{} changes of the board's spec wait for remote \"{}\", the most allowed",
                   kRemoteChangesMax, remote_.name);
  }
  changes_.push_back(change);
  spec_mismatch_.clear();
  read();
  return Done{};
}

void RemoteBoard::restore(const SpecChange& change) {
  restored_ = change;
  if (const Result<Spec> created = change.create()) columns_ = created->columns;
  read();
}

void RemoteBoard::stand(std::shared_ptr<const Spec> spec, Time copy_of) {
  spec_ = std::move(spec);
  copy_of_ = copy_of;
}

void RemoteBoard::tick() {
  if (is_copy()) return;
  const Time now = requests_.steady();
  if (stage_ == Stage::reading && request_.is_due()) read();
  if (stage_ != Stage::open || !used_ || request_.is_pending()) return;
  if (now - checked_at_ >= kRemoteLookEvery) check_spec();
}

void RemoteBoard::read() {
  stage_ = Stage::reading;
  request_.send(remote_, target(0), request::ReadSpec{}, requests_.deadline(),
                [this](const Result<Value>& value) { was_read(value); });
}

void RemoteBoard::invalidate_spec() {
  if (is_copy()) return;
  if (stage_ == Stage::open && !request_.is_pending() && !gone_) check_spec();
}

// A background read: the board stays open meanwhile.
void RemoteBoard::check_spec() {
  used_ = false;
  checked_at_ = requests_.steady();
  request_.send(remote_, target(0), request::ReadSpec{}, requests_.deadline(),
                [this](const Result<Value>& value) { spec_checked(value); });
}

void RemoteBoard::spec_checked(const Result<Value>& value) {
  if (!value) return;
  const auto& remote_spec = std::get<KeptSpec>(*value);
  gone_ = !remote_spec.exists;
  if (gone_ || (remote_spec.revision == remote_spec_.revision && remote_spec_.exists)) return;
  Result<Spec> spec = spec_of(remote_spec.spec, remote_.name);
  if (!spec) return;
  remote_spec_ = remote_spec;
  spec_ = std::make_shared<const Spec>(std::move(*spec));
  open();
}

void RemoteBoard::was_read(const Result<Value>& value) {
  if (!value) return try_again(std::string(value.refusal().message()));
  remote_spec_ = std::get<KeptSpec>(*value);
  Result<Spec> remote_spec = Refusal(Code::unknown, "no such board");
  if (remote_spec_.exists) {
    remote_spec = spec_of(remote_spec_.spec, remote_.name);
    if (!remote_spec) {
      return try_again(
          fmt::format("the remote's spec cannot be read: {}", remote_spec.refusal().message()));
    }
  }
  const Result<Spec> spec = merged(remote_spec_);
  if (!spec) {
    // The board opens with what can be read; it cannot be written.
    spec_mismatch_ = spec.refusal().message();
    changes_.clear();
    if (remote_spec) spec_ = std::make_shared<const Spec>(*remote_spec);
    if (spec_) return open();
    return try_again(spec_mismatch_);
  }
  if (!remote_spec_.exists || text_of(*spec) != text_of(*remote_spec)) return write(*spec);
  spec_ = std::make_shared<const Spec>(*spec);
  changes_.clear();
  open();
}

Result<Spec> RemoteBoard::merged(const KeptSpec& remote_spec) {
  Result<Spec> spec = Refusal(Code::invalid, "nothing is known of the board");
  std::size_t next = 0;
  if (remote_spec.exists) {
    spec = spec_of(remote_spec.spec, remote_.name);
  } else if (spec_) {
    spec = *spec_;  // it was dropped remotely, and is made again with the spec known locally
  } else if (!changes_.empty()) {
    spec = changes_.front().create();
    next = 1;
  } else if (restored_) {
    spec = restored_->create();
  }
  for (; spec && next < changes_.size(); ++next) {
    if (const auto other = difference(changes_[next], *spec)) {
      return Refusal(Code::invalid, "{}", *other);
    }
    // This server may use another name for the remote than the server that made the change.
    spec->remote = changes_[next].remote().empty() ? remote_.name : changes_[next].remote();
    spec = changes_[next].update(*spec);
  }
  if (!spec) return spec;
  spec->remote = remote_.name;
  if (const Status taken = remote_.backend->takes(*spec); !taken) return taken.refusal();
  return spec;
}

void RemoteBoard::write(const Spec& spec) {
  stage_ = Stage::writing;
  request::WriteSpec what{text_of(spec), remote_spec_.exists ? remote_spec_.revision : 0};
  auto merged = std::make_shared<const Spec>(spec);
  Target target{name_, merged, 0};
  request_.send(remote_, std::move(target), std::move(what), requests_.deadline(),
                [this, merged](const Result<Value>& value) { was_written(merged, value); });
}

void RemoteBoard::was_written(const std::shared_ptr<const Spec>& spec, const Result<Value>& value) {
  if (!value) return try_again(std::string(value.refusal().message()));
  if (!std::get<bool>(*value)) return read();  // another server was faster
  remote_spec_ = {true, text_of(*spec), remote_spec_.exists ? remote_spec_.revision + 1 : 1};
  spec_ = spec;
  changes_.clear();
  open();
}

void RemoteBoard::open() {
  stage_ = Stage::open;
  request_.succeed();
  gone_ = false;
  last_error_.clear();
  checked_at_ = requests_.steady();
  if (on_open) on_open();
}

void RemoteBoard::try_again(std::string why) {
  last_error_ = std::move(why);
  stage_ = Stage::reading;
  request_.fail();
}

}  // namespace laurel
