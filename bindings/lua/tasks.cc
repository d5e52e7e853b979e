#include "bindings/lua/tasks.h"

#include <algorithm>
#include <new>

#include "bindings/lua/userdata.h"

namespace laurel {

namespace {

// The key, in a Lua state's registry, of the table that holds the pool's coroutines.
char anchor_key;

// The userdata by which a Lua state owns its tasks.
struct Holder {
  std::shared_ptr<Tasks> tasks;
};

void push_anchor(lua_State* L) {
  lua_pushlightuserdata(L, &anchor_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
}

// The finalizer of the holder, when the state closes. The memory stays valid until all finalizers
// have run.
int collect(lua_State* L) {
  auto& holder = *static_cast<Holder*>(lua_touserdata(L, 1));
  if (holder.tasks) holder.tasks->end();
  holder.tasks.reset();
  return 0;
}

// Allocates nothing.
void clear_slot(lua_State* L, std::size_t slot) {
  push_anchor(L);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, static_cast<int>(slot) + 1);
  lua_pop(L, 1);
}

// Pushes the table of the coroutines that boards hold, by task id, or nil if it does not exist.
// Allocates nothing.
void push_held(lua_State* L, const CallbackOwner& boards) {
  push_environment(L, boards);
  if (!lua_istable(L, -1)) return;
  lua_rawgeti(L, -1, kWaitingTasksSlot);
  lua_remove(L, -2);
}

void tell(const Log& log, const std::string& title, std::string error) {
  const std::string message = error.substr(0, error.find('\n'));
  restore_line(message, error);
  log.error("{}: {}", title, error);
}

}  // namespace

void restore_line(std::string_view message, std::string& traceback) {
  constexpr std::string_view kTitle = "stack traceback:\n";
  const std::size_t title = traceback.find(kTitle);
  if (title == std::string::npos) return;
  std::size_t frame = title + kTitle.size();
  for (const std::string_view indent : {"\t", "\\t"}) {  // the second in escaped text
    if (std::string_view(traceback).substr(frame).starts_with(indent)) frame += indent.size();
  }
  const std::size_t in = traceback.find(": in ", frame);
  if (in == std::string::npos) return;
  const std::string_view chunk = std::string_view(traceback).substr(frame, in - frame);
  if (!message.starts_with(chunk) || !message.substr(chunk.size()).starts_with(':')) return;
  const std::size_t end = message.find_first_not_of("0123456789", chunk.size() + 1);
  if (end == std::string_view::npos || end == chunk.size() + 1 || message[end] != ':') return;
  traceback.insert(in, message.substr(chunk.size(), end - chunk.size()));
}

void push_tasks(lua_State* L) {
  push_anchor(L);
  if (!lua_istable(L, -1)) {
    lua_pushlightuserdata(L, &anchor_key);
    lua_createtable(L, static_cast<int>(kTasksPooled), 0);
    for (std::size_t i = 1; i <= kTasksPooled; ++i) {  // reserves room: setting never allocates
      lua_pushboolean(L, 0);
      lua_rawseti(L, -2, static_cast<int>(i));
    }
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  lua_pop(L, 1);
  auto* const holder = new (lua_newuserdata(L, sizeof(Holder))) Holder;
  lua_newtable(L);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  holder->tasks = std::make_shared<Tasks>();
}

std::shared_ptr<Tasks> Tasks::of(lua_State* L) {
  push_module_table(L);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    return nullptr;
  }
  lua_rawgeti(L, -1, kTasksSlot);
  const auto* const holder = static_cast<const Holder*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  return holder != nullptr ? holder->tasks : nullptr;
}

// ---- running

void Tasks::make(lua_State* L) {
  const std::size_t slot = empty_.empty() ? slots_.size() : empty_.back();
  // At most kTasksWithin coroutines run, and those of waiting tasks have no slot.
  static_assert(kTasksPooled > kTasksWithin);
  idle_.reserve(kTasksPooled);
  empty_.reserve(kTasksPooled);
  slots_.reserve(kTasksPooled);
  push_anchor(L);
  lua_State* const co = lua_newthread(L);
  lua_rawseti(L, -2, static_cast<int>(slot) + 1);
  lua_pop(L, 1);
  if (slot == slots_.size()) {
    slots_.push_back(co);
  } else {
    empty_.pop_back();
    slots_[slot] = co;
  }
  idle_.push_back(slot);
}

int Tasks::resume(lua_State* L, Task& task, int arguments) {
  task.outer = std::exchange(running_, &task);
  ++running_count_;
  int status = 0;
  {
    const Hosted hosted(host_, task.co);
    status = laurel::resume(task.co, L, arguments, task.results);
  }
  --running_count_;
  running_ = task.outer;
  return status;
}

TaskId Tasks::run(lua_State* L, int arguments, const std::string& title, std::uint64_t version,
                  TaskEnd on_end) {
  Task task;
  task.slot = idle_.back();
  idle_.pop_back();
  task.co = slots_[task.slot];
  task.version = version;
  task.title = &title;
  task.on_end = std::move(on_end);
  return handle_status(L, task, resume(L, task, arguments));
}

TaskId Tasks::handle_status(lua_State* L, Task& task, int status) {
  if (ended_) return 0;
  if (status == 0) {
    release(L, task);
    return 0;
  }
  if (status == LUA_YIELD) {
    const bool ours = task.pending != nullptr && task.results == 1 &&
                      lua_touserdata(task.co, -1) == static_cast<void*>(this);
    lua_settop(task.co, 0);
    if (ours) return keep_waiting(task);
    lua_pushliteral(
        task.co,
        "coroutine.yield in a task: a task waits only in calls on remote boards, and in rehearse");
  }
  fail(L, task);
  return 0;
}

// The coroutine is suspended, and its stack has room to work on.
TaskId Tasks::keep_waiting(Task& task) {
  if (task.slot != kNoSlot) {  // the boards hold it now
    clear_slot(task.co, task.slot);
    empty_.push_back(std::exchange(task.slot, kNoSlot));
  }
  auto kept = std::make_unique<Task>(std::move(task));
  if (kept->title != nullptr && kept->own_title.empty()) kept->own_title = *kept->title;
  kept->title = &kept->own_title;
  kept->log = std::make_unique<Log>(kept->pending->log());
  PendingCall& pending = *kept->pending;
  const TaskId id = kept->id;
  waiting_.emplace(id, std::move(kept));
  pending.begin(shared_from_this(), id);
  return id;
}

// The task ended without an error: returns its coroutine to the pool if there is room.
void Tasks::release(lua_State* L, Task& task) {
  lua_settop(task.co, 0);
  if (task.slot == kNoSlot && (!empty_.empty() || slots_.size() < kTasksPooled)) {
    if (empty_.empty()) {
      empty_.push_back(slots_.size());
      slots_.push_back(nullptr);
    }
    task.slot = empty_.back();
    empty_.pop_back();
    slots_[task.slot] = task.co;
    push_anchor(L);
    lua_pushthread(task.co);
    lua_xmove(task.co, L, 1);
    lua_rawseti(L, -2, static_cast<int>(task.slot) + 1);
    lua_pop(L, 1);
  }
  if (task.slot != kNoSlot) idle_.push_back(task.slot);
  let_go(task);
  if (task.on_end) task.on_end(nullptr);
}

// The error is on top of the coroutine's stack, which has not been unwound.
void Tasks::fail(lua_State* L, Task& task) {
  const std::string error = task.on_end ? error_text(task.co, -1) : std::string();
  if (host_ != nullptr) {
    host_->task_failed(task.co, *task.title);
  } else {
    luaL_checkstack(L, 8, "laurel.task");
    push_module_table(L);
    lua_rawgeti(L, -1, kTracebackSlot);
    lua_xmove(task.co, L, 1);
    lua_pushthread(task.co);
    lua_xmove(task.co, L, 1);
    (void)lua_pcall(L, 2, 1, 0);  // the traceback, or the error of making it
    tell(log_of(task), *task.title, error_text(L, -1));
    lua_pop(L, 2);
  }
  {
    const Hosted hosted(host_, task.co);
    close_coroutine(task.co);
  }
  if (task.slot != kNoSlot) {
    clear_slot(L, task.slot);
    empty_.push_back(task.slot);
  }
  let_go(task);
  if (task.on_end) task.on_end(&error);
}

Log Tasks::log_of(const Task& task) const {
  if (task.log) return *task.log;
  const auto open = std::find_if(open_boards_.rbegin(), open_boards_.rend(),
                                 [](const TaskBoards* boards) { return boards->is_open(); });
  return open == open_boards_.rend() ? Log() : (*open)->log();
}

void Tasks::deliver(lua_State* L) {
  const auto told = std::find_if(open_boards_.rbegin(), open_boards_.rend(),
                                 [](const TaskBoards* boards) { return boards->has_lines(); });
  if (told != open_boards_.rend()) (*told)->deliver(L);
}

void Tasks::let_go(Task& task) {
  if (task.held_by) let_go_.emplace_back(std::move(task.held_by), task.id);
  task.held_by.reset();
}

void Tasks::sweep(lua_State* L) {
  while (!let_go_.empty()) {
    const auto [boards, task] = std::move(let_go_.back());
    let_go_.pop_back();
    if (boards->userdata == nullptr) continue;
    push_held(L, *boards);
    if (lua_istable(L, -1)) {
      push_number(L, static_cast<double>(task));
      lua_pushnil(L);
      lua_rawset(L, -3);  // setting nil does not allocate, even if the key is absent
    }
    lua_pop(L, 1);
  }
}

// ---- waiting

void Tasks::check_task(const Call& call, std::string_view what) const {
  if (running_ != nullptr && running_->co == call.L) return;
  const ShortText quoted = shown(what);
  if (running_ == nullptr) {
    luaL_error(call.L, "%s:%s waits for an answer: call it inside laurel.task", quoted.text,
               call.name);
  }
  luaL_error(call.L,
             "%s:%s waits for an answer: call it in the task itself, not in a coroutine within it",
             quoted.text, call.name);
}

Status Tasks::check_waiting() const {
  if (waiting_.size() < kTasksMax) return Done{};
  return Refusal(Code::unavailable, "{} tasks wait, the most allowed", kTasksMax);
}

int Tasks::yield_task(const Call& call) {
  lua_State* const L = call.L;
  Task& task = *running_;
  if (task.held_by != task.pending->owner()) {
    let_go(task);
    task.id = task.id != 0 ? task.id : ++last_id_;
    luaL_checkstack(L, 6, "laurel.task");
    push_environment_of(L, 1);
    lua_rawgeti(L, -1, kWaitingTasksSlot);
    if (!lua_istable(L, -1)) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, kWaitingTasksSlot);
    }
    push_number(L, static_cast<double>(task.id));
    lua_pushthread(L);
    lua_rawset(L, -3);
    task.held_by = task.pending->owner();
    lua_pop(L, 2);
  }
  lua_pushlightuserdata(L, this);
  return lua_yield(L, 1);
}

struct Tasks::Resumption {
  Tasks* tasks;
  std::unique_ptr<Task> task;
};

int Tasks::resume_protected(lua_State* L) {
  Resumption& going = *static_cast<Resumption*>(lua_touserdata(L, 1));
  Task& task = *going.task;
  luaL_checkstack(L, kAnswerValuesMax + 8, "laurel.task");
  lua_pushthread(task.co);
  lua_xmove(task.co, L, 1);  // anchors it
  const int values = task.pending->push(L);
  lua_xmove(L, task.co, values);
  task.pending.reset();
  going.tasks->handle_status(L, task, going.tasks->resume(L, task, values));
  going.tasks->sweep(L);
  return 0;
}

void Tasks::resume(TaskId id) {
  auto node = waiting_.extract(id);
  if (ended_ || node.empty()) return;
  const std::shared_ptr<Tasks> self = shared_from_this();
  Resumption going{this, std::move(node.mapped())};
  const std::shared_ptr<CallbackOwner> boards = going.task->held_by;
  lua_State* const L = stack_of(*boards);
  const Hosted hosted(host_, L);
  if (call_protected(L, guarded<resume_protected>, &going) == 0) return;
  // No memory for the answer, or for reporting an error.
  Log(log_of(*going.task)).error("{}: {}", *going.task->title, error_text(L, -1));
  lua_pop(L, 1);
  let_go(*going.task);
}

void Tasks::abandon(TaskId task) {
  const auto node = waiting_.extract(task);
  if (!node.empty()) let_go(*node.mapped());
}

template <typename Which>
void Tasks::drop_if(Which which) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    if (!which(*each->second)) {
      ++each;
      continue;
    }
    const std::unique_ptr<Task> task = std::move(each->second);
    each = waiting_.erase(each);
    let_go(*task);
  }
}

void Tasks::drop_version(std::uint64_t version) {
  drop_if([version](const Task& task) { return task.version == version; });
}

void Tasks::drop_at(const CallbackOwner& boards) {
  drop_if([&boards](const Task& task) { return task.held_by.get() == &boards; });
}

void Tasks::end() {
  ended_ = true;
  const auto waiting = std::exchange(waiting_, {});
  idle_.clear();
  let_go_.clear();
  open_boards_.clear();
}

// ---- laurel.task

int start_task(lua_State* L, std::uint64_t version) {
  const Call call{L, "task", 0};
  call.function(1);
  Tasks* const tasks = Tasks::of(L).get();  // the state owns them until it closes
  if (tasks == nullptr) luaL_error(L, "laurel.task: the Lua state is being closed");
  if (!tasks->has_room()) {
    luaL_error(L, "laurel.task: %d tasks within each other, and no more are allowed",
               static_cast<int>(kTasksWithin));
  }
  tasks->sweep(L);
  if (!tasks->has_idle()) tasks->make(L);
  lua_State* const co = tasks->next();
  const int values = lua_gettop(L);
  if (!lua_checkstack(co, values)) luaL_error(L, "laurel.task: too many arguments");
  lua_xmove(L, co, values);
  static const std::string title = "task";
  tasks->run(L, values - 1, title, version != 0 ? version : tasks->version());
  tasks->deliver(L);
  return 0;
}

}  // namespace laurel
