// script_runner.h - the Lua state of hosted scripts: loads versions, calls their functions, and
// gives the scripts their `laurel.on`, `laurel.emit` and `laurel.every`. Which files there are is
// its caller's business (script_host.h).
//
//   tasks       handlers and timers run as tasks (tasks.h): one that waits goes on in a later tick
//               of the registry that it asked, with a budget of its own, unless its version ended.
//               A timer that waits is not called again before it ended.
//   version     named by a number that is never used again: a function of a script that outlived
//               its version finds nothing to register with, and says so.
//   protection  everything that can raise runs below one protected call. Calls may nest: a handler
//               emits, the host answers with an event.
//   order       versions by place, handlers and timers as they were registered. A round calls those
//               that stood when it began and still do.
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
#include "bindings/borrowed.h"
#include "bindings/lua_callback.h"
#include "bindings/script_budget.h"
#include "bindings/script_errors.h"
#include "bindings/script_host.h"
#include "bindings/tasks.h"
#include "board/registry.h"

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
  TaskId task = 0;  // of the last call, while it waits
};

// What one content of a script set up.
struct ScriptVersion {
  std::uint64_t id = 0;
  std::string place;                    // "scripts/goals.lua"
  int laurel = 0;                       // a reference to its table `laurel`, or LUA_NOREF
  std::vector<ScriptHandler> handlers;  // by id
  std::vector<ScriptTimer> timers;      // by id
  int boards = 0;                       // a reference to its `boards`, or LUA_NOREF,
  Borrowed* borrowed = nullptr;         // and what it began there
  bool connects = false;                // has called laurel.connect
};

class ScriptRunner final : private CallbackHost {
 public:
  // `instructions`: of one call, or 0 for no budget.
  static Result<std::unique_ptr<ScriptRunner>> open(Registry& registry, Log log, OnEmit on_emit,
                                                    Time now, std::uint64_t instructions);
  ~ScriptRunner();
  ScriptRunner(const ScriptRunner&) = delete;
  ScriptRunner& operator=(const ScriptRunner&) = delete;

  // Runs a script's text; what it set up replaces version `old`, whose laurel.state it is given.
  // Returns the new version, or nothing: then the error was logged and `old` is as it was.
  std::optional<std::uint64_t> load(const std::string& place, std::string_view source,
                                    std::optional<std::uint64_t> old);
  void end(std::uint64_t version) { retire(version, nullptr); }

  std::size_t emit(std::string_view event, std::span<const EventValue> values);
  void set_now(Time now);
  void run_timers();

  bool running() const { return depth_ > 0; }
  ScriptStats stats() const;

  // ---- for the functions that scripts call (script_api.h). None of these raises.

  // Null when that version has ended.
  ScriptVersion* find(std::uint64_t version);
  std::uint64_t add_handler(ScriptVersion& version, std::string_view event, int function);
  std::uint64_t add_timer(ScriptVersion& version, Time interval, int function);
  // Ends a handler or timer; harmless when it has ended.
  void stop(lua_State* caller, std::uint64_t version, std::uint64_t id);
  // Tells the host; false when it threw, and message() says what.
  bool tell_host(lua_State* caller, std::string_view event, std::span<const EventValue> values);
  void print(std::string_view line) { log_.write(Level::info, line); }
  // What the last error said, until somebody has read it.
  std::string& message() { return message_; }
  Registry& registry() { return registry_; }

 private:
  // Work for Lua, below one protected call.
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
  // The task's number while it waits, else 0.
  TaskId call(int function, std::span<const EventValue> values, const std::string& during,
              std::uint64_t version);
  std::optional<Failure> push_call(int function, std::span<const EventValue> values);
  // `other`: the version that comes, or that stays.
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
  lua_State* current_ = nullptr;  // whose stack is on top: the main one, or a coroutine that emits
  std::shared_ptr<Tasks> tasks_;
  int explain_ = 0;           // references in Lua's registry: the function that explains errors,
  int run_ = 0;               // the one that runs a job,
  int module_ = 0;            // and the module's table
  const Job* job_ = nullptr;  // for run_, read before anything can nest
  std::string message_;
  std::vector<std::unique_ptr<ScriptVersion>> versions_;  // by place
  std::unique_ptr<ScriptVersion> loading_;
  std::uint64_t last_id_ = 0;
  unsigned depth_ = 0;       // calls into Lua and out of it that are running
  unsigned emit_depth_ = 0;  // of these, events from the host
  ScriptStats stats_;
};

}  // namespace laurel
