#include "remote/remote_board.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "remote/spec_text.h"

namespace laurel {

bool RemoteBoard::changes_anything(const SpecChange& change) const {
  if (!is_open() || gone_ || !differs_.empty()) return true;
  const Result<Spec> changed = change.update(*spec_);
  return !changed || text_of(*changed) != text_of(*spec_);
}

Status RemoteBoard::change(const SpecChange& change) {
  if (!spec_ && changes_.empty()) {
    // Checks the change as if the board were new, so that impossible specs are refused at once.
    const Result<Spec> fresh = change.create();
    if (!fresh) return fresh.refusal();
    if (Status taken = site_.remote->takes(*fresh); !taken) return taken;
  }
  if (!changes_anything(change)) return Done{};
  if (changes_.size() >= kRemoteChangesMax) {
    return Refusal(Code::unavailable, "{} changes of the board's spec wait for remote \"{}\"",
                   kRemoteChangesMax, site_.name);
  }
  changes_.push_back(change);
  differs_.clear();
  read();
  return Done{};
}

void RemoteBoard::restore(const SpecChange& change) {
  restored_ = change;
  read();
}

void RemoteBoard::stand(std::shared_ptr<const Spec> spec, Time copy_of) {
  spec_ = std::move(spec);
  copy_of_ = copy_of;
}

void RemoteBoard::tick() {
  if (is_copy()) return;
  const Time now = asks_.steady();
  if (stage_ == Stage::reading && request_ == 0 && now >= retry_at_) read();
  if (stage_ == Stage::open && used_ && request_ == 0 && now - looked_at_ >= kRemoteLookEvery) {
    look();
  }
}

void RemoteBoard::read() {
  stage_ = Stage::reading;
  asks_.cancel(request_);
  request_ = asks_.ask(site_, target(0), ask::ReadSpec{}, asks_.deadline(),
                       [this](Result<Value> value) { was_read(std::move(value)); });
}

void RemoteBoard::doubt() {
  if (is_copy()) return;
  if (stage_ == Stage::open && request_ == 0 && !gone_) look();
}

// A background read: the board stays open meanwhile.
void RemoteBoard::look() {
  used_ = false;
  looked_at_ = asks_.steady();
  request_ =
      asks_.ask(site_, target(0), ask::ReadSpec{}, asks_.deadline(), [this](Result<Value> value) {
        request_ = 0;
        if (!value) return;
        auto& there = std::get<KeptSpec>(*value);
        gone_ = !there.exists;
        if (gone_ || (there.revision == there_.revision && there_.exists)) return;
        Result<Spec> spec = spec_of(there.spec, site_.name);
        if (!spec) return;
        there_ = std::move(there);
        spec_ = std::make_shared<const Spec>(std::move(*spec));
        open();
      });
}

void RemoteBoard::was_read(Result<Value> value) {
  request_ = 0;
  if (!value) return try_again(std::string(value.refusal().message()));
  there_ = std::get<KeptSpec>(*value);
  Result<Spec> there = Refusal(Code::unknown, "no such board");
  if (there_.exists) {
    there = spec_of(there_.spec, site_.name);
    if (!there) {
      return try_again(fmt::format("the spec there cannot be read: {}", there.refusal().message()));
    }
  }
  const Result<Spec> spec = merged(there_);
  if (!spec) {
    // The board opens with what can be read; it cannot be written.
    differs_ = spec.refusal().message();
    changes_.clear();
    if (there) spec_ = std::make_shared<const Spec>(*there);
    if (spec_) return open();
    return try_again(differs_);
  }
  if (!there_.exists || text_of(*spec) != text_of(*there)) return write(*spec);
  spec_ = std::make_shared<const Spec>(*spec);
  changes_.clear();
  open();
}

Result<Spec> RemoteBoard::merged(const KeptSpec& there) {
  Result<Spec> spec = Refusal(Code::invalid, "nothing is known of the board");
  std::size_t next = 0;
  if (there.exists) {
    spec = spec_of(there.spec, site_.name);
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
    spec->remote = changes_[next].remote().empty() ? site_.name : changes_[next].remote();
    spec = changes_[next].update(*spec);
  }
  if (!spec) return spec;
  spec->remote = site_.name;
  if (const Status taken = site_.remote->takes(*spec); !taken) return taken.refusal();
  return spec;
}

void RemoteBoard::write(const Spec& spec) {
  stage_ = Stage::writing;
  ask::WriteSpec what{text_of(spec), there_.exists ? there_.revision : 0};
  auto merged = std::make_shared<const Spec>(spec);
  Target target{name_, merged, 0};
  request_ = asks_.ask(site_, std::move(target), std::move(what), asks_.deadline(),
                       [this, merged](Result<Value> value) {
                         request_ = 0;
                         if (!value) return try_again(std::string(value.refusal().message()));
                         if (!std::get<bool>(*value)) return read();  // another server was faster
                         there_ = {true, text_of(*merged), there_.exists ? there_.revision + 1 : 1};
                         spec_ = merged;
                         changes_.clear();
                         open();
                       });
}

void RemoteBoard::open() {
  stage_ = Stage::open;
  backoff_ = 0;
  gone_ = false;
  trouble_.clear();
  looked_at_ = asks_.steady();
  if (on_open) on_open();
}

void RemoteBoard::try_again(std::string why) {
  trouble_ = std::move(why);
  stage_ = Stage::reading;
  backoff_ = std::clamp(backoff_ * 2, kRemoteRetryMin, kRemoteRetryMax);
  retry_at_ = asks_.steady() + backoff_;
}

}  // namespace laurel
