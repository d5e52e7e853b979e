// wait.h - what a task waits for.
#pragma once

#include <cstdint>
#include <memory>

#include <lua.hpp>

#include "base/log.h"

namespace laurel {

struct CallbackOwner;
class Tasks;

using TaskId = std::uint64_t;  // never used again

// An answer has at most so many values: a coroutine that stands still has room for them.
inline constexpr int kAnswerValuesMax = 4;

// One question. The destructor ends it where it was not answered.
class Wait {
 public:
  virtual ~Wait() = default;
  // The task stands still: asks. Whoever is answered says Tasks::go_on(task), never in here, or
  // Tasks::lose(task).
  virtual void begin(const std::shared_ptr<Tasks>& tasks, TaskId task) = 0;
  // Pushes the answer; how many values. May raise.
  virtual int push(lua_State* L) = 0;
  // The boards at which the task waits, and their log.
  virtual const std::shared_ptr<CallbackOwner>& owner() const = 0;
  virtual const Log& log() const = 0;
};

}  // namespace laurel
