// thread_time.h - the cycle counter, and the CPU time and context switches of the thread.
//
//   ticks      the processor's cycle counter, if it has one: about 8 ns, without a system call. Its
//              unit is known only by comparison with a clock. A jump of the counter, as between
//              sockets of an old machine, is noticed at the next reading of a clock.
//   processor  CPU time of this thread: a system call, about 0.5 us.
//   switches   context switches of the thread, voluntary or not: a system call, about 0.5 us.
//   threads    any.
#pragma once

#include <cstdint>
#include <ctime>
#include <sys/resource.h>

namespace laurel {

inline std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // the header of intrinsics has 30,000 lines
#else
  return static_cast<std::uint64_t>(nanoseconds_of(CLOCK_MONOTONIC));
#endif
}

inline std::int64_t processor_ns_now() { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

// All values, read at the same moment.
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
