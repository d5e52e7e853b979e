// counting_clock.h - a clock that costs nothing, because the cost of a clock is the host's. Each
// reading is a microsecond later.
#pragma once

#include "base/time.h"

namespace laurel {

class CountingClock final : public Clock {
 public:
  Time now() override { return ++now_; }

 private:
  Time now_ = 18281 * 86'400 * kSecond;
};

}  // namespace laurel
