// tick_clock.h - when the server's next tick is due.
//
//   posts     are sent at once if the last ones were due a tick ago, less the jitter of the game's
//             ticks. However many posts are early, together they are early by this much at most:
//             so a game that ticks more often than the server does not use up the rate, after which
//             a tick would be left out.
//   others    without a post only resends are due; they wait for the next post for a while longer.
//   threads   one.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace laurel {

class TickClock {
 public:
  explicit TickClock(Time tick) : tick_(tick) {}

  Time tick() const { return tick_; }

  //   has_posts   something new is to be sent
  Time next(bool has_posts) const {
    const Time steady = ticked_at_ + tick_;
    return has_posts ? std::min(steady, due_at_ + tick_ - jitter()) : steady + jitter();
  }
  void ticked(Time now, bool had_posts) {
    ticked_at_ = now;
    if (had_posts) due_at_ = std::max(due_at_ + tick_, now);
  }

 private:
  Time jitter() const { return tick_ / 8; }

  Time tick_;
  Time ticked_at_ = 0;
  Time due_at_ = 0;  // when the last posts were due, or were sent if that was later
};

}  // namespace laurel
