// tasks.h - functions of scripts that may wait: for the answers of boards that live elsewhere.
//
//   task       one run of a function in a coroutine of ours, from laurel.task, or of a hosted
//              script's handler or timer. It runs at once, until it waits or ends; what it returns
//              goes nowhere.
//   waits      in a call that asks (a Wait). The call ends in stand_still(); once the task stands,
//              the question is asked; who has the answer says so with go_on(), inside some
//              registry's tick, and the task goes on there.
//   where      only on the task's own coroutine: a waiting call anywhere else raises and says where
//              it belongs. Nor across pcall, metamethods and iterators of plain Lua 5.1, which
//              raises what Lua says about that; LuaJIT has no such limit. Callbacks of watches and
//              clients are no tasks, and may start some.
//   pool       a coroutine whose task ended well is used again; up to kTasksPooled are kept.
//   dropped    a task that waits is let go without a word when whom it asked is closed, dropped or
//              collected, or its script ended: its coroutine is collected, its question cancelled.
//              A waiting coroutine is held by the boards that it waits at, so that both are
//              collected together when nobody else knows them.
//   errors     end the task only, and are logged with its traceback: in hosted scripts as those of
//              handlers; elsewhere to the log of the boards where it last waited, before that of
//              those opened last, or standard error where none are open.
//   limits     kTasksMax wait at a time: more are refused as unavailable; kTasksWithin run within
//              each other.
//   threads    the Lua state's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "base/limits.h"
#include "base/log.h"
#include "bindings/lua_args.h"
#include "bindings/lua_callback.h"
#include "bindings/wait.h"

namespace laurel {

struct BoardsBox;

class Tasks : public std::enable_shared_from_this<Tasks> {
 public:
  // Those of a Lua state; null while it closes.
  static std::shared_ptr<Tasks> of(lua_State* L);

  // ---- running; `version` is of a hosted script, 0: nobody's

  // Whether there is an idle coroutine; else make() makes one, which may raise.
  bool has_idle() const { return !idle_.empty(); }
  void make(lua_State* L);
  // Whether one more may run within those that do.
  bool has_room() const { return running_count_ < kTasksWithin; }
  // Where the next task's function is to be pushed, and its arguments after it: there is room for
  // kEventValuesMax of them. REQUIRES: has_idle().
  lua_State* next() const { return slots_[idle_.back()]; }
  // Runs it, and gives the number by which waits() knows the task; 0 where it ended. Raises
  // nothing. `title` says what it is: "timer". REQUIRES: has_room(); the function is pushed.
  TaskId run(lua_State* L, int arguments, const std::string& title, std::uint64_t version);
  // Of the task that runs.
  std::uint64_t version() const { return running_ != nullptr ? running_->version : 0; }

  // Where a host runs the scripts.
  void set_host(CallbackHost* host) { host_ = host; }

  // ---- waiting

  // Raises unless the call is made on a task's own coroutine; `what` is the object that it is of.
  void check_task(const Call& call, std::string_view what) const;
  // Whether one more may wait.
  Status check_waiting() const;
  // Takes what the running task is about to wait for. REQUIRES: check_task and check_waiting
  // passed.
  void prepare(std::unique_ptr<Wait> wait) { running_->wait = std::move(wait); }
  // The last step of a waiting call: return stand_still(call). Expects what has the boards'
  // environment table at index 1.
  int stand_still(const Call& call);

  bool waits(TaskId task) const { return waiting_.contains(task); }
  std::size_t waiting() const { return waiting_.size(); }
  // The answer is there: pushes it and lets the task run on. Harmless when it waits no more.
  void go_on(TaskId task);
  // Nobody will answer.
  void lose(TaskId task);
  // Drops those that wait, of a version of a hosted script, or at boards.
  void drop_version(std::uint64_t version);
  void drop_at(const CallbackOwner& boards);

  // ---- boards that are open in the state, for their logs

  void add_boards(BoardsBox& box) { boxes_.push_back(&box); }
  void remove_boards(const BoardsBox& box);
  // Hands lines that wait for a script's log function to it. Uses the stack from its bottom on.
  void deliver(lua_State* L);

  // The Lua state closes.
  void end();
  // Lets go of coroutines that were dropped. May run below no protection: it allocates nothing.
  void sweep(lua_State* L);

 private:
  struct Task {
    lua_State* co = nullptr;
    std::size_t slot = kNoSlot;  // of those in use
    TaskId id = 0;               // 0: it has never waited
    std::uint64_t version = 0;
    const std::string* title = nullptr;
    std::string own_title;  // of one that has waited
    std::unique_ptr<Wait> wait;
    std::shared_ptr<CallbackOwner> held_by;  // the boards that hold the coroutine
    std::unique_ptr<Log> log;                // where it waited last
    Task* outer = nullptr;                   // that it runs within
  };
  struct Going;
  static constexpr std::size_t kNoSlot = SIZE_MAX;

  static int go_on_protected(lua_State* L);
  int resume(Task& task, int arguments);
  // What becomes of a task that a resumption left.
  TaskId settle(lua_State* L, Task& task, int status);
  TaskId keep_waiting(Task& task);
  void release(lua_State* L, Task& task);
  void fail(lua_State* L, Task& task);
  Log log_of(const Task& task) const;
  void let_go(Task& task);
  template <typename Which>
  void drop_if(Which which);

  std::vector<lua_State*> slots_;   // coroutines of the pool, which the anchor holds by number
  std::vector<std::size_t> idle_;   // those of them that run nothing
  std::vector<std::size_t> empty_;  // those that have no coroutine any more
  std::unordered_map<TaskId, std::unique_ptr<Task>> waiting_;
  // Coroutines that boards still hold, and nobody needs.
  std::vector<std::pair<std::shared_ptr<CallbackOwner>, TaskId>> let_go_;
  std::vector<BoardsBox*> boxes_;  // the last opened last
  CallbackHost* host_ = nullptr;
  Task* running_ = nullptr;
  unsigned running_count_ = 0;
  TaskId last_id_ = 0;
  bool ended_ = false;

  friend class OutsideTasks;
};

// While it lives, what runs is no task: callbacks are not.
class OutsideTasks {
 public:
  explicit OutsideTasks(Tasks* tasks)
      : tasks_(tasks),
        before_(tasks != nullptr ? std::exchange(tasks->running_, nullptr) : nullptr) {}
  ~OutsideTasks() {
    if (tasks_ != nullptr) tasks_->running_ = before_;
  }
  OutsideTasks(const OutsideTasks&) = delete;
  OutsideTasks& operator=(const OutsideTasks&) = delete;

 private:
  Tasks* tasks_;
  Tasks::Task* before_;
};

// Makes the tasks of a Lua state; leaves what holds them on the stack.
void push_tasks(lua_State* L);

// LuaJIT forgets the line of a coroutine's uppermost frame when an error ends it: puts it back from
// where the message has it.
void restore_line(std::string_view message, std::string& traceback);

// laurel.task(fn, ...), of a version of a hosted script, or of the task that runs.
int start_task(lua_State* L, std::uint64_t version);

}  // namespace laurel
