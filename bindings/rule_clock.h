// rule_clock.h - how much of its time a rule's call has had, and when to look at that next.
//
//   looks      the state's hook asks every few instructions, by the processor's ticks. Ticks are no
//              time of the thread's own, but never less: only where they are too many is the thread
//              asked. No stretch between two looks is begun that may not end in time, going by the
//              longest so far.
//   calm       the first look comes after kCalmStart instructions, and after a slow stretch one at
//              each instruction.
//   alert      after a slow call the looks begin at once and come often: in the next kDoubtCalls,
//              or in kAlertCalls where the thread's own time has proven that the rule is slow.
//   waits      a thread that had to wait is not blamed, nor for what it takes to leave the
//              processor and to come back: in a virtual machine 2 ms of the thread's own time were
//              seen.
//   taken      what a host takes from a virtual machine counts as the thread's own time, too, and
//              nothing tells it from a slow instruction. So the longest stretch is forgiven to the
//              call that it would end, once, and to none of the calls that are alert by proof.
//   overstays  the first slow call of a rule may, its second does not. Where the first had all that
//              was slow between two looks it may have been a wait: then the second may overstay by
//              one such stretch.
//   cost       of a call some 20 ns, of a look 10 ns; of one that asks the thread, and of each call
//              while alert, 1 us.
//   threads    none: it is its thread's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bindings/ticks.h"

namespace laurel {

// Instructions before the first look, and between two of them. A short rule has at most 39, what
// calls it included.
inline constexpr int kCalmStart = 40;
inline constexpr int kCalmStride = 16;
// While alert. The slowest instruction with short texts, adding up two numbers of 800 digits each,
// takes 0.3 ms.
inline constexpr int kAlertStride = 2;
inline constexpr int kAlertInstructions = 1000;  // at the beginning of a call
inline constexpr int kAlertCalls = 100;
inline constexpr int kDoubtCalls = 8;

class RuleClock {
 public:
  explicit RuleClock(ReadTime* read = read_time) : read_(read), first_(read()) {}

  // A call begins that may have time_ns of its thread.
  void begin(std::int64_t time_ns, std::uint64_t now) {
    time_ns_ = time_ns;
    restart(now);
    if (alert_ > 0) start_timing(0, read_());
  }
  // What has passed of the call is not charged to it.
  void restart(std::uint64_t now);
  // At a look. True: the call's time is up, or might be before the next.
  bool is_up(std::uint64_t now);
  // The call has ended after so many instructions.
  void end(std::int64_t ran, std::uint64_t now) {
    if (alert_ > 0 || forgiven_ns_ > 0 || is_slow(ran, now)) note_slowness(ran);
  }

  // Instructions until the first look of the call that begins.
  int first_stride() const { return alert_ > 0 ? kAlertStride : kCalmStart; }
  // Until the next one, where so many of the call's ran.
  int stride(std::int64_t ran) const {
    if (wary_ > 0) return 1;
    return alert_ > 0 && ran < kAlertInstructions ? kAlertStride : kCalmStride;
  }

 private:
  bool is_slow(std::int64_t ran, std::uint64_t now) const;
  void note_slowness(std::int64_t ran);
  void note_stretch(std::uint64_t stretch);
  void start_timing(std::int64_t passed_ns, const TimeReading& reading);
  void charge(const TimeReading& reading);
  bool blames(std::uint64_t stretch);
  bool asks_thread(std::uint64_t now);
  bool forgives(double ticks_a_ns);
  double ticks_left(double ticks_a_ns) const;
  double ticks_a_ns(const TimeReading& reading) const;

  ReadTime* read_;
  TimeReading first_;         // by which ticks are known as time
  std::int64_t time_ns_ = 0;  // that the call may have

  // In ticks.
  std::uint64_t began_ = 0;
  std::uint64_t last_look_ = 0;
  std::uint64_t longest_ = 0;      // between two looks: as many may pass before the next
  std::uint64_t second_ = 0;       // the longest but for that one
  std::uint64_t waited_ = 0;       // in stretches that may have been waits
  std::uint64_t quiet_until_ = 0;  // after began_: until then nobody asks for the time

  bool timed_ = false;            // the thread was asked, and what follows is known
  std::int64_t blamed_ns_ = 0;    // charged to the call, until thread_ns_
  std::int64_t forgiven_ns_ = 0;  // not charged to it
  std::int64_t thread_ns_ = 0;    // the thread's own time when it was asked last
  std::int64_t switches_ = 0;     // how often it had left the processor

  int wary_ = 0;         // looks to come at each instruction, after a slow one
  int alert_ = 0;        // calls to come with looks from the beginning
  bool proven_ = false;  // by the thread's own time, while alert
};

}  // namespace laurel
