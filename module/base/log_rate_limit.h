// log_rate_limit.h - a log rate limiter: n lines per interval, and a count of the suppressed ones.
// A script that fails at every call does not flood the log.
#pragma once

#include <cstdint>
#include <utility>

namespace laurel {

class LogRateLimit {
 public:
  explicit LogRateLimit(unsigned lines) : lines_(lines) {}

  // Returns true if one more line may be written; if not, counts the line as suppressed.
  bool take() {
    if (taken_ < lines_) {
      ++taken_;
      return true;
    }
    ++suppressed_;
    return false;
  }

  // Begins the next interval; returns the number of lines suppressed in the last one.
  std::uint64_t refill() {
    taken_ = 0;
    return std::exchange(suppressed_, 0);
  }

 private:
  unsigned lines_;
  unsigned taken_ = 0;
  std::uint64_t suppressed_ = 0;
};

}  // namespace laurel
