// backoff.h - how long to pause after a failure: kRemoteRetryMin, doubled by each further failure
// up to a maximum.
#pragma once

#include <algorithm>

#include "base/time.h"
#include "remote/limits.h"

namespace laurel {

class Backoff {
 public:
  explicit Backoff(Time longest = kRemoteRetryMax) : longest_(longest) {}

  Time until() const { return until_; }
  void fail(Time now) {
    pause_ = std::clamp(pause_ * 2, kRemoteRetryMin, longest_);
    until_ = now + pause_;
  }
  // The next failure is the first again. A pause that has begun is not cut short.
  void succeed() { pause_ = 0; }
  // A pause that is not a failure.
  void wait(Time until) { until_ = until; }

 private:
  Time longest_;
  Time pause_ = 0;
  Time until_ = 0;
};

}  // namespace laurel
