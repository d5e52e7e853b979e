// token_bucket.h - a rate limit with bursts: tokens accrue at a fixed rate, up to a maximum.
//
//   time    microseconds of a clock that does not go back; 0 or later.
//   source  J. Turner, "New Directions in Communications (or Which Way to the Information Age?)",
//           1986: the leaky bucket, as a meter.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace laurel {

class TokenBucket {
 public:
  TokenBucket(double per_second, double burst, Time now)
      : per_second_(per_second), burst_(burst), held_(burst), last_(now) {}

  // Takes `amount` tokens. If fewer are available, takes none and returns false.
  bool take(Time now, double amount = 1) {
    refill(now);
    if (held_ + kRounding < amount) return false;
    held_ -= amount;
    return true;
  }

  void set_rate(double per_second, Time now) {
    refill(now);
    per_second_ = per_second;
  }

 private:
  // Tolerates rounding: twenty times a twentieth of a second must count as a second.
  static constexpr double kRounding = 1e-6;

  void refill(Time now) {
    const double seconds = static_cast<double>(now - last_) / static_cast<double>(kSecond);
    held_ = std::min(burst_, held_ + std::max(0.0, seconds) * per_second_);
    last_ = std::max(last_, now);
  }

  double per_second_, burst_, held_;
  Time last_;
};

}  // namespace laurel
