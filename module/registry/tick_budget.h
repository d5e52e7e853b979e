// tick_budget.h - bounds the time of one tick. Scripts and clients decide how many watches,
// published boards and followed players there are; a tick does as much for them as fits, and the
// next tick continues where it stopped.
//
//   slice     the part of a tick for one kind of work. The work asks spent() after each step, so
//             that it does at least one step. What a slice does not use is left for the others.
//   step      the work between two calls of spent(). It must be short: each slice has at least
//             one. A slice is spent when a step as long as its longest one would no longer fit.
//   callbacks of scripts: outside() runs them, and their time does not count.
//   time      the thread's processor time: if the thread loses the processor, nothing is put off.
//             Reading it takes about 0.3 us, so a step should take longer than that.
//   threads   none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/limits.h"
#include "base/process/thread_time.h"

namespace laurel {

class TickSlice {
 public:
  explicit TickSlice(std::int64_t limit_ns) : limit_ns_(limit_ns), began_ns_(processor_ns_now()) {}

  // Ends a step. Returns true if the next one would exceed this share of the slice, from 0 to 1.
  bool spent(double share = 1) {
    const std::int64_t used = used_ns();
    longest_ns_ = std::max(longest_ns_, used - stepped_ns_);
    stepped_ns_ = used;
    return static_cast<double>(used + longest_ns_) >= share * static_cast<double>(limit_ns_);
  }
  std::int64_t used_ns() const { return processor_ns_now() - began_ns_; }

  // Calls back, and does not count the time of it.
  template <typename Callback>
  void outside(Callback callback) {
    const std::int64_t before = processor_ns_now();
    callback();
    began_ns_ += processor_ns_now() - before;
  }

  // Counts work that was not measured.
  void charge(std::int64_t ns) { began_ns_ -= ns; }

  // Work is left for the next tick.
  void put_off() { put_off_ = true; }
  bool has_put_off() const { return put_off_; }

 private:
  std::int64_t limit_ns_;
  std::int64_t began_ns_;
  std::int64_t stepped_ns_ = 0;  // what was used when the last step ended
  std::int64_t longest_ns_ = 0;  // step
  bool put_off_ = false;
};

class TickBudget {
 public:
  // Gives the work an equal part of what is left, if `kinds` kinds of work are to come with this
  // one.
  template <typename Work>
  void spend(std::size_t kinds, Work work) {
    TickSlice slice(left_ns_ / static_cast<std::int64_t>(kinds));
    work(slice);
    left_ns_ -= std::min(left_ns_, slice.used_ns());
    slices_put_off_ += slice.has_put_off() ? 1 : 0;
  }
  std::uint64_t slices_put_off() const { return slices_put_off_; }

 private:
  std::int64_t left_ns_ = kTickNanoseconds;
  std::uint64_t slices_put_off_ = 0;
};

}  // namespace laurel
