// rule_state.h - a Lua state for code that is not trusted to end: budgeted, and with few words.
//
//   language   Lua 5.1 as text, never bytecode, with the words of rule_words.h. None of them
//              catches an error, makes a coroutine, reaches a file or outlives a budget.
//   counted    of one call kRuleInstructionsMax instructions, what words charge for included, and
//              kRuleCallBytesMax allocated bytes, freed ones included; of the state
//              kRuleStateBytesMax bytes, in blocks of at most kRuleBlockBytesMax. The same call
//              with the same state ends at the same instruction every time.
//   timed      what is slow in few instructions: comparing, joining and adding up long texts,
//              walking over what a large table held once, arguments by the thousand. The hook looks
//              at the time every few instructions and ends a call that has had kRuleTimeNs of its
//              thread (rule_clock.h). A thread that had to wait is not blamed. A call that spends
//              all of its instructions on anything else takes half of that; so a call that time
//              ends held one of these, and where exactly it ends may differ.
//   no engine  LuaJIT runs it in its interpreter only: code that it compiled cannot be interrupted.
//   promise    a guard against mistakes and abuse, not a jail for hostile authors.
//   memory     small blocks come from a region of its own, on top of what is counted
//              (small_blocks.h).
//   cost       of a call some 20 ns for the time, of a look 15 ns; a short rule ends before the
//              first.
//   threads    none.
//   source     the measurements that led here: LuaJIT's compiled loops ignore hooks; a hook that
//              re-arms with count 1 once it has fired also ends loops that catch errors.
//              docs/decisions/0012-counted-then-timed.md has the others.
//
// The state's stack belongs to its user, who leaves it balanced. Outside of call() nothing is
// budgeted and values may be pushed as everywhere; memory then runs out when the process's does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "bindings/rule_clock.h"
#include "bindings/small_blocks.h"

struct lua_State;
struct lua_Debug;

namespace laurel {

// The largest text or table: 16,384 names of LuaJIT's, or 65,536 numbered values. The slowest
// single instruction, which reads such a text as a number, takes 0.7 ms.
inline constexpr std::size_t kRuleBlockBytesMax = std::size_t{528} << 10;
// What each call may allocate where the state is full already, so that it can let go of something;
// and how far that may take the state.
inline constexpr std::size_t kRuleSmallCallBytes = std::size_t{4} << 10;
inline constexpr std::size_t kRuleOverdraftBytes = std::size_t{1} << 20;
// Of the thread, and no further stretch between two looks is begun that may not end within it. The
// rest is for what comes before and after. Code that is instrumented, or not optimized, takes its
// time.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kRuleTimeNs = kRuleCallNsMax / 20 * 17;
#else
inline constexpr std::int64_t kRuleTimeNs = kRuleCallNsMax * 100;
#endif

// A file that loads runs once: more may pass, and compiling is not counted at all.
inline constexpr std::int64_t kLoadTimes = 10;

// How memory is counted. A LuaJIT for x64 without GC64 brings its own allocator and takes no other;
// there the hook asks the collector at each look, and a call may overshoot.
enum class Metering : std::uint8_t { by_allocator, by_collector };

class RuleState {
 public:
  // By the collector where by the allocator is not to be had. A call may have time_ns of its
  // thread: whoever wants to see only what is counted gives more.
  explicit RuleState(Metering wanted = Metering::by_allocator, std::int64_t time_ns = kRuleTimeNs);
  ~RuleState();
  RuleState(const RuleState&) = delete;
  RuleState& operator=(const RuleState&) = delete;

  lua_State* lua() const { return lua_; }

  // How much one call may allocate: loading a file takes more than judging with it.
  enum class Allowance : std::uint8_t { one_call, whole_state };

  // Calls the function that lies below its `arguments` on the stack, within the budget. True: both
  // are replaced by exactly `results` values. False: both are gone and failure() says why.
  bool call(int arguments, int results, Allowance allowance = Allowance::one_call);
  // Of the last call that failed: one line with file and line where Lua knew them, control bytes
  // escaped. Valid until the next.
  const std::string& failure() const { return failure_; }

  // Compiles text: the function, or an error's message, is pushed; the status is Lua's. The
  // compiler's blocks may be as large as the state, and the call's time begins anew. May raise.
  // REQUIRES: within a call.
  static int compile(lua_State* L, std::string_view text, const char* chunk_name);

  // For the state's words: takes units off the call's instructions, and raises where none are left.
  static void charge(lua_State* L, int units);

  Metering metering() const { return metering_; }
  // Drops all garbage, however long it takes: when much has gone at once.
  void collect_all();

  std::size_t bytes() const;  // that the state takes
  // That the last call allocated, what it freed included; by the allocator only.
  std::size_t call_bytes() const { return allowance_ - meter_.allowed; }

 private:
  enum class Spent : std::uint8_t {
    nothing,
    instructions,
    time,
    call_bytes,
    state_bytes,
    block_bytes
  };

  // Registered with the state, at an address that stays.
  struct Meter {
    bool running = false;           // only then is anything refused
    bool compiling = false;         // then blocks of any size are allowed
    std::size_t held = 0;           // bytes that the state takes; by the allocator only
    std::size_t start = 0;          // held when the call began; by the collector only
    std::size_t allowed = 0;        // bytes that the call may still allocate
    std::size_t small_until = 0;    // `allowed` while the call is a small one
    std::int64_t instructions = 0;  // that the call may still run
    std::int64_t ended_with = -1;   // of them, when it was ended; -1: it was not
    int stride = 0;                 // instructions between two looks of the hook
    Spent spent = Spent::nothing;

    // A load's slowness raises no doubt about the calls of the version in force.
    RuleClock of_calls;
    RuleClock of_loads;
    RuleClock* clock = &of_calls;  // of what runs
    SmallBlocks blocks;
  };

  static void* allocate(void* meter, void* block, std::size_t old_size, std::size_t new_size);
  static void on_count(lua_State* L, lua_Debug* where);
  static Meter& meter_of(lua_State* L);
  [[noreturn]] static void end_call(lua_State* L, Meter& meter);
  void describe_failure();
  void collect_some(std::uint64_t most_ticks);
  void let_gather();

  Metering metering_;
  Meter meter_;
  std::int64_t time_ns_;       // of one call
  std::int64_t times_ = 1;     // as much, for the last call
  std::size_t allowance_ = 0;  // bytes, of the last call
  int cycles_ = 0;             // of the collector's to be ended, some of it after each call
  std::size_t collect_at_ = kRuleStateBytesMax / 2;  // bytes
  lua_State* lua_ = nullptr;
  std::string failure_;
};

}  // namespace laurel
