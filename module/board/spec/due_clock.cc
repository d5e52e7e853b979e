#include "board/spec/due_clock.h"

#include <utility>

namespace laurel {

void DueClock::follow(const std::optional<Schedule>& schedule, Time now) {
  schedule_ = schedule ? std::make_unique<const Schedule>(*schedule) : nullptr;
  looked_ = now;
  due_ = schedule_ ? schedule_->next(now) : std::nullopt;
}

void DueClock::resume(const std::optional<Schedule>& schedule, std::optional<Time> due) {
  schedule_ = schedule ? std::make_unique<const Schedule>(*schedule) : nullptr;
  looked_ = INT64_MAX;  // the clock may have gone back since
  due_ = schedule_ ? due : std::nullopt;
}

bool DueClock::moves(Time now) {
  if (!schedule_) return false;
  if (now < looked_ || is_due(now)) return true;
  looked_ = now;
  return false;
}

std::optional<Time> DueClock::passed(Time now) {
  if (!schedule_) return std::nullopt;
  const bool went_back = now < std::exchange(looked_, now);
  const bool is_due = due_ && now >= *due_;
  if (!went_back && !is_due) return std::nullopt;
  const std::optional<Time> was_due = is_due ? due_ : std::nullopt;
  due_ = schedule_->next(now);
  return was_due;
}

std::optional<Time> DueClock::latest(Time now) const {
  return schedule_ ? schedule_->last(now) : std::nullopt;
}

}  // namespace laurel
