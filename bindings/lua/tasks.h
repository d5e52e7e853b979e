// tasks.h - script functions that may wait for the answers of remote boards.
//
//   task       one run of a function in a coroutine of this pool: from laurel.task, or a handler or
//              timer of a hosted script. It runs at once until it waits or ends. Its results are
//              discarded.
//   waits      in a call that sends a request (a PendingCall). The call ends in yield_task(), which
//              yields the coroutine; then the request is sent. The answer arrives during the tick
//              of a registry, which calls resume() to resume the task.
//   where      only on the task's own coroutine: on any other a waiting call raises an error that
//              says so. Lua 5.1 cannot yield across pcall, metamethods or iterators; Lua's own
//              error is raised. LuaJIT and later Luas have no such limit. Callbacks of watches and
//              clients are not tasks, but they may start tasks.
//   pool       the coroutine of a task that ended without an error is reused; at most kTasksPooled
//              are kept.
//   dropped    a waiting task is dropped silently when its boards are closed, dropped or collected,
//              or when its script ends: its request is cancelled and its coroutine is collected.
//              The boards hold the coroutines that wait for them, so that both are collected
//              together when nothing else refers to them.
//   errors     end the task only, and are logged with its traceback. If there is a host, it gets
//              them as it gets the errors of handlers. If not, they go to the log of the boards for
//              which the task last waited; if it never waited, to the log of the boards opened
//              last, or to standard error if none are open.
//   limits     at most kTasksMax tasks wait at a time: more are refused as unavailable. At most
//              kTasksWithin run nested.
//   threads    the thread of the Lua state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "base/limits.h"
#include "base/log.h"
#include "bindings/lua/args.h"
#include "bindings/lua/callback_owner.h"
#include "bindings/lua/pending_call.h"

namespace laurel {

// The slot of an environment table for the coroutines of tasks that wait, by task. Slots 2 to 4 are
// the handle's.
inline constexpr int kWaitingTasksSlot = 5;

// The open boards of a handle, as far as tasks need them: they log the errors of tasks.
class TaskBoards {
 public:
  virtual bool is_open() const = 0;
  // REQUIRES: is_open().
  virtual const Log& log() const = 0;
  // Whether lines are buffered for a script's log function, and passes them to it. The latter
  // clears the stack and uses it from the bottom.
  virtual bool has_lines() const = 0;
  virtual void deliver(lua_State* L) = 0;

 protected:
  ~TaskBoards() = default;
};

// Called when a task has ended, with the text of its error; null: it returned. Destroyed without a
// call if the task is dropped.
using TaskEnd = std::function<void(const std::string* error)>;

class Tasks : public std::enable_shared_from_this<Tasks> {
 public:
  // Returns the tasks of a Lua state; null before the module is opened and while the state closes.
  static std::shared_ptr<Tasks> of(lua_State* L);

  // ---- running; `version` is the version of a hosted script, or 0 for none

  // True if there is an idle coroutine. If not, call make(), which may raise.
  bool has_idle() const { return !idle_.empty(); }
  void make(lua_State* L);
  // True if one more task may run inside those that are running.
  bool has_room() const { return running_count_ < kTasksWithin; }
  // The coroutine of the next task: push the function on it, then the arguments. It has room for
  // kEventValuesMax arguments. REQUIRES: has_idle().
  lua_State* next() const { return slots_[idle_.back()]; }
  // Runs the next task. Returns the id for waits(), or 0 if the task has ended. Does not raise.
  // `title` names the task in messages: "timer". REQUIRES: has_room(); the function is pushed.
  TaskId run(lua_State* L, int arguments, const std::string& title, std::uint64_t version,
             TaskEnd on_end = {});
  // The version of the running task, or 0.
  std::uint64_t version() const { return running_ != nullptr ? running_->version : 0; }

  // Sets the host that runs the scripts, if there is one.
  void set_host(CallbackHost* host) { host_ = host; }

  // ---- waiting for an answer

  // Raises unless the call is made on a task's own coroutine. `what` names the object of the call.
  void check_task(const Call& call, std::string_view what) const;
  // Whether check_task() would not raise.
  bool in_task(const lua_State* L) const { return running_ != nullptr && running_->co == L; }
  // Refuses as unavailable if kTasksMax tasks wait.
  Status check_waiting() const;
  // Sets what the running task will wait for. REQUIRES: check_task and check_waiting passed.
  void prepare(std::unique_ptr<PendingCall> pending) { running_->pending = std::move(pending); }
  // Yields the coroutine. The last step of a waiting call: return yield_task(call). Expects an
  // object with the environment table of the boards at index 1.
  int yield_task(const Call& call);

  bool waits(TaskId task) const { return waiting_.contains(task); }
  std::size_t waiting() const { return waiting_.size(); }
  // Call when the answer has arrived: pushes it and resumes the task. Does nothing if the task no
  // longer waits.
  void resume(TaskId task);
  // Call when there will be no answer: drops the task.
  void abandon(TaskId task);
  // Drops the waiting tasks of a version of a hosted script, or those that wait for boards.
  void drop_version(std::uint64_t version);
  void drop_at(const CallbackOwner& boards);

  // ---- the open boards of the state, for their logs

  void add_boards(TaskBoards& boards) { open_boards_.push_back(&boards); }
  void remove_boards(const TaskBoards& boards) { std::erase(open_boards_, &boards); }
  // Passes buffered lines to the log function of a script. Clears the stack and uses it from the
  // bottom.
  void deliver(lua_State* L);

  // Call when the Lua state closes.
  void end();
  // Releases the coroutines of dropped tasks. Allocates nothing, so it may run outside of a
  // protected call.
  void sweep(lua_State* L);

 private:
  struct Task {
    lua_State* co = nullptr;
    std::size_t slot = kNoSlot;  // in slots_
    TaskId id = 0;               // 0: it has never waited
    std::uint64_t version = 0;
    const std::string* title = nullptr;
    std::string own_title;  // a copy of `title`, once the task has waited
    std::unique_ptr<PendingCall> pending;
    std::shared_ptr<CallbackOwner> held_by;  // the boards that hold the coroutine
    std::unique_ptr<Log> log;                // log of the boards for which it last waited
    Task* outer = nullptr;                   // the task that it runs inside
    int results = 0;                         // values that it returned or yielded last
    TaskEnd on_end;                          // may be empty
  };
  struct Resumption;
  static constexpr std::size_t kNoSlot = SIZE_MAX;

  static int resume_protected(lua_State* L);
  int resume(lua_State* L, Task& task, int arguments);
  // Handles a coroutine that returned, yielded or failed. Returns the task's id if it waits.
  TaskId handle_status(lua_State* L, Task& task, int status);
  TaskId keep_waiting(Task& task);
  void release(lua_State* L, Task& task);
  void fail(lua_State* L, Task& task);
  Log log_of(const Task& task) const;
  void let_go(Task& task);
  template <typename Which>
  void drop_if(Which which);

  std::vector<lua_State*> slots_;   // coroutines of the pool; the anchor table holds them by index
  std::vector<std::size_t> idle_;   // slots whose coroutine runs nothing
  std::vector<std::size_t> empty_;  // slots without a coroutine
  std::unordered_map<TaskId, std::unique_ptr<Task>> waiting_;
  // Coroutines that boards still hold and that sweep() releases.
  std::vector<std::pair<std::shared_ptr<CallbackOwner>, TaskId>> let_go_;
  std::vector<TaskBoards*> open_boards_;  // in the order of opening
  CallbackHost* host_ = nullptr;
  Task* running_ = nullptr;
  unsigned running_count_ = 0;
  TaskId last_id_ = 0;
  bool ended_ = false;

  friend class NoCurrentTaskScope;
};

// Clears the running task during its lifetime, since callbacks are not tasks.
class NoCurrentTaskScope {
 public:
  explicit NoCurrentTaskScope(Tasks* tasks)
      : tasks_(tasks),
        before_(tasks != nullptr ? std::exchange(tasks->running_, nullptr) : nullptr) {}
  ~NoCurrentTaskScope() {
    if (tasks_ != nullptr) tasks_->running_ = before_;
  }
  NoCurrentTaskScope(const NoCurrentTaskScope&) = delete;
  NoCurrentTaskScope& operator=(const NoCurrentTaskScope&) = delete;

 private:
  Tasks* tasks_;
  Tasks::Task* before_;
};

// Makes the tasks of a Lua state; pushes the userdata that holds them.
void push_tasks(lua_State* L);

// LuaJIT loses the line of a coroutine's top frame when an error ends the coroutine. Restores it
// from the message.
void restore_line(std::string_view message, std::string& traceback);

// laurel.task(fn, ...). The new task belongs to `version` of a hosted script; if that is 0, to the
// version of the running task.
int start_task(lua_State* L, std::uint64_t version);

}  // namespace laurel
