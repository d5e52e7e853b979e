// callback.h - calling functions of scripts from C++: watches, and a client's subscriptions.
//
//   owner      the userdata that has the function (callback_owner.h). A callback does not keep it
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
#include "bindings/lua/callback_owner.h"
#include "bindings/lua/tasks.h"

namespace laurel {

// Makes the shared part of a new owner, with the host and the tasks of the state. May raise.
std::shared_ptr<CallbackOwner> make_callback_owner(lua_State* L, lua_State* main,
                                                   const void* userdata);

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
  // How a call ended. absent: the function no longer exists.
  enum class End : std::uint8_t { returned, failed, absent };
  // As call; an error is logged, and `error` is its text without the traceback.
  End attempt(PushArguments arguments, const void* what, const std::string& title, const Log& log,
              std::string& error) const;
  // Runs the function as a task (tasks.h), which may wait. False if the function does not exist, or
  // no task can run now, which is logged; then `on_end` was not called.
  bool start_task(PushArguments arguments, const void* what, const std::string& title,
                  const Log& log, TaskEnd on_end) const;
  // As call, but without arguments, and `results` reads the results. Returns false after an error
  // and if the function no longer exists.
  bool ask(ReadResults results, void* into, const std::string& title, const Log& log) const;

 private:
  struct Ended;
  struct Invocation;
  static int invoke(lua_State* L);
  static int invoke_task(lua_State* L);
  void run(Invocation& invocation) const;

  std::shared_ptr<Ended> state_;
};

// Stores the function at an index for the owner at `owner_index`, under a new key.
CallbackKey keep_callback(lua_State* L, int owner_index, CallbackOwner& owner, int function_index);
void drop_callback(lua_State* L, int owner_index, CallbackKey key);
// Releases the functions of `ended` keys. Allocates nothing.
void sweep_callbacks(lua_State* L, int owner_index, CallbackOwner& owner);
// Releases all functions.
void clear_callbacks(lua_State* L, int owner_index);

}  // namespace laurel
