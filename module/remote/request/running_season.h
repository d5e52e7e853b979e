// running_season.h - when the running season of a remote board takes results: as on a local board
// (board_seasons.cc, board_changes.cc).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "board/spec/spec.h"

namespace laurel {

struct RunningSeason {
  Time started = 0;
  std::optional<Time> due;  // when it ends by the schedule
};

// When a season starts that begins at `now`: with `duration`, at the last time at which a reset was
// due.
Time start_of_season(const Spec& spec, Time now);
// With `duration`: until when the season takes results.
std::optional<Time> closes_at(const Spec& spec, const RunningSeason& season);
// Fails with closed: results are not taken at `now`.
Status check_hours(const Spec& spec, std::string_view board, const RunningSeason& season, Time now);

}  // namespace laurel
