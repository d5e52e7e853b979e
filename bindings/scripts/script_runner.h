// script_runner.h - the Lua state of hosted scripts: loads versions, calls their functions, and
// implements `laurel.on`, `laurel.emit` and `laurel.every`. The caller finds the files
// (script_host.h).
//
//   tasks       handlers and timers run as tasks (tasks.h). A waiting task continues in a later
//               tick of the registry that it asked, with a new budget, unless its version ended. A
//               timer whose task waits is not called again before the task has ended.
//   version     has an id that is never reused. If a function of a script outlives its version, its
//               attempts to register raise an error.
//   protection  everything that can raise runs in a protected call. Calls may nest: a handler
//               emits, and the host answers with an event.
//   order       versions by place, handlers and timers in the order of registration. A round calls
//               those that were registered when it began and still are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "bindings/handle/script_resources.h"
#include "bindings/lua/callback.h"
#include "bindings/lua/tasks.h"
#include "bindings/scripts/script_budget.h"
#include "bindings/scripts/script_errors.h"
#include "bindings/scripts/script_options.h"
#include "registry/registry.h"

struct lua_State;

namespace laurel {

struct ScriptHandler {
  std::uint64_t id = 0;
  std::string event;
  int function = 0;  // a reference in Lua's registry
};

struct ScriptTimer {
  std::uint64_t id = 0;
  Time interval = 0;
  Time due = 0;
  int function = 0;
  TaskId task = 0;  // task of the last call that waited
};

// What one content of a script set up.
struct ScriptVersion {
  std::uint64_t id = 0;
  std::string place;                     // "scripts/goals.lua"
  int laurel = 0;                        // a reference to its table `laurel`, or LUA_NOREF
  std::vector<ScriptHandler> handlers;   // by id
  std::vector<ScriptTimer> timers;       // by id
  int boards = 0;                        // a reference to its `boards`, or LUA_NOREF,
  ScriptResources* resources = nullptr;  // and what it started on them
  bool connects = false;                 // has called laurel.connect
};

class ScriptRunner final : private CallbackHost {
 public:
  // `instructions` is the budget of one call, or 0 for no budget.
  static Result<std::unique_ptr<ScriptRunner>> open(Registry& registry, Log log, OnEmit on_emit,
                                                    Time now, std::uint64_t instructions);
  ~ScriptRunner();
  ScriptRunner(const ScriptRunner&) = delete;
  ScriptRunner& operator=(const ScriptRunner&) = delete;

  // Runs a script's text. The new version replaces version `old` and gets its laurel.state. Returns
  // the new version, or nothing: then the error was logged and `old` is unchanged.
  std::optional<std::uint64_t> load(const std::string& place, std::string_view source,
                                    std::optional<std::uint64_t> old);
  void end(std::uint64_t version) { retire(version, nullptr); }

  std::size_t emit(std::string_view event, std::span<const EventValue> values);
  void set_now(Time now);
  void run_timers();

  bool running() const { return depth_ > 0; }
  ScriptStats stats() const;

  // ---- for the functions that scripts call (script_runner.h). None of these raises.

  // Null if that version has ended.
  ScriptVersion* find(std::uint64_t version);
  std::uint64_t add_handler(ScriptVersion& version, std::string_view event, int function);
  std::uint64_t add_timer(ScriptVersion& version, Time interval, int function);
  // Ends a handler or timer; does nothing if it has ended.
  void stop(lua_State* caller, std::uint64_t version, std::uint64_t id);
  // Calls on_emit of the host. Returns false if it threw; message() is the exception's text.
  bool tell_host(lua_State* caller, std::string_view event, std::span<const EventValue> values);
  void print(std::string_view line) { log_.write(Level::info, line); }
  // The text of the last error, until it has been read.
  std::string& message() { return message_; }
  Registry& registry() { return registry_; }

 private:
  // Work that runs in a protected call.
  struct Job {
    int (*run)(lua_State* L, void* what);
    void* what;
  };
  struct Failure {
    std::string message;
    std::string traceback;
  };

  ScriptRunner(Registry& registry, Log log, OnEmit on_emit, Time now, std::uint64_t instructions);

  lua_State* stack() override { return current_; }
  lua_State* enter(lua_State* L) override;
  void leave(lua_State* before) override;
  void failed(std::string_view title, std::string_view error) override;
  void task_failed(lua_State* co, const std::string& title) override;

  static int open_state(lua_State* L);
  static int run_job(lua_State* L);
  static int load_job(lua_State* L, void* what);
  static int make_task_job(lua_State* L, void* what);
  static int push_values_job(lua_State* L, void* what);
  static int explain_job(lua_State* L, void* what);
  std::optional<Failure> protect(const Job& job);
  // Returns the task's id if it waits, else 0.
  TaskId call(int function, std::span<const EventValue> values, const std::string& during,
              std::uint64_t version);
  std::optional<Failure> push_call(int function, std::span<const EventValue> values);
  // `other`: the version that is in force afterwards, or null.
  void clear(ScriptVersion& version, const ScriptVersion* other);
  void collect_clients(const ScriptVersion& ended);
  void retire(std::uint64_t version, const ScriptVersion* successor);
  void put_in_force(std::unique_ptr<ScriptVersion> version, std::optional<std::uint64_t> old);

  Registry& registry_;
  Log log_;
  OnEmit on_emit_;
  ScriptErrors errors_;
  Time now_;
  ScriptBudget budget_;
  lua_State* main_ = nullptr;
  lua_State* current_ = nullptr;  // the innermost running stack: the main one or a coroutine
  std::shared_ptr<Tasks> tasks_;
  int explain_ = 0;           // references in Lua's registry: the function that explains errors,
  int run_ = 0;               // the one that runs a job,
  int module_ = 0;            // and the module's table
  const Job* job_ = nullptr;  // for run_, which reads it before calls can nest
  std::string message_;
  std::vector<std::unique_ptr<ScriptVersion>> versions_;  // by place
  std::unique_ptr<ScriptVersion> loading_;
  std::uint64_t last_id_ = 0;
  unsigned depth_ = 0;       // depth of running calls into Lua and out of it
  unsigned emit_depth_ = 0;  // depth of running calls of emit()
  ScriptStats stats_;
};

// ---- script_api.cc: the globals of a hosted script, `laurel`, `boards` and `print`

// Pushes the environment of a version, and below it that version's table `laurel`; stores in the
// version the boards that were lent to it. Expects the module's table on the stack and above it the
// table for laurel.state, and pops both. May raise.
void push_script_environment(lua_State* L, ScriptRunner& runner, ScriptVersion& version);

// Pushes a `print` that writes to the log, with `name` in front.
void push_print(lua_State* L, ScriptRunner& runner, const char* name);

// Pushes a message handler that stores an error's text in runner.message() and returns a traceback,
// of a coroutine if that is its second argument. Expects debug.traceback on top of the stack, and
// pops it.
void push_explain(lua_State* L, ScriptRunner& runner);

}  // namespace laurel
