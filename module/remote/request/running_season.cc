#include "remote/request/running_season.h"

#include <algorithm>

#include "board/refusals.h"
#include "board/spec/schedule.h"

namespace laurel {

Time start_of_season(const Spec& spec, Time now) {
  if (!spec.duration) return now;
  const std::optional<Schedule> schedule = reset_schedule(spec);
  return schedule ? schedule->last(now).value_or(now) : now;
}

std::optional<Time> closes_at(const Spec& spec, const RunningSeason& season) {
  if (!spec.duration) return std::nullopt;
  const Time closes = season.started + *spec.duration;
  return std::min({closes, season.due.value_or(closes), spec.closes.value_or(closes)});
}

Status check_hours(const Spec& spec, std::string_view board, const RunningSeason& season,
                   Time now) {
  if (spec.opens && now < *spec.opens) return closed(board, "opens", *spec.opens);
  if (spec.closes && now >= *spec.closes) return closed(board, "closed", *spec.closes);
  if (spec.duration && now >= season.started + *spec.duration) {
    return season_closed(board, season.started + *spec.duration, season.due);
  }
  return Done{};
}

}  // namespace laurel
