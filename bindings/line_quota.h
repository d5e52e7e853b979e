// line_quota.h - so many lines of a log per while, and a count of those that were not written: a
// script that fails at every call says so without burying everything else.
#pragma once

#include <cstdint>
#include <utility>

namespace laurel {

class LineQuota {
 public:
  explicit LineQuota(unsigned lines) : lines_(lines) {}

  // Whether one more line may be written; counts it as suppressed where not.
  bool take() {
    if (taken_ < lines_) {
      ++taken_;
      return true;
    }
    ++suppressed_;
    return false;
  }

  // Begins the next while; how many lines were suppressed in the one that ends.
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
