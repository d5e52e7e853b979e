// histogram.h - how many of some durations were up to each bound.
//
//   bound    in seconds, ascending. What is longer than the last one is counted, too.
//   unit     what observe() takes: nanoseconds, or ticks of a cycle counter.
//   threads  one observes at a time; any thread may read. What is read while another thread
//            observes may lack that duration's sum or its count.
//   cost     observe: about 5 ns.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace laurel {

inline constexpr std::size_t kHistogramBoundsMax = 20;

// What a histogram had counted at a moment. Its bounds are those of the histogram.
struct HistogramCounts {
  std::span<const double> bounds;
  // How many were above bound i - 1 and up to bound i; after the last bound, above all.
  std::array<std::uint64_t, kHistogramBoundsMax + 1> counts{};
  double sum = 0;  // seconds
};

class Histogram {
 public:
  // `bounds` outlive it. REQUIRES: at most kHistogramBoundsMax.
  explicit Histogram(std::span<const double> bounds, double units_a_second = 1e9)
      : bounds_(bounds), units_a_second_(units_a_second) {
    assert(bounds.size() <= kHistogramBoundsMax);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      units_[i] = static_cast<std::uint64_t>(bounds[i] * units_a_second);
    }
    units_[bounds.size()] = UINT64_MAX;
    find(0);
  }
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void observe(std::uint64_t units) {
    if (units - first_ > span_) [[unlikely]]
      find(units);
    add(*at_, 1);
    add(sum_, units);
  }

  HistogramCounts counts() const {
    HistogramCounts now{.bounds = bounds_, .counts = {}, .sum = 0};
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      now.counts[i] = counts_[i].load(std::memory_order_relaxed);
    }
    now.sum = static_cast<double>(sum_.load(std::memory_order_relaxed)) / units_a_second_;
    return now;
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  // One thread writes, so this needs no locked instruction.
  static void add(Counter& to, std::uint64_t more) {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  // The next durations are often counted where the last one was: that takes no search.
  [[gnu::noinline]] void find(std::uint64_t units) {
    std::size_t i = 0;
    while (units > units_[i]) ++i;
    first_ = i == 0 ? 0 : units_[i - 1] + 1;
    span_ = units_[i] - first_;
    at_ = &counts_[i];
  }

  std::span<const double> bounds_;
  double units_a_second_;
  std::array<std::uint64_t, kHistogramBoundsMax + 1> units_{};  // the bounds, and no bound
  std::array<Counter, kHistogramBoundsMax + 1> counts_{};
  Counter sum_{0};
  // Where the last one was counted: those from first_ to first_ + span_ are.
  std::uint64_t first_ = 0;
  std::uint64_t span_ = 0;
  Counter* at_ = nullptr;
};

}  // namespace laurel
