#include "bindings/sandbox/time_budget.h"

namespace laurel {

namespace {

// About 20 us: in this time the thread's CPU time is not read.
constexpr std::uint64_t kQuietTicks = 50'000;
// About 15 us: a longer interval between two checks contained a slow instruction. Then each of the
// next kWaryLooks instructions is checked, so that a second slow one is not started after the
// first.
constexpr std::uint64_t kSlowTicks = 40'000;
constexpr int kWaryLooks = 64;
// The state becomes alert if a call takes longer than about 0.1 ms, and also longer than five times
// the normal time of its instructions.
constexpr std::uint64_t kSlowCallTicks = 250'000;
constexpr std::uint64_t kInstructionTicksMax = 64;
constexpr std::int64_t kSlowCallNs = 100'000;
constexpr std::int64_t kInstructionNsMax = 25;

}  // namespace

void TimeBudget::restart(std::uint64_t now) {
  began_ = now;
  last_check_ = now;
  longest_ = 0;
  second_ = 0;
  waited_ = 0;
  quiet_until_ = kQuietTicks;
  timed_ = false;
  charged_ns_ = 0;
  excused_ns_ = 0;
  fine_checks_left_ = 0;
}

bool TimeBudget::is_up(std::uint64_t now) {
  const std::uint64_t stretch = now - last_check_;
  last_check_ = now;
  note_stretch(stretch);
  return now - began_ + longest_ > quiet_until_ && asks_thread(now);
}

void TimeBudget::note_stretch(std::uint64_t stretch) {
  const bool slow = stretch > kSlowTicks;
  if (slow) {
    fine_checks_left_ = kWaryLooks;
  } else if (fine_checks_left_ > 0) {
    --fine_checks_left_;
  }
  if (slow && !timed_) {
    waited_ += stretch;  // the thread may have waited
  } else if (!slow || charges(stretch)) {
    second_ = std::clamp(stretch, second_, longest_);
    longest_ = std::max(longest_, stretch);
  }
}

// Reads the thread's CPU time after a slow interval. If a context switch was in the interval,
// returns false and does not charge the interval.
bool TimeBudget::charges(std::uint64_t stretch) {
  const TimeReading reading = read_();
  const std::int64_t before = charged_ns_;
  charge(reading);
  if (reading.switches == switches_) return true;
  switches_ = reading.switches;
  const double stretch_ns = static_cast<double>(stretch) / ticks_a_ns(reading);
  charged_ns_ = std::max(before, charged_ns_ - static_cast<std::int64_t>(stretch_ns));
  return false;
}

// Reads the thread's CPU time. Returns true if the time is up; if not, the time is read again when
// the remaining budget has passed.
bool TimeBudget::asks_thread(std::uint64_t now) {
  const TimeReading reading = read_();
  const double rate = ticks_a_ns(reading);
  if (timed_) {
    charge(reading);
  } else {
    const double passed_ns = static_cast<double>(now - began_ - waited_) / rate;
    start_timing(static_cast<std::int64_t>(passed_ns), reading);
  }
  const auto expected = [this] { return static_cast<double>(longest_); };
  if (ticks_left(rate) <= expected() && !(excuses(rate) && ticks_left(rate) > expected())) {
    return true;
  }
  quiet_until_ = now - began_ + static_cast<std::uint64_t>(ticks_left(rate));
  return false;
}

bool TimeBudget::excuses(double ticks_a_ns) {
  if (proven_ || excused_ns_ > 0) return false;
  const double longest_ns = static_cast<double>(longest_) / ticks_a_ns;
  excused_ns_ = std::min(static_cast<std::int64_t>(longest_ns), charged_ns_);
  charged_ns_ -= excused_ns_;
  longest_ = second_;
  return true;
}

double TimeBudget::ticks_left(double ticks_a_ns) const {
  return static_cast<double>(time_ns_ - charged_ns_) * ticks_a_ns;
}

// Charges `passed_ns`, the time of the call so far without possible waits.
void TimeBudget::start_timing(std::int64_t passed_ns, const TimeReading& reading) {
  timed_ = true;
  charged_ns_ = passed_ns;
  thread_ns_ = reading.thread_ns;
  switches_ = reading.switches;
}

void TimeBudget::charge(const TimeReading& reading) {
  charged_ns_ += reading.thread_ns - thread_ns_;
  thread_ns_ = reading.thread_ns;
}

bool TimeBudget::is_slow(std::int64_t ran, std::uint64_t now) const {
  const std::uint64_t took = now - began_;
  return took > kSlowCallTicks && took > static_cast<std::uint64_t>(ran) * kInstructionTicksMax;
}

// Ticks also pass while the thread waits. So a call that is slow by ticks only makes the state
// alert for a few calls; the thread's CPU time can prove that it was slow.
void TimeBudget::note_slowness(std::int64_t ran) {
  if (timed_) charge(read_());
  const std::int64_t took = charged_ns_ + excused_ns_;
  if ((took > kSlowCallNs && took > ran * kInstructionNsMax) || took > time_ns_) {
    strict_calls_left_ = kStrictCalls;
    proven_ = true;
  } else if (strict_calls_left_ == 0) {
    strict_calls_left_ = kSuspectCalls;
  } else if (--strict_calls_left_ == 0) {
    proven_ = false;
  }
}

// The average since the clock was made.
double TimeBudget::ticks_a_ns(const TimeReading& reading) const {
  const std::int64_t passed_ns = reading.wall_ns - first_.wall_ns;
  if (passed_ns <= 0) return 1;
  return static_cast<double>(reading.ticks - first_.ticks) / static_cast<double>(passed_ns);
}

}  // namespace laurel
