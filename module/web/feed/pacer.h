// pacer.h - offers the newest state of each topic to its viewers, at most so often a second.
//
//   pass      visits all viewers of a topic. Between the beginnings of two passes over it are
//             1/rate seconds at least; a state that is replaced meanwhile is not sent.
//   held      a server that sends a state each 50 ms and a pass each 100 ms would stay in the phase
//             in which they met: what is shown could be 50 ms older than need be. So a pass is held
//             back if the next state is expected soon: within half of the time between two states,
//             and half of the interval. From then on passes come with states.
//   round     a pass over ten thousand viewers takes 60 ms. So it is done in rounds, between which
//             the caller serves others. Topics take turns.
//   threads   one.
//   cost      a viewer that gets a message: about 6 us, nearly all of it the kernel's.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/time.h"
#include "web/feed/topic.h"

namespace laurel::web {

class Pacer final : public Topic::Schedule {
 public:
  explicit Pacer(double rate) : interval_(static_cast<Time>(kSecond / rate)) {}
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  // The least time between two messages of a topic to a viewer.
  Time interval() const { return interval_; }

  // The viewers are offered the newest state as soon as the rate allows.
  void changed(Topic& topic) override;
  // As changed(), for viewers that have not the newest state although it is not new.
  void again(Topic& topic);
  void forget(Topic& topic) override;

  // When the next pass may begin; absent if no topic waits for one.
  std::optional<Time> next() const;
  // Visits at most `viewers` viewers. Returns whether a pass is not complete: then it must be
  // called again soon.
  bool run(Time now, std::size_t viewers);

 private:
  void wait(Topic& topic, Time until);
  bool hold(Topic& topic, Time now);
  void begin_due(Time now);
  void end(Topic& topic);

  Time interval_;
  std::set<std::pair<Time, Topic*>> waiting_;  // by the time of their next pass
  std::deque<Topic*> running_;
  Time now_ = 0;            // of the last run
  std::uint64_t runs_ = 0;  // how many there were
};

}  // namespace laurel::web
