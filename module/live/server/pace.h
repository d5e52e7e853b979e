// pace.h - congestion control: adapts the update rate of one client to its packet loss.
//
// It replaces ENet's throttle, which is off. Every kLivePaceWindow it computes which share of the
// messages arrived. Below half it halves the rate, down to one update per second; otherwise it
// doubles the rate, up to the server's. Messages that may still be in flight do not count as lost.
//
//   threads  none. Time comes from the caller.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "live/limits.h"

namespace laurel {

class Pace {
 public:
  Pace(double rate, Time now) : full_(rate), rate_(rate), since_(now) {}

  // Updates per second.
  double rate() const { return rate_; }

  void count_sent(std::uint64_t messages) { sent_ += messages; }
  void count_received(std::uint64_t messages) { received_ += messages; }

  // Adapts the rate if kLivePaceWindow has passed. Returns true if the rate changed.
  bool judge(Time now, Time round_trip) {
    const Time passed = now - since_;
    if (passed < kLivePaceWindow) return false;
    const double under_way =
        static_cast<double>(sent_) * static_cast<double>(round_trip) / static_cast<double>(passed);
    const double expected = std::max(0.0, static_cast<double>(sent_) - under_way);
    const double before = rate_;
    rate_ = 2.0 * static_cast<double>(received_) < expected
                ? std::max(rate_ / 2, std::min(1.0, full_))
                : std::min(rate_ * 2, full_);
    since_ = now;
    sent_ = received_ = 0;
    return rate_ != before;
  }

 private:
  double full_, rate_;
  Time since_;
  std::uint64_t sent_ = 0, received_ = 0;  // messages since `since_`
};

}  // namespace laurel
