// time.h - points in time, and the clocks that return them.
//
//   Time    microseconds since the Unix epoch, UTC; negative before 1970. Within +-2^33 seconds,
//           so every Time is exact as a Lua number of microseconds.
//   Clock   the only source of "now". The host or the test passes it in. It is read on the thread
//           of the call that needs the time.
#pragma once

#include <cstdint>
#include <optional>

namespace laurel {

using Time = std::int64_t;

inline constexpr Time kMillisecond = 1000;
inline constexpr Time kSecond = 1'000'000;
inline constexpr Time kMinute = 60 * kSecond;
inline constexpr Time kHour = 60 * kMinute;
inline constexpr Time kDay = 24 * kHour;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() = 0;
};

// The system's clock, in microseconds.
class SystemClock final : public Clock {
 public:
  Time now() override;
};

// Converts the seconds of scripts and hosts, rounded to the microsecond. Empty if they are NaN or
// beyond +-2^33.
std::optional<Time> time_from_seconds(double seconds);
double seconds_from_time(Time time);

}  // namespace laurel
