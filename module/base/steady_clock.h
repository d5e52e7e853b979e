// steady_clock.h - monotonic time for sockets and threads. It is not a date.
#pragma once

#include <chrono>

#include "base/time.h"

namespace laurel {

inline Time steady_now() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace laurel
