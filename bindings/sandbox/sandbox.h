// sandbox.h - a Lua state for code that may not terminate: with budgets and a small library.
//
//   language   the Lua that the module is built for, as text, never bytecode, with the functions
//              of sandbox_library.h. None of them catches an error, makes a coroutine, accesses a
//              file or escapes a budget.
//   counted    per call: kRuleInstructionsMax instructions, including what library functions
//              charge, and kRuleCallBytesMax allocated bytes, including freed ones. Per state:
//              kRuleStateBytesMax bytes, in blocks of at most kRuleBlockBytesMax. The same call
//              with the same state ends at the same instruction every time: the time may be
//              checked more often than instructions are counted, and a library function compares
//              what it charges with the last count.
//   timed      operations that are slow in few instructions: comparing, concatenating and adding
//              long texts, iterating over a large emptied table, thousands of arguments. The hook
//              checks the time every few instructions, and ends a call that has used kRuleTimeNs of
//              CPU time (time_budget.h). Time in which the thread waited is not charged. A call
//              without these operations uses all of its instructions in half of that time. So only
//              a call with one of them is ended by time, not always at the same instruction.
//   no engine  LuaJIT only interprets the code, since compiled code cannot be interrupted.
//   refused    memory: the call ends. From 5.2 on Lua would collect everything first, which takes
//              longer than the time of a call if the state holds much. So there an instruction
//              that reaches a limit gets up to kRuleGrantBytesMax beyond it, and the call ends at
//              the next instruction. Only one that takes more, such as a text joined of many long
//              ones, costs a collection.
//   promise    a guard against mistakes and abuse, not a jail for hostile authors.
//   memory     small blocks come from a region of their own, which the budget does not count
//              (small_block_pool.h).
//   cost       about 20 ns per call for the time, 15 ns per check; a short rule ends before the
//              first check.
//   threads    none.
//   source     measurements: LuaJIT's compiled loops ignore hooks; a hook that sets its count to 1
//              once it has fired also ends loops that catch errors.
//              docs/decisions/0012-budgets-of-instructions-and-time.md has the others.
//
// The caller uses the state's stack and leaves it balanced. Outside of call() no budget applies,
// and values may be pushed as usual; memory then runs out when the memory of the process does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/small_block_pool.h"
#include "bindings/sandbox/time_budget.h"

struct lua_State;
struct lua_Debug;

namespace laurel {

// The largest text or table: in LuaJIT a table of 16,384 names or of 65,536 array items. The
// slowest single instruction, which converts such a text to a number, takes 0.7 ms.
inline constexpr std::size_t kRuleBlockBytesMax = std::size_t{528} << 10;
// What each call may allocate if the state is already full, so that it can release something; and
// how far the state may grow beyond its limit by this.
inline constexpr std::size_t kRuleSmallCallBytes = std::size_t{4} << 10;
inline constexpr std::size_t kRuleOverdraftBytes = std::size_t{1} << 20;
// From Lua 5.2 on: what an instruction may take when a limit is reached, such as the largest table
// when it doubles; and how far the state may grow beyond its limit by this.
inline constexpr std::size_t kRuleGrantBytesMax = 2 * kRuleBlockBytesMax;
// CPU time of one call, including the expected interval until the next check. The rest of
// kRuleCallNsMax is for the work before and after. Instrumented or unoptimized code is slower.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kRuleTimeNs = kRuleCallNsMax / 20 * 17;
#else
inline constexpr std::int64_t kRuleTimeNs = kRuleCallNsMax * 100;
#endif

// The factor of the CPU time for loading a file, which runs once; compiling is not counted.
inline constexpr std::int64_t kLoadTimes = 10;

// How memory is counted. A LuaJIT for x64 without GC64 accepts no allocator but its own. Then the
// hook asks the collector at each check, and a call may exceed its limit.
enum class Metering : std::uint8_t { by_allocator, by_collector };

class RuleState {
 public:
  // Counts by the collector if Lua accepts no allocator. A call may use time_ns of CPU time; a test
  // of the counted budgets gives more.
  explicit RuleState(Metering wanted = Metering::by_allocator, std::int64_t time_ns = kRuleTimeNs);
  ~RuleState();
  RuleState(const RuleState&) = delete;
  RuleState& operator=(const RuleState&) = delete;

  lua_State* lua() const { return lua_; }

  // How much one call may allocate: loading a file needs more than judging.
  enum class Allowance : std::uint8_t { one_call, whole_state };

  // Calls the function below its `arguments` on the stack, within the budget. On success both are
  // replaced by exactly `results` values. If it fails, both are popped, it returns false, and
  // failure() says why.
  bool call(int arguments, int results, Allowance allowance = Allowance::one_call);
  // Why the last failed call failed: one line, with file and line if Lua knew them, control bytes
  // escaped. Valid until the next failed call.
  const std::string& failure() const { return failure_; }

  // Compiles text: pushes the function or an error message, and returns Lua's status. Does not
  // limit the size of blocks, and starts the call's time again. May raise. REQUIRES: within a call.
  static int compile(lua_State* L, std::string_view text, const char* chunk_name);

  // For library functions: subtracts units from the call's instructions, and raises if none are
  // left.
  static void charge(lua_State* L, int units);

  Metering metering() const { return metering_; }
  // Runs a full garbage collection, which may take milliseconds.
  void collect_all();

  std::size_t bytes() const;  // memory of the state
  // Ticks of the cycle counter that the last call took.
  std::uint64_t ticks() const { return ticks_; }
  // Bytes that the last call allocated, including freed ones; only with by_allocator.
  std::size_t call_bytes() const { return allowance_ - meter_.allowed + meter_.granted; }

 private:
  enum class Spent : std::uint8_t {
    nothing,
    instructions,
    time,
    call_bytes,
    state_bytes,
    block_bytes
  };

  // The Lua state holds its address, which must not change.
  struct Meter {
    lua_State* lua = nullptr;
    bool running = false;           // a call runs: limits apply
    bool compiling = false;         // blocks of any size are allowed
    std::size_t held = 0;           // bytes of the state; only with by_allocator
    std::size_t start = 0;          // bytes when the call began; only with by_collector
    std::size_t allowed = 0;        // bytes that the call may still allocate
    std::size_t granted = 0;        // bytes that the call got after a limit was reached
    std::size_t small_until = 0;    // while `allowed` is higher, the state may exceed its limit
    std::int64_t instructions = 0;  // that the call may still run, as of the last count
    std::int64_t ended_with = -1;   // `instructions` when the call was ended; -1: it was not
    int uncounted = 0;              // instructions since the last count
    int counted_every = 0;          // instructions between two counts
    int stride = 0;                 // instructions between two checks of the hook
    Spent spent = Spent::nothing;

    // Separate clocks: a slow load does not make the checks of calls stricter.
    TimeBudget of_calls;
    TimeBudget of_loads;
    TimeBudget* clock = &of_calls;  // the one in use
    SmallBlockPool blocks;
  };

  static void* allocate(void* meter, void* block, std::size_t old_size, std::size_t new_size);
  static Spent spent_by(const Meter& m, std::size_t growth, std::size_t new_size);
  static bool grant(Meter& m, std::size_t growth);
  static void count(Meter& m);
  static void on_count(lua_State* L, lua_Debug* where);
  static Meter& meter_of(lua_State* L);
  [[noreturn]] static void end_call(lua_State* L, Meter& meter);
  void describe_failure();
  void collect_some(std::uint64_t most_ticks);
  void set_gc_pause();

  Metering metering_;
  Meter meter_;
  std::int64_t time_ns_;  // CPU time of one call
  std::uint64_t ticks_ = 0;
  std::int64_t times_ = 1;     // factor of time_ns_ for the last call
  std::size_t allowance_ = 0;  // bytes that the last call might allocate
  int cycles_ = 0;             // collection cycles to finish, in steps after each call
  std::size_t collect_at_ = kRuleStateBytesMax / 2;  // bytes
  lua_State* lua_ = nullptr;
  std::string failure_;
};

}  // namespace laurel
