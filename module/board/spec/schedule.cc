#include "board/spec/schedule.h"

#include <algorithm>

#include "base/limits.h"

namespace laurel {

namespace {

constexpr Time kTimeEnd = static_cast<Time>(kTimeSecondsMax) * kSecond;

std::optional<Time> in_range(Time due) {
  if (due < -kTimeEnd || due > kTimeEnd) return std::nullopt;
  return due;
}

}  // namespace

// A time is reached after `after` exactly if it is later than all that was reached until then.
std::optional<Time> Schedule::next(Time after) const {
  after = std::clamp(after, -kTimeEnd, kTimeEnd);
  if (cron_.any_hour()) return next_elapsed(after);
  const std::optional<Time> local = cron_.next(zone_.reached(after));
  return local ? in_range(zone_.first_at(*local)) : std::nullopt;
}

std::optional<Time> Schedule::last(Time at) const {
  at = std::clamp(at, -kTimeEnd, kTimeEnd);
  if (cron_.any_hour()) return last_elapsed(at);
  const std::optional<Time> local = cron_.last(zone_.reached(at));
  return local ? in_range(zone_.first_at(*local)) : std::nullopt;
}

std::optional<Time> Schedule::next_elapsed(Time after) const {
  for (std::size_t period = zone_.period_at(after); period < zone_.periods().size(); ++period) {
    const auto& [begin, offset, reached] = zone_.periods()[period];
    const std::optional<Time> local = cron_.next(std::max(after, begin - 1) + offset);
    if (!local) return std::nullopt;
    if (*local - offset < zone_.end_of(period)) return in_range(*local - offset);
  }
  return std::nullopt;
}

std::optional<Time> Schedule::last_elapsed(Time at) const {
  for (std::size_t period = zone_.period_at(at) + 1; period-- > 0;) {
    const auto& [begin, offset, reached] = zone_.periods()[period];
    const std::optional<Time> local = cron_.last(std::min(at, zone_.end_of(period) - 1) + offset);
    if (!local) return std::nullopt;
    if (*local - offset >= begin) return in_range(*local - offset);
  }
  return std::nullopt;
}

namespace {

std::optional<Schedule> schedule_of(const std::optional<Cron>& cron, const Zone& zone) {
  if (!cron) return std::nullopt;
  return Schedule(*cron, zone);
}

bool same_times(const std::optional<Cron>& a, const Zone& zone_a, const std::optional<Cron>& b,
                const Zone& zone_b) {
  if (!a || !b) return !a && !b;
  return zone_a == zone_b && a->text() == b->text();
}

}  // namespace

std::optional<Schedule> reset_schedule(const Spec& spec) {
  return schedule_of(spec.reset, spec.zone);
}

bool same_resets(const Spec& a, const Spec& b) {
  return same_times(a.reset, a.zone, b.reset, b.zone);
}

std::optional<Schedule> mark_schedule(const Spec& spec) {
  return schedule_of(spec.marks, spec.zone);
}

bool same_mark_times(const Spec& a, const Spec& b) {
  return same_times(a.marks, a.zone, b.marks, b.zone);
}

}  // namespace laurel
