#include "board/registry_context.h"

#include <algorithm>

#include "base/checks.h"

namespace laurel {

Time TimestampSource::next(std::size_t count) {
  const Time reading = reading_ = clock_.now();
  if (reading < latest_reading_) {
    if (!went_back_) {
      log_.warn("the clock went back by {:.6f} s; submissions keep their order",
                seconds_from_time(latest_reading_ - reading));
    }
    went_back_ = true;
  } else {
    latest_reading_ = reading;
    went_back_ = false;
  }
  const Time first = std::max(reading, last_given_ + 1);
  last_given_ = first + static_cast<Time>(count) - 1;
  return first;
}

PlayerSet::~PlayerSet() {
  each([this](PlayerHandle player) { players_.release(player); });
}

bool PlayerSet::hold(std::string_view id) {
  if (contains(players_.find(id))) return false;
  if (!members_) members_ = std::make_unique<PlayerNumbers>();
  members_->set(players_.hold(id), 0);
  return true;
}

bool PlayerSet::insert(std::string_view id) {
  if (!hold(id)) return false;
  rows_.put(id);
  return true;
}

bool PlayerSet::erase(PlayerHandle player) {
  if (!contains(player)) return false;
  members_->erase(player);
  const IdText id = players_.id(player);
  rows_.erase(id);
  players_.release(player);
  return true;
}

void PlayerSet::load() {
  rows_.each([this](std::string_view id, std::string_view) { hold(id); });
}

Status RegistryContext::accepts(std::string_view player) const {
  Status valid = check_player(player);
  return valid ? store->accepts() : valid;
}

}  // namespace laurel
