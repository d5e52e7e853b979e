// callback.h - calling functions of scripts from C++: watches, and a client's subscriptions.
//
//   owner      the userdata whose environment table anchors the function and what it needs. A
//              callback finds its owner by address in a weak table, so it does not keep the owner
//              alive.
//   key        names one function of an owner; keys are never reused.
//   protected  an error in a function is logged with its traceback and is not propagated. No Lua
//              error crosses a C++ frame.
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

// The host that runs the scripts of a Lua state, if there is one. It is told what runs in the
// state, and receives the errors. Its methods do not raise.
class CallbackHost {
 public:
  // The innermost running stack: callbacks run on it.
  virtual lua_State* stack() = 0;
  // Call when something begins to run on that stack. Returns the argument for leave().
  virtual lua_State* enter(lua_State* L) = 0;
  virtual void leave(lua_State* before) = 0;
  // A callback failed. `error` may include the traceback.
  virtual void failed(std::string_view title, std::string_view error) = 0;
  // A task (tasks.h) failed. The error is on top of its coroutine's stack, which has not been
  // unwound.
  virtual void task_failed(lua_State* co, const std::string& title) = 0;

 protected:
  ~CallbackHost() = default;
};

// Sets the host of a Lua state. May raise.
void set_callback_host(lua_State* L, CallbackHost* host);

// What an owner and its callbacks share. It outlives the owner as long as a callback exists;
// `userdata` is null then.
struct CallbackOwner {
  lua_State* main = nullptr;       // runs callbacks when no script's call of tick is running
  lua_State* running = nullptr;    // the coroutine whose call of tick is running, or null
  const void* userdata = nullptr;  // null once the owner is gone
  CallbackHost* host = nullptr;    // the host of the Lua state, or null
  std::shared_ptr<Tasks> tasks;    // the tasks of the Lua state, or null
  CallbackKey last_key = 0;
  std::vector<CallbackKey> ended;  // keys of functions that will not be called again
};

// The stack on which callbacks of that owner may run now.
lua_State* stack_of(const CallbackOwner& owner);

// Makes the shared part of a new owner, with the host and the tasks of the state. May raise.
std::shared_ptr<CallbackOwner> make_callback_owner(lua_State* L, lua_State* main,
                                                   const void* userdata);

// Tells the host, if there is one, that something runs on a stack during the lifetime of the
// object.
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

// Sets the coroutine on which callbacks run, for its lifetime. Nothing in its scope may raise.
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

// Held by the code that calls back. The function is released when the last copy is destroyed.
class Callback {
 public:
  Callback(std::shared_ptr<CallbackOwner> owner, CallbackKey key);

  // Pushes a call's arguments and returns how many there are. May raise.
  using PushArguments = int (*)(lua_State* L, const void* what);

  // Reads the two results of a call, on top of the stack. Does not raise.
  using ReadResults = void (*)(lua_State* L, void* into);

  // Calls the function with what `arguments` pushes. An error is logged as `title`: ...
  void call(PushArguments arguments, const void* what, const std::string& title,
            const Log& log) const;
  // As call, but without arguments, and `results` reads the results. Returns false after an error
  // and if the function no longer exists.
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

// Expects the owner's userdata on top of the stack and its new environment table below it. Sets the
// environment and registers the owner's address.
void adopt_environment(lua_State* L);

// Pushes the owner's environment table, or nil if the owner is gone. Allocates nothing.
void push_environment(lua_State* L, const CallbackOwner& owner);

// Stores the function at an index for the owner at `owner_index`, under a new key.
CallbackKey keep_callback(lua_State* L, int owner_index, CallbackOwner& owner, int function_index);
void drop_callback(lua_State* L, int owner_index, CallbackKey key);
// Releases the functions of `ended` keys. Allocates nothing.
void sweep_callbacks(lua_State* L, int owner_index, CallbackOwner& owner);
// Releases all functions.
void clear_callbacks(lua_State* L, int owner_index);

// The text of an error value, with control bytes escaped except line ends.
std::string error_text(lua_State* L, int index);

}  // namespace laurel
