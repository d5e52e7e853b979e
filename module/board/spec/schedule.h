// schedule.h - when a line of cron is due in a zone.
//
//   once     a local time that the zone's clock leaves out is due at the first moment after it;
//            one that the clock shows twice is due the first time. Times that fall on one moment
//            are due once. So a line that names its hours is due when its local time is reached
//            (zone.h).
//   elapsed  a line with "*" or "*/n" as its hour is due whenever the clock shows its time: again
//            if the clock shows it again, and not if it is left out, as jobs with wildcards of
//            Debian's cron are.
//   agree    next() and last() visit the same moments.
//   cost     that of Cron; an `elapsed` line searches once for each change of the zone that it
//            skips.
//   threads  none: a Schedule is immutable.
#pragma once

#include <optional>
#include <utility>

#include "base/time.h"
#include "base/zone/zone.h"
#include "board/spec/cron.h"
#include "board/spec/spec.h"

namespace laurel {

class Schedule {
 public:
  Schedule(Cron cron, Zone zone) : cron_(std::move(cron)), zone_(zone) {}

  // The first due time after `after`; absent if it is out of range.
  std::optional<Time> next(Time after) const;
  // The last due time at or before `at`; absent if it is out of range.
  std::optional<Time> last(Time at) const;

 private:
  std::optional<Time> next_elapsed(Time after) const;
  std::optional<Time> last_elapsed(Time at) const;

  Cron cron_;
  Zone zone_;
};

// When a board of this spec ends its seasons; absent: never.
std::optional<Schedule> reset_schedule(const Spec& spec);
// Whether they end at the same times.
bool same_resets(const Spec& a, const Spec& b);
// When a board of this spec sets marks; absent: by calls alone.
std::optional<Schedule> mark_schedule(const Spec& spec);
// Whether they are set at the same times.
bool same_mark_times(const Spec& a, const Spec& b);

}  // namespace laurel
