// rule_state.h - a Lua state for code that is not trusted to end: budgeted, and with few words.
//
//   language    Lua 5.1 as text, never bytecode. `type next pairs ipairs select tonumber tostring
//               error assert unpack rawequal math`, without math.random, math.randomseed; nothing
//               that catches an error, makes a coroutine, reaches a file or outlives a budget.
//   budget      of one call: kRuleInstructionsMax instructions and kRuleCallBytesMax allocated
//               bytes, freed ones included; of the state: kRuleStateBytesMax bytes. Instructions
//               are counted, not timed: the same call ends at the same instruction every time.
//   no engine   LuaJIT runs it in its interpreter only: code that it compiled cannot be
//   interrupted. promise     a guard against mistakes and abuse, not a jail for hostile authors.
//   threads     none.
//   source      the measurements that led here: LuaJIT's compiled loops ignore hooks; a hook that
//               re-arms with count 1 once it has fired also ends loops that catch errors.
//
// The state's stack belongs to its user, who leaves it balanced. Outside of call() nothing is
// budgeted and values may be pushed as everywhere; memory then runs out when the process's does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

struct lua_State;
struct lua_Debug;

namespace laurel {

// How memory is counted. A LuaJIT for x64 without GC64 brings its own allocator and takes no other;
// there the hook asks the collector every few instructions, and a call may overshoot.
enum class Metering : std::uint8_t { by_allocator, by_collector };

class RuleState {
 public:
  // By the collector where by the allocator is not to be had.
  explicit RuleState(Metering wanted = Metering::by_allocator);
  ~RuleState();
  RuleState(const RuleState&) = delete;
  RuleState& operator=(const RuleState&) = delete;

  lua_State* lua() const { return lua_; }

  // Pushes a new environment with the words above. Of its own, `math` included: what one chunk
  // writes there no other sees. May raise.
  static void push_environment(lua_State* L);

  // How much one call may allocate: loading a file takes more than judging with it.
  enum class Allowance : std::uint8_t { one_call, whole_state };

  // Calls the function that lies below its `arguments` on the stack, within the budget. True: both
  // are replaced by exactly `results` values. False: both are gone and failure() says why.
  bool call(int arguments, int results, Allowance allowance = Allowance::one_call);
  // Of the last call that failed: one line with file and line where Lua knew them, control bytes
  // escaped. Valid until the next.
  const std::string& failure() const { return failure_; }

  Metering metering() const { return metering_; }
  std::size_t bytes() const;  // that the state takes

 private:
  enum class Spent : std::uint8_t { nothing, instructions, call_bytes, state_bytes };

  // Registered with the state, at an address that stays.
  struct Meter {
    bool running = false;           // only then is anything refused
    std::size_t held = 0;           // bytes that the state takes; by the allocator only
    std::size_t start = 0;          // held when the call began; by the collector only
    std::size_t allowed = 0;        // bytes that the call may still allocate
    std::int64_t instructions = 0;  // that the call may still run
    int stride = 0;                 // instructions between two looks of the hook
    Spent spent = Spent::nothing;
  };

  static void* allocate(void* meter, void* block, std::size_t old_size, std::size_t new_size);
  static void on_count(lua_State* L, lua_Debug* where);
  static Meter& meter_of(lua_State* L);
  void describe_failure();

  Metering metering_;
  Meter meter_;
  std::size_t allowance_ = 0;  // bytes, of the last call
  lua_State* lua_ = nullptr;
  std::string failure_;
};

}  // namespace laurel
