// script_budget.h - how many instructions one call of hosted scripts may run, where the host says
// so.
//
//   call       from begin to end: everything that runs within the host's outermost call into Lua,
//              coroutines and nested events included. The next one has all of it again.
//   interrupt  an error at the instruction that is one too many, and at every one after it until
//              the call has ended: who catches it gets no further.
//   no engine  LuaJIT runs scripts in its interpreter only: compiled code cannot be interrupted.
//   words      What would turn the engine on or take the budget away is out of scripts' reach:
//              jit.*, but for what it says of version and machine, and debug.sethook. pcall,
//              xpcall, load, coroutine.resume and coroutine.wrap are what they were, but that they
//              keep no interruption, that nothing catches errors where a recursion has used up its
//              stack, and that at most a hundred coroutines resume each other.
//   not        interrupted: what runs in C, as patterns, sorting without a function, or string.rep;
//              and finalizers, during which Lua calls no hook. Memory is not limited. A guard
//              against mistakes, not a jail: whoever loads ffi can do as he likes.
//   cost       without instructions: none, scripts are compiled. With them: 0.15 us a call, and two
//              to eight times as much for what is pure Lua.
//   threads    none.
//   source     the hook as in rule_state.h. That LuaJIT calls none where less of the stack is left
//              than a hook may use, nor after lua_load has caught what one raised, was found by
//              trial.
#pragma once

#include <cstdint>

struct lua_State;
struct lua_Debug;

namespace laurel {

class ScriptBudget {
 public:
  // 0: none, and nothing here does anything.
  explicit ScriptBudget(std::uint64_t instructions) : instructions_(instructions) {}

  // Prepares a state whose libraries are open, before any script runs there. The budget stays where
  // it is while the state lives. May raise.
  void install(lua_State* L);

  void begin();
  // Counts what runs on that stack too, where each coroutine counts by itself. Between begin() and
  // end().
  void cover(lua_State* L);
  void end();

  std::uint64_t interrupted() const { return interrupted_; }

 private:
  static ScriptBudget& budget_of(lua_State* L);
  static void on_count(lua_State* L, lua_Debug* where);
  static int is_spent(lua_State* L);
  static int enter(lua_State* L);
  static int leave(lua_State* L);
  int next_look() const;

  std::uint64_t instructions_;
  std::int64_t left_ = 0;
  bool has_engine_ = false;
  int stride_ = 0;   // instructions between two looks of the hook
  int resumed_ = 0;  // coroutines within each other
  lua_State* main_ = nullptr;
  std::uint64_t interrupted_ = 0;  // calls
};

}  // namespace laurel
