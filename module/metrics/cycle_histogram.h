// cycle_histogram.h - a histogram of durations by the cycle counter, which is read three times as
// fast as a clock.
//
//   unit     is found at the first observation, by what has passed since the object was made: by
//            then at least some microseconds, so that it is exact to a hundredth.
//   jumps    a counter that went back, as between sockets of an old machine, counts as no time.
//   threads  as of Histogram; read() only in the thread that observes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/process/thread_time.h"
#include "metrics/histogram.h"

namespace laurel {

class CycleHistogram {
 public:
  // `bounds` outlive it.
  explicit CycleHistogram(std::span<const double> bounds) : bounds_(bounds) {}

  // Ticks of ticks_now().
  void observe(std::uint64_t began, std::uint64_t ended) {
    if (!times_) [[unlikely]]
      begin();
    times_->observe(ended > began ? ended - began : 0);
  }

  // Null before the first observation.
  const Histogram* read() const { return times_ ? &*times_ : nullptr; }

 private:
  [[gnu::noinline]] void begin() {
    const auto passed = static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - made_ns_);
    times_.emplace(bounds_, static_cast<double>(ticks_now() - made_) / passed * 1e9);
  }

  std::span<const double> bounds_;
  std::uint64_t made_ = ticks_now();
  std::int64_t made_ns_ = nanoseconds_of(CLOCK_MONOTONIC);
  std::optional<Histogram> times_;
};

}  // namespace laurel
