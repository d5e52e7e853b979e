// pending_call.h - what a task waits for.
#pragma once

#include <cstdint>
#include <memory>

#include <lua.hpp>

#include "base/log.h"

namespace laurel {

struct CallbackOwner;
class Tasks;

using TaskId = std::uint64_t;  // never reused

// An answer has at most this many values: a suspended coroutine has room for them.
inline constexpr int kAnswerValuesMax = 4;

// One request. The destructor cancels it if it was not answered.
class PendingCall {
 public:
  virtual ~PendingCall() = default;
  // Sends the request; the task is suspended. The answer calls Tasks::resume(task), never inside
  // begin(); if there will be no answer, Tasks::abandon(task) is called.
  virtual void begin(const std::shared_ptr<Tasks>& tasks, TaskId task) = 0;
  // Pushes the answer and returns the number of values. May raise.
  virtual int push(lua_State* L) = 0;
  // The boards for which the task waits, and their log.
  virtual const std::shared_ptr<CallbackOwner>& owner() const = 0;
  virtual const Log& log() const = 0;
};

}  // namespace laurel
