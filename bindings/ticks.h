// ticks.h - how long something took, asked as cheaply as the processor allows, how much time the
// thread itself had, and whether it had to wait.
//
//   ticks      the processor's own count where there is one: some 8 ns, no call into the system.
//              Its unit is known only by comparison with a clock. A count that jumps, as between
//              sockets of an old machine, is caught by whoever asks a clock next.
//   processor  time that this thread ran, not what passed meanwhile: a call into the system, some
//              0.5 us.
//   switches   how often the thread left the processor, because it waited or another came first:
//              as dear.
//   threads    free.
#pragma once

#include <cstdint>
#include <ctime>
#include <sys/resource.h>

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

// All of one moment.
struct TimeReading {
  std::uint64_t ticks = 0;
  std::int64_t wall_ns = 0;
  std::int64_t thread_ns = 0;
  std::int64_t switches = 0;
};

using ReadTime = TimeReading();

inline TimeReading read_time() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {.ticks = ticks_now(),
          .wall_ns = nanoseconds_of(CLOCK_MONOTONIC),
          .thread_ns = processor_ns_now(),
          .switches = usage.ru_nvcsw + usage.ru_nivcsw};
}

}  // namespace laurel
