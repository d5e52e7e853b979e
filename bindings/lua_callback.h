// lua_callback.h - calling functions of scripts from C++: watches, and a client's subscriptions.
//
//   owner      the userdata whose environment table anchors the function and what it needs. The
//              owner is found by its address through a weak table, so a callback keeps nobody
//              alive.
//   key        names one function of an owner; keys are never used again.
//   protected  an error in a function is logged with its traceback and goes no further. Nothing of
//              Lua crosses a frame of C++.
//   threads    the caller's: callbacks run inside the owner's tick only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

#include "base/log.h"

namespace laurel {

class Tasks;

using CallbackKey = std::int64_t;

// Who runs a Lua state's scripts for a host, where somebody does: all that runs there is known to
// him, and errors are told to him. Nothing here raises.
class CallbackHost {
 public:
  // The stack that is on top: the one on which a callback may run.
  virtual lua_State* stack() = 0;
  // Something begins to run on that stack; returns what leave() wants.
  virtual lua_State* enter(lua_State* L) = 0;
  virtual void leave(lua_State* before) = 0;
  // A callback ended by an error, which may have its traceback with it.
  virtual void failed(std::string_view title, std::string_view error) = 0;
  // Likewise a task (tasks.h): the error is on top of its coroutine's stack, whose frames still
  // stand.
  virtual void task_failed(lua_State* co, const std::string& title) = 0;

 protected:
  ~CallbackHost() = default;
};

// Names the host of a Lua state. May raise.
void set_callback_host(lua_State* L, CallbackHost* host);

// What an owner and its callbacks share. It outlives the owner where somebody is still holding a
// callback, and then says so.
struct CallbackOwner {
  lua_State* main = nullptr;       // runs callbacks that a host's own tick brings
  lua_State* running = nullptr;    // the coroutine inside whose call of tick we are, if any
  const void* userdata = nullptr;  // null once the owner is gone
  CallbackHost* host = nullptr;    // of the Lua state; null: none
  std::shared_ptr<Tasks> tasks;    // likewise; a callback is none of them
  CallbackKey last_key = 0;
  std::vector<CallbackKey> ended;  // whose functions nobody calls any more
};

// The stack on which something of that owner may run now.
lua_State* stack_of(const CallbackOwner& owner);

// What an owner needs to have callbacks; for its host the state is asked. May raise.
std::shared_ptr<CallbackOwner> make_callback_owner(lua_State* L, lua_State* main,
                                                   const void* userdata);

// Says that something runs on a stack while it lives, where there is a host to be told.
class Hosted {
 public:
  Hosted(CallbackHost* host, lua_State* L)
      : host_(host), before_(host != nullptr ? host->enter(L) : nullptr) {}
  ~Hosted() {
    if (host_ != nullptr) host_->leave(before_);
  }
  Hosted(const Hosted&) = delete;
  Hosted& operator=(const Hosted&) = delete;

 private:
  CallbackHost* host_;
  lua_State* before_;
};

// Names the coroutine that callbacks run on while it lives. Nothing in its scope may raise.
class Running {
 public:
  Running(CallbackOwner& owner, lua_State* L)
      : owner_(owner), before_(owner.running), hosted_(owner.host, L) {
    owner_.running = L;
  }
  ~Running() { owner_.running = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  CallbackOwner& owner_;
  lua_State* before_;
  Hosted hosted_;
};

// Held by whoever may call back; when the last copy goes, so does the function.
class Callback {
 public:
  Callback(std::shared_ptr<CallbackOwner> owner, CallbackKey key);

  // Pushes a call's arguments and returns how many there are. May raise.
  using PushArguments = int (*)(lua_State* L, const void* what);

  // Reads a call's two results, which stand on top of the stack. Raises nothing.
  using ReadResults = void (*)(lua_State* L, void* into);

  // Calls the function with what `arguments` pushes. An error is logged as `title`: ...
  void call(PushArguments arguments, const void* what, const std::string& title,
            const Log& log) const;
  // Likewise without arguments, and has its results read. False after an error, and when there is
  // no function any more.
  bool ask(ReadResults results, void* into, const std::string& title, const Log& log) const;

 private:
  struct Ended;
  struct Invocation;
  static int invoke(lua_State* L);
  void run(Invocation& invocation) const;

  std::shared_ptr<Ended> state_;
};

// The table of an owner's functions, which its environment table holds.
inline constexpr int kCallbacksSlot = 1;

// Expects the owner's userdata on top of the stack and its new environment table below it; ties
// them to each other and notes the owner's address.
void adopt_environment(lua_State* L);

// Pushes the owner's environment table, or nil where the owner is gone. Allocates nothing.
void push_environment(lua_State* L, const CallbackOwner& owner);

// Keeps the function at an index for an owner at `owner_index` under a new key.
CallbackKey keep_callback(lua_State* L, int owner_index, CallbackOwner& owner, int function_index);
void drop_callback(lua_State* L, int owner_index, CallbackKey key);
// Lets the functions go that nobody will call any more. Allocates nothing.
void sweep_callbacks(lua_State* L, int owner_index, CallbackOwner& owner);
// Lets all of them go.
void clear_callbacks(lua_State* L, int owner_index);

// What an error value says, control bytes escaped but for line ends.
std::string error_text(lua_State* L, int index);

}  // namespace laurel
