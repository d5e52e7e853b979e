// How much of the elapsed time is charged to a rule's call, on a simulated machine that tells how
// long the thread worked, waited and was suspended by its host.
#include "bindings/sandbox/time_budget.h"

#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "long_form.h"

using namespace laurel;

namespace {

constexpr std::int64_t kTimeNs = kRuleCallNsMax / 20 * 17;
constexpr std::int64_t kInstructionNs = 4;

// The processor has 2.6 ticks a nanosecond, or as the test sets it.
struct Machine {
  double ticks_a_ns = 2.6;
  TimeReading now;

  // Is charged to the thread.
  void work(std::int64_t ns) {
    wait(ns);
    now.thread_ns += ns;
  }
  // Steal time of the hypervisor, which looks the same from inside.
  void take(std::int64_t ns) { work(ns); }
  void wait(std::int64_t ns) {
    now.wall_ns += ns;
    now.ticks += static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_a_ns);
  }
  // Includes the time for leaving the processor and coming back.
  void sleep(std::int64_t ns, std::int64_t wake_ns) {
    wait(ns);
    work(wake_ns);
    ++now.switches;
  }
};

Machine machine;

TimeReading read_machine() { return machine.now; }

struct CallTime {
  bool ended = false;        // by the time limit
  std::int64_t work_ns = 0;  // until then, without waits and steal time
};

// Runs a call of this many instructions. `instruction` gets the number of each and returns the time
// it worked.
template <typename Instruction>
CallTime run(TimeBudget& clock, std::int64_t instructions, const Instruction& instruction) {
  CallTime call_time;
  int stride = clock.first_stride();
  clock.begin(kTimeNs, machine.now.ticks);
  std::int64_t ran = 0;
  for (int since = 0; ran < instructions && !call_time.ended;) {
    call_time.work_ns += instruction(ran++);
    if (++since < stride) continue;
    since = 0;
    call_time.ended = clock.is_up(machine.now.ticks);
    stride = clock.stride(ran);
  }
  clock.end(ran, machine.now.ticks);
  return call_time;
}

std::int64_t plain(std::int64_t /*ran*/) {
  machine.work(kInstructionNs);
  return kInstructionNs;
}

// A call of slow instructions, until it is ended.
CallTime run_slow(TimeBudget& clock, std::int64_t slow_ns) {
  return run(clock, 100'000, [&](std::int64_t) {
    machine.work(slow_ns);
    return slow_ns;
  });
}

// A call of plain instructions, except for one event.
template <typename Event>
CallTime run_plain_but(TimeBudget& clock, std::int64_t at, const Event& event) {
  return run(clock, 60'000, [&](std::int64_t ran) {
    if (ran == at) event();
    return plain(ran);
  });
}

// Calm; alert in doubt, after a call that was slow for an unknown reason; alert by proof.
enum class Before : std::uint8_t { calm, doubt, proof };

TimeBudget clock_after(Before before) {
  machine.wait(1'000'000);
  TimeBudget clock(read_machine);
  machine.wait(1'000'000);
  if (before == Before::doubt) {
    run(clock, 30, [](std::int64_t) {
      machine.sleep(100'000, 0);
      return 0;
    });
  } else if (before == Before::proof) {
    run_slow(clock, 100'000);
  }
  CHECK(clock.first_stride() == (before == Before::calm ? kInitialStride : kStrictStride));
  return clock;
}

}  // namespace

TEST_CASE("a call of plain instructions is never ended for its time") {
  for (const double ticks_a_ns : {1.0, 2.6, 4.0}) {
    machine.ticks_a_ns = ticks_a_ns;
    for (const Before before : {Before::calm, Before::doubt, Before::proof}) {
      TimeBudget clock = clock_after(before);
      for (int call = 0; call < 200; ++call) CHECK(!run(clock, 100'000, plain).ended);
      CHECK(clock.first_stride() == kInitialStride);
    }
  }
  machine.ticks_a_ns = 2.6;
}

TEST_CASE("waits in a rule are not charged, for any length and number, and neither is waking up") {
  for (std::uint32_t seed = 1; seed <= short_or_long(60U, 300U); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto up_to = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most));
    };
    machine.ticks_a_ns = 1.0 + static_cast<double>(up_to(31)) / 10;
    TimeBudget clock = clock_after(static_cast<Before>(seed % 3));
    const std::int64_t rarely = 1'000 + up_to(30'000);
    for (int call = 0; call < 50; ++call) {
      const CallTime call_time = run(clock, 50'000, [&](std::int64_t ran) {
        if (up_to(rarely) == 0) machine.sleep(20'000 + up_to(5'000'000), up_to(3'000'000));
        return plain(ran);
      });
      REQUIRE(!call_time.ended);
    }
  }
  machine.ticks_a_ns = 2.6;
}

TEST_CASE("steal time in a rule's call is forgiven, but not once more while the rule is in doubt") {
  for (const std::int64_t taken_us : {20, 400, 600, 800, 840, 860, 1'000, 3'000, 20'000}) {
    CAPTURE(taken_us);
    for (const Before before : {Before::calm, Before::doubt}) {
      for (const std::int64_t at : {0, 39, 1'000, 50'000}) {
        CAPTURE(at);
        TimeBudget clock = clock_after(before);
        const auto taken = [&] { machine.take(1'000 * taken_us); };
        CHECK(!run_plain_but(clock, at, taken).ended);
        CHECK(!run_plain_but(clock, at, [] {}).ended);
        // It had more time than a call may have, so the next calls get no such allowance.
        const bool seen = before == Before::doubt || at > 10'000;
        if (!seen || taken_us < 860) continue;
        CHECK(run_plain_but(clock, at, taken).ended);
        for (int call = 0; call < kStrictCalls; ++call) CHECK(!run(clock, 1'000, plain).ended);
        CHECK(!run_plain_but(clock, at, taken).ended);
      }
    }
  }
}

TEST_CASE("a slow rule's call ends within its time from the third on, in any initial state") {
  for (const std::int64_t slow_us : {1, 5, 10, 16, 20, 50, 100, 200, 300, 420}) {
    CAPTURE(slow_us);
    for (const Before before : {Before::calm, Before::doubt, Before::proof}) {
      TimeBudget clock = clock_after(before);
      for (int call = 1; call <= 300; ++call) {
        CAPTURE(call);
        const CallTime call_time = run_slow(clock, 1'000 * slow_us);
        CHECK(call_time.ended);
        // What ran before the first check, and one interval that is forgiven.
        const std::int64_t more = call == 1   ? kInitialStride + kNormalStride
                                  : call == 2 ? kStrictStride
                                              : 0;
        CHECK(call_time.work_ns <= kTimeNs + more * 1'000 * slow_us);
        CHECK(call_time.work_ns >= kTimeNs - 4'000 * slow_us);
      }
    }
  }
}

TEST_CASE("a slow call that had to wait gets no extra time") {
  for (const std::int64_t slow_us : {20, 50, 100, 200}) {
    CAPTURE(slow_us);
    TimeBudget clock = clock_after(Before::proof);
    const CallTime call_time = run(clock, 100'000, [&](std::int64_t ran) {
      if (ran == 1) machine.sleep(5'000'000, 0);
      machine.work(1'000 * slow_us);
      return 1'000 * slow_us;
    });
    CHECK(call_time.ended);
    CHECK(call_time.work_ns <= kTimeNs + kStrictStride * 1'000 * slow_us);  // where it waited
  }
}

TEST_CASE("a slow rule's second call ends within its time if the first was seen to be slow") {
  for (const std::int64_t slow_us : {10, 50, 100, 200, 300, 420}) {
    CAPTURE(slow_us);
    TimeBudget clock = clock_after(Before::calm);
    run_slow(clock, 1'000 * slow_us);
    CHECK(run_slow(clock, 1'000 * slow_us).work_ns <= kTimeNs);
  }
}

TEST_CASE("a rule with its slow instructions close together exceeds its time twice at most") {
  TimeBudget clock = clock_after(Before::calm);
  const auto five = [](std::int64_t ran) {
    if (ran >= 5) return plain(ran);
    machine.work(400'000);
    return std::int64_t{400'000};
  };
  CHECK(!run(clock, 30, five).ended);  // before the first check
  const CallTime second = run(clock, 30, five);
  CHECK(second.ended);
  CHECK(second.work_ns <= kTimeNs + 2 * 400'000);
  for (int call = 3; call <= 300; ++call) {
    const CallTime call_time = run(clock, 30, five);
    CHECK(call_time.ended);
    CHECK(call_time.work_ns <= kTimeNs);
  }
}
