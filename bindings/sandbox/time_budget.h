// time_budget.h - the CPU time budget of a rule's call, and when to check it next.
//
//   checks     the state's hook checks every few instructions, by the cycle counter. The counter
//              never shows less than the thread's CPU time, so that time is read rarely: after
//              about 20 us, and again when the remaining budget has passed. A call continues only
//              if the longest interval between two checks so far fits into the remaining budget.
//   calm       the first check comes after kInitialStride instructions, the next ones every
//              kNormalStride. After a slow interval each instruction is checked.
//   alert      after a slow call the checks start at once and are frequent: for the next
//              kSuspectCalls calls, or for kStrictCalls if the thread's CPU time has proven that
//              the rule is slow.
//   waits      time in which the thread waited is not charged, nor the cost of the context switch:
//              in a virtual machine 2 ms of the thread's CPU time were seen.
//   stolen     hypervisor steal time is charged to the thread and cannot be distinguished from a
//              slow instruction. So a call that the longest interval would end is forgiven that
//              interval, once; a call that is alert by proof is not.
//   excess     the first slow call of a rule may exceed the limit, the second may not. If all
//              excess of the first lay in one interval, it may have been a wait: then the second
//              may exceed the limit by one such interval.
//   cost       about 20 ns per call and 10 ns per check; 1 us per check that reads the thread's CPU
//              time, and per call while alert.
//   threads    none: an object belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/process/thread_time.h"

namespace laurel {

// Instructions before the first check, and between two checks. A short rule has at most 39
// instructions, those of the function that calls it included.
inline constexpr int kInitialStride = 40;
inline constexpr int kNormalStride = 16;
// Instructions between two checks while alert. The slowest instruction on short texts, adding two
// numbers of 800 digits each, takes 0.3 ms.
inline constexpr int kStrictStride = 2;
inline constexpr int kStrictInstructions = 1000;  // from the beginning of a call
inline constexpr int kStrictCalls = 100;
inline constexpr int kSuspectCalls = 8;

class TimeBudget {
 public:
  explicit TimeBudget(ReadTime* read = read_time) : read_(read), first_(read()) {}

  // Call when a call begins; it may use time_ns of the thread's CPU time.
  void begin(std::int64_t time_ns, std::uint64_t now) {
    time_ns_ = time_ns;
    restart(now);
    if (strict_calls_left_ > 0) start_timing(0, read_());
  }
  // Starts the time of the call again: what has passed is not charged.
  void restart(std::uint64_t now);
  // A check. Returns true if the time is up, or may be up before the next check.
  bool is_up(std::uint64_t now);
  // Call when a call has ended, after `ran` instructions.
  void end(std::int64_t ran, std::uint64_t now) {
    if (strict_calls_left_ > 0 || excused_ns_ > 0 || is_slow(ran, now)) note_slowness(ran);
  }

  // Instructions until the first check of a call.
  int first_stride() const { return strict_calls_left_ > 0 ? kStrictStride : kInitialStride; }
  // Instructions until the next check, after `ran` instructions of the call.
  int stride(std::int64_t ran) const {
    if (fine_checks_left_ > 0) return 1;
    return strict_calls_left_ > 0 && ran < kStrictInstructions ? kStrictStride : kNormalStride;
  }

 private:
  bool is_slow(std::int64_t ran, std::uint64_t now) const;
  void note_slowness(std::int64_t ran);
  void note_stretch(std::uint64_t stretch);
  void start_timing(std::int64_t passed_ns, const TimeReading& reading);
  void charge(const TimeReading& reading);
  bool charges(std::uint64_t stretch);
  bool asks_thread(std::uint64_t now);
  bool excuses(double ticks_a_ns);
  double ticks_left(double ticks_a_ns) const;
  double ticks_a_ns(const TimeReading& reading) const;

  ReadTime* read_;
  TimeReading first_;         // taken when the object was made; converts ticks to time
  std::int64_t time_ns_ = 0;  // budget of the call

  // In ticks.
  std::uint64_t began_ = 0;
  std::uint64_t last_check_ = 0;
  std::uint64_t longest_ = 0;      // interval between two checks: the next may be as long
  std::uint64_t second_ = 0;       // the second longest interval
  std::uint64_t waited_ = 0;       // sum of intervals that may have been waits
  std::uint64_t quiet_until_ = 0;  // after began_: the thread's CPU time is not read before

  bool timed_ = false;           // the thread's CPU time was read, and the values below are valid
  std::int64_t charged_ns_ = 0;  // charged to the call, up to thread_ns_
  std::int64_t excused_ns_ = 0;  // not charged to the call
  std::int64_t thread_ns_ = 0;   // the thread's CPU time when it was last read
  std::int64_t switches_ = 0;    // context switches of the thread then

  int fine_checks_left_ = 0;   // remaining checks at each instruction, after a slow interval
  int strict_calls_left_ = 0;  // remaining calls with checks from the beginning
  bool proven_ = false;        // strict_calls_left_ was set because of the thread's CPU time
};

}  // namespace laurel
