// due_clock.h - decides, by the clock, when something of a board is due: the end of a season, or a
// mark.
//
//   lazy     nothing happens by itself: the owner asks at each call.
//   back     after a clock that went back, the next time after the new one is due.
//   threads  none of its own; one caller at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"
#include "board/spec/schedule.h"

namespace laurel {

class DueClock {
 public:
  // Starts with this schedule; absent: nothing is due.
  void follow(const std::optional<Schedule>& schedule, Time now);
  // Continues after a restart: the next time is `due`.
  void resume(const std::optional<Schedule>& schedule, std::optional<Time> due);

  // The next time.
  std::optional<Time> due() const { return due_; }
  // Whether passed() has to be called: a time has come, or the clock went back.
  bool moves(Time now);
  // Whether a time has come and passed() was not called yet.
  bool is_due(Time now) const { return due_ && now >= *due_; }
  // The time that has come since the last call, if any.
  std::optional<Time> passed(Time now);
  // The latest time at or before `now`.
  std::optional<Time> latest(Time now) const;

 private:
  std::unique_ptr<const Schedule> schedule_;  // null: nothing is due
  std::optional<Time> due_;
  Time looked_ = INT64_MIN;
};

}  // namespace laurel
