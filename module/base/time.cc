#include "base/time.h"

#include <chrono>
#include <cmath>

#include "base/limits.h"

namespace laurel {

Time SystemClock::now() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<Time> time_from_seconds(double seconds) {
  if (!(std::fabs(seconds) <= kTimeSecondsMax)) return std::nullopt;
  return std::llround(seconds * 1e6);
}

double seconds_from_time(Time time) { return static_cast<double>(time) / 1e6; }

}  // namespace laurel
