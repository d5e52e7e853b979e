// script_budget.h - the instruction budget of one call of hosted scripts, if the host sets one.
//
//   call       from begin to end: everything that runs within the host's outermost call into Lua,
//              including coroutines and nested events. The next call has the full budget again.
//   interrupt  an error when the budget is used up, and at each instruction after that until the
//              call has ended: code that catches the error is interrupted again.
//   no engine  LuaJIT only interprets scripts, since compiled code cannot be interrupted.
//   words      Scripts cannot call what turns the compiler on or removes the budget: debug.sethook,
//              and jit.* except the constants about version and machine. pcall, xpcall, load,
//              coroutine.resume and coroutine.wrap work as before, with three exceptions: they
//              cannot stop an interruption, they do not catch errors if the stack is almost full,
//              and at most kCoroutinesMax coroutines may be resumed inside each other.
//   not        interrupted: C functions, such as patterns, sorting without a function, or
//              string.rep; and finalizers, during which Lua calls no hook. Memory is not limited. A
//              guard against mistakes, not a jail: a script that loads ffi can do anything.
//   cost       without a budget: none, scripts are compiled. With one: 0.15 us per call, and pure
//              Lua code takes two to eight times as long.
//   threads    none.
//   source     the hook is that of sandbox.h. Experiments showed that LuaJIT calls no hook if
//              the stack has less room than a hook may use, nor after lua_load has caught an error
//              that a hook raised.
#pragma once

#include <cstdint>

struct lua_State;
struct lua_Debug;

namespace laurel {

class ScriptBudget {
 public:
  // 0: no budget; then no method has an effect.
  explicit ScriptBudget(std::uint64_t instructions) : instructions_(instructions) {}

  // Prepares a state whose libraries are open, before a script runs in it. The state holds the
  // address of the budget, which must not change. May raise.
  void install(lua_State* L);

  void begin();
  // Also counts what runs on that stack, if each coroutine has its own hook. Call it between
  // begin() and end().
  void cover(lua_State* L);
  void end();

  std::uint64_t interrupted() const { return interrupted_; }

 private:
  static ScriptBudget& budget_of(lua_State* L);
  static void on_count(lua_State* L, lua_Debug* where);
  static int is_spent(lua_State* L);
  static int enter(lua_State* L);
  static int leave(lua_State* L);
  int next_check() const;

  std::uint64_t instructions_;
  std::int64_t left_ = 0;
  bool has_engine_ = false;
  int stride_ = 0;   // instructions between two checks of the hook
  int resumed_ = 0;  // depth of coroutines resumed inside each other
  lua_State* main_ = nullptr;
  std::uint64_t interrupted_ = 0;  // calls
};

}  // namespace laurel
