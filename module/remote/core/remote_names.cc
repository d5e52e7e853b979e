#include "remote/core/remote_names.h"

#include <algorithm>

#include "base/limits.h"
#include "remote/limits.h"

namespace laurel {

RemoteNames::Known* RemoteNames::look_up(std::string_view player) {
  const auto found = by_id_.find(player);
  return found == by_id_.end() ? nullptr : &*found->second;
}

std::string_view RemoteNames::find(std::string_view player) {
  const Known* const known = ask_for(player);
  return known == nullptr ? std::string_view() : std::string_view(known->name);
}

// Returns null if there is no room.
RemoteNames::Known* RemoteNames::ask_for(std::string_view player) {
  const Time now = requests_.steady();
  const auto found = by_id_.find(player);
  if (found == by_id_.end()) return admit(player, now);
  players_.splice(players_.begin(), players_, found->second);
  Known& known = *found->second;
  known.asked = now;
  if (known.is_known && !known.is_under_way && known.due > known.read + kRemoteNameFresh) {
    read_at(known, known.read + kRemoteNameFresh);
  }
  return &known;
}

RemoteNames::Known* RemoteNames::admit(std::string_view player, Time now) {
  if (players_.size() >= kNamesKept) {
    Known& oldest = players_.back();
    if (oldest.is_under_way || now - oldest.asked < kRemoteNameFreshMax) return nullptr;
    remove(oldest);
  }
  Known& known = players_.emplace_front();
  known.id = player;
  known.asked = now;
  known.place = ++last_place_;
  by_id_.emplace(known.id, players_.begin());
  unknown_.emplace(known.place, &known);
  return &known;
}

void RemoteNames::remove(Known& known) {
  unknown_.erase(known.place);
  known_.erase({known.due, &known});
  const auto entry = by_id_.find(known.id);
  const auto at = entry->second;
  by_id_.erase(entry);
  players_.erase(at);
}

void RemoteNames::set_name(Known& known, std::string_view name) {
  if (known.name == name) return;
  known.name = name;
  ++renames_;
  renamed_.push_back(known.id);
  if (renamed_.size() > Profiles::kRenamedKept) renamed_.pop_front();
}

void RemoteNames::read_at(Known& known, Time due) {
  known_.erase({known.due, &known});
  known.due = due;
  known_.emplace(due, &known);
}

Time RemoteNames::next_read(const Known& known, Time now) const {
  return now + std::clamp(now - known.asked, kRemoteNameFresh, kRemoteNameFreshMax);
}

std::size_t RemoteNames::bytes() const {
  constexpr std::size_t kKnownBytes = sizeof(Known) + 160;  // with the nodes of list, map and set
  return players_.size() * kKnownBytes;
}

// --- what this server does

void RemoteNames::saved(std::string_view player, std::string_view name) {
  Known* const known = look_up(player);
  if (known == nullptr || forgotten_.contains(player)) return;
  known->saved = request_number_;
  set_name(*known, name);
}

void RemoteNames::may_have_saved(std::string_view player) {
  Known* const known = look_up(player);
  if (known != nullptr && known->is_known && !known->is_under_way) read_at(*known, 0);
}

void RemoteNames::forget(std::string_view player) {
  forgotten_.emplace(player);
  if (Known* const known = look_up(player)) set_name(*known, {});
}

void RemoteNames::forgotten(std::string_view player) {
  const auto found = forgotten_.find(player);
  if (found == forgotten_.end()) return;
  forgotten_.erase(found);
  may_have_saved(player);
}

// --- asking the remote

// Players who are not known come first.
std::vector<std::string> RemoteNames::take_due(Time now) {
  std::vector<std::string> due;
  const auto take = [&](Known& known) {
    known.is_under_way = true;
    due.push_back(known.id);
  };
  while (due.size() < kRemoteNamesAtOnce && !unknown_.empty()) {
    take(*unknown_.begin()->second);
    unknown_.erase(unknown_.begin());
  }
  if (now < refresh_at_) return due;
  while (due.size() < kRemoteNamesAtOnce && !known_.empty() && known_.begin()->first <= now) {
    take(*known_.begin()->second);
    known_.erase(known_.begin());
    refresh_at_ = now + kRemoteNamesEvery;
  }
  return due;
}

void RemoteNames::send(std::vector<std::string> players) {
  ++request_number_;
  request::ReadNames what{players};
  request_.send(remote_, Target(), std::move(what), requests_.deadline(),
                [this, players = std::move(players)](const Result<Value>& value) {
                  answered(players, value);
                });
}

void RemoteNames::answered(const std::vector<std::string>& players, const Result<Value>& value) {
  const Time now = requests_.steady();
  const auto* const names = value ? &std::get<std::vector<std::string>>(*value) : nullptr;
  for (std::size_t i = 0; i < players.size(); ++i) {
    Known& known = *look_up(players[i]);  // those under way are not removed
    known.is_under_way = false;
    if (names != nullptr) {
      const bool is_older = known.saved == request_number_ || forgotten_.contains(known.id);
      if (!is_older) set_name(known, (*names)[i]);
      known.is_known = true;
      known.place = 0;
      known.read = now;
      read_at(known, next_read(known, now));
    } else if (known.is_known) {
      read_at(known, now);
    } else {
      unknown_.emplace(known.place, &known);
    }
  }
  failing_ = names == nullptr;
  if (failing_) {
    request_.fail();
    answered_to_ = last_place_;
  } else {
    request_.succeed();
    answered_to_ = unknown_.empty() ? last_place_ : unknown_.begin()->first - 1;
  }
}

void RemoteNames::tick() {
  const Time now = requests_.steady();
  if (request_.is_due()) {
    std::vector<std::string> due = take_due(now);
    if (!due.empty()) send(std::move(due));
  }
  end_waits(now);
}

// --- waiting

bool RemoteNames::is_worth_waiting() const {
  return !failing_ && remote_.backend->state().down.empty();
}

RemoteNames::WaitId RemoteNames::wait(const Entries& entries, std::function<void()> done) {
  Place last = 0;
  for (std::size_t i = 0; i < std::min(entries.size(), kRemoteNamesAwaited); ++i) {
    if (const Known* const known = ask_for(entries[i].player)) last = std::max(last, known->place);
  }
  if (last <= answered_to_ || !is_worth_waiting()) return 0;
  const Time until = requests_.steady() + kRemoteNamesWithin;
  waits_.emplace(++last_wait_, Wait{last, until, std::move(done)});
  return last_wait_;
}

void RemoteNames::end_waits(Time now) {
  std::vector<WaitId> ready;
  const bool worth = waits_.empty() || is_worth_waiting();
  for (const auto& [id, wait] : waits_) {
    if (wait.place <= answered_to_ || wait.until <= now || !worth) ready.push_back(id);
  }
  for (const WaitId id : ready) {
    const auto ended = waits_.extract(id);  // an earlier one may have cancelled it
    if (!ended.empty()) ended.mapped().done();
  }
}

void RemoteNames::close() {
  failing_ = true;                               // the remote goes
  const auto ended = std::exchange(waits_, {});  // what they own may cancel others
}

}  // namespace laurel
