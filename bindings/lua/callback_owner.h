// callback_owner.h - a userdata whose functions C++ calls, and the host that is told of it.
//
//   owner      the userdata whose environment table anchors the functions and what they need. It is
//              found by its address in a weak table, so that a callback does not keep it alive.
//   host       runs the scripts of a Lua state, if there is one.
//   threads    those of the Lua state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

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
// The host of a Lua state, or null.
CallbackHost* callback_host(lua_State* L);

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

// The table of an owner's functions, which its environment table holds.
inline constexpr int kCallbacksSlot = 1;

// Expects the owner's userdata on top of the stack and its new environment table below it. Sets the
// environment and registers the owner's address.
void adopt_environment(lua_State* L);

// Pushes the owner's environment table, or nil if the owner is gone. Allocates nothing.
void push_environment(lua_State* L, const CallbackOwner& owner);

}  // namespace laurel
