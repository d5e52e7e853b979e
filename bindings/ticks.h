// ticks.h - how long something took, asked as cheaply as the processor allows, and how much time
// the thread itself had.
//
//   ticks      the processor's own count where there is one: some 8 ns, no call into the system.
//              Its unit is known only by comparison with a clock (Pace). A count that jumps, as
//              between sockets of an old machine, is caught by whoever asks a clock next.
//   processor  time that this thread ran, not what passed meanwhile: a call into the system, some
//              0.5 us.
//   threads    free.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laurel {

inline std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(nanoseconds_of(CLOCK_MONOTONIC));
#endif
}

inline std::int64_t processor_ns_now() { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

// Ticks as time, by what passed since it was made.
class Pace {
 public:
  // Of ticks that ended just now, at most some seconds ago.
  std::int64_t nanoseconds(std::uint64_t ticks) const {
    const std::uint64_t passed = ticks_now() - ticks_;
    const std::int64_t passed_ns = nanoseconds_of(CLOCK_MONOTONIC) - ns_;
    if (passed == 0 || passed_ns <= 0) return 0;
    return static_cast<std::int64_t>(static_cast<double>(ticks) * static_cast<double>(passed_ns) /
                                     static_cast<double>(passed));
  }

 private:
  std::uint64_t ticks_ = ticks_now();
  std::int64_t ns_ = nanoseconds_of(CLOCK_MONOTONIC);
};

}  // namespace laurel
