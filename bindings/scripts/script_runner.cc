#include "bindings/scripts/script_runner.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/lua/versions.h"
#include "bindings/module.h"

namespace laurel {

namespace {

// The limit of failing finalizers in collect_clients(); what is left is collected later.
constexpr int kFailedFinalizersMax = 100;

struct Load {
  ScriptRunner* runner;
  ScriptVersion* version;
  std::string_view source;
  int module;
  const ScriptVersion* old;  // the version that is replaced, or null
  bool compiled = false;
};

// The argument of push_values_job.
struct PushValues {
  std::span<const EventValue> values;
  lua_State* co;
};

// The argument of explain_job.
struct Explanation {
  int explain;  // a reference in Lua's registry
  lua_State* co;
  std::string traceback;
};

bool is_text(const EventValue& value) { return std::holds_alternative<std::string_view>(value); }

// Allocates only if the value is a text.
void push_value(lua_State* L, const EventValue& value) {
  if (const double* const number = std::get_if<double>(&value)) {
    push_number(L, *number);
  } else if (const bool* const boolean = std::get_if<bool>(&value)) {
    lua_pushboolean(L, *boolean ? 1 : 0);
  } else {
    const std::string_view text = *std::get_if<std::string_view>(&value);
    lua_pushlstring(L, text.data(), text.size());
  }
}

// A handler or timer that a round will call.
struct Turn {
  std::uint64_t version;
  std::uint64_t id;
};

// Finds a handler or timer; they are sorted by id.
template <typename Parts>
auto find_part(Parts& parts, std::uint64_t id) {
  const auto at = std::ranges::lower_bound(parts, id, {}, &Parts::value_type::id);
  return at != parts.end() && at->id == id ? at : parts.end();
}

template <typename Parts>
void stop_part(lua_State* L, Parts& parts, std::uint64_t id) {
  const auto at = find_part(parts, id);
  if (at == parts.end()) return;
  luaL_unref(L, LUA_REGISTRYINDEX, at->function);
  parts.erase(at);
}

std::string_view text_at(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return {};
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(L, index, &size);
  return {bytes, size};
}

}  // namespace

Result<std::unique_ptr<ScriptRunner>> ScriptRunner::open(Registry& registry, Log log,
                                                         OnEmit on_emit, Time now,
                                                         std::uint64_t instructions) {
  std::unique_ptr<ScriptRunner> runner(
      new ScriptRunner(registry, std::move(log), std::move(on_emit), now, instructions));
  lua_State* const L = luaL_newstate();
  if (L == nullptr) return Refusal(Code::unavailable, "no memory for a Lua state");
  runner->main_ = L;
  runner->current_ = L;
  if (call_protected(L, open_state, runner.get()) != 0) {
    return Refusal(Code::unavailable, "the scripts' Lua state: {}", escaped(text_at(L, -1)));
  }
  return runner;
}

ScriptRunner::ScriptRunner(Registry& registry, Log log, OnEmit on_emit, Time now,
                           std::uint64_t instructions)
    : registry_(registry),
      log_(log),
      on_emit_(std::move(on_emit)),
      errors_(std::move(log)),
      now_(now),
      budget_(instructions) {}

ScriptRunner::~ScriptRunner() {
  if (main_ == nullptr) return;
  for (const auto& version : versions_) clear(*version, nullptr);
  versions_.clear();
  on_emit_ = nullptr;  // lua_close runs finalizers of scripts, which may emit
  lua_close(main_);
}

int ScriptRunner::open_state(lua_State* L) {
  auto& runner = *static_cast<ScriptRunner*>(lua_touserdata(L, 1));
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loaded");
  open_module(L);
  lua_pushvalue(L, -1);
  runner.module_ = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_setfield(L, -2, "laurel");

  lua_getglobal(L, "debug");
  lua_getfield(L, -1, "traceback");
  push_explain(L, runner);
  runner.explain_ = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, &runner);
  lua_pushcclosure(L, run_job, 1);
  runner.run_ = luaL_ref(L, LUA_REGISTRYINDEX);
  // print writes to the log: standard output of a host may not be read, and is not line-buffered
  // when redirected.
  push_print(L, runner, "print");
  lua_setglobal(L, "print");
  set_callback_host(L, &runner);
  runner.tasks_ = Tasks::of(L);
  runner.tasks_->set_host(&runner);
  runner.budget_.install(L);
  return 0;
}

int ScriptRunner::run_job(lua_State* L) {
  const auto& runner = *static_cast<const ScriptRunner*>(lua_touserdata(L, lua_upvalueindex(1)));
  const Job job = *runner.job_;
  return job.run(L, job.what);
}

lua_State* ScriptRunner::enter(lua_State* L) {
  if (depth_++ == 0) budget_.begin();
  budget_.cover(L);
  return std::exchange(current_, L);
}

void ScriptRunner::leave(lua_State* before) {
  current_ = before;
  if (--depth_ == 0) budget_.end();
}

void ScriptRunner::failed(std::string_view title, std::string_view error) {
  constexpr std::string_view kTraceback = "\nstack traceback:";
  ++stats_.failed;
  const std::size_t end = std::min(error.find(kTraceback), error.size());
  errors_.report(error.substr(0, end), title, error.substr(end));
}

void ScriptRunner::task_failed(lua_State* co, const std::string& title) {
  ++stats_.failed;
  Explanation explanation{explain_, co, {}};
  if (const auto failure = protect({explain_job, &explanation})) {
    errors_.report(failure->message, title, failure->traceback);
  } else {
    restore_line(message_, explanation.traceback);
    errors_.report(std::exchange(message_, {}), title, explanation.traceback);
  }
}

// Calls the message handler for the error of a coroutine, as a protected call does.
int ScriptRunner::explain_job(lua_State* L, void* what) {
  auto& explanation = *static_cast<Explanation*>(what);
  lua_rawgeti(L, LUA_REGISTRYINDEX, explanation.explain);
  lua_xmove(explanation.co, L, 1);
  lua_pushthread(explanation.co);
  lua_xmove(explanation.co, L, 1);
  lua_call(L, 2, 1);
  explanation.traceback = text_at(L, -1);
  return 0;
}

// Pushes nothing that allocates, since an error would be unprotected here.
std::optional<ScriptRunner::Failure> ScriptRunner::protect(const Job& job) {
  lua_State* const L = current_;
  const Hosted running(this, L);
  job_ = &job;
  lua_rawgeti(L, LUA_REGISTRYINDEX, explain_);
  lua_rawgeti(L, LUA_REGISTRYINDEX, run_);
  const int handler = lua_gettop(L) - 1;
  const int status = lua_pcall(L, 0, 0, handler);
  std::optional<Failure> failure;
  if (status == LUA_ERRRUN) {
    failure = Failure{std::exchange(message_, {}), std::string(text_at(L, -1))};
  } else if (status != 0) {  // out of memory, or an error in the message handler
    failure = Failure{std::string(text_at(L, -1)), {}};
  }
  lua_settop(L, handler - 1);
  return failure;
}

int ScriptRunner::load_job(lua_State* L, void* what) {
  Load& load = *static_cast<Load*>(what);
  std::string_view source = load.source;
  if (source.starts_with('\x1b')) {
    return luaL_error(L, "%s: it is bytecode; a script is text", load.version->place.c_str());
  }
  // Skips a "#!" line as Lua's own loader does, but not its end, so that line numbers stay right.
  if (source.starts_with('#')) source.remove_prefix(std::min(source.find('\n'), source.size()));
  lua_pushfstring(L, "@%s", load.version->place.c_str());
  if (load_text(L, source, lua_tostring(L, -1)) != 0) {
    return lua_error(L);
  }
  load.compiled = true;

  lua_rawgeti(L, LUA_REGISTRYINDEX, load.module);
  if (load.old != nullptr) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, load.old->laurel);
    lua_pushliteral(L, "state");
    lua_rawget(L, -2);
    lua_remove(L, -2);
  } else {
    lua_pushnil(L);
  }
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  push_script_environment(L, *load.runner, *load.version);
  if (load.old != nullptr) load.version->resources->inherit_from(*load.old->resources);
  lua_insert(L, -2);
  load.version->laurel = luaL_ref(L, LUA_REGISTRYINDEX);
  set_globals_of(L, -2);
  lua_call(L, 0, 0);
  return 0;
}

std::optional<std::uint64_t> ScriptRunner::load(const std::string& place, std::string_view source,
                                                std::optional<std::uint64_t> old) {
  loading_ = std::make_unique<ScriptVersion>();
  loading_->id = ++last_id_;
  loading_->place = place;
  loading_->laurel = LUA_NOREF;
  loading_->boards = LUA_NOREF;
  Load load{.runner = this,
            .version = loading_.get(),
            .source = source,
            .module = module_,
            .old = old ? find(*old) : nullptr};
  const auto failure = protect({load_job, &load});
  std::unique_ptr<ScriptVersion> version = std::move(loading_);
  if (failure) {
    clear(*version, load.old);
    collect_clients(*version);
    // If it did not compile, the traceback has no frame of the script.
    errors_.report(failure->message, "while loading",
                   load.compiled ? std::string_view(failure->traceback) : std::string_view());
    return std::nullopt;
  }
  const std::uint64_t id = version->id;
  put_in_force(std::move(version), old);
  ++stats_.loaded;
  return id;
}

void ScriptRunner::put_in_force(std::unique_ptr<ScriptVersion> version,
                                std::optional<std::uint64_t> old) {
  if (old) retire(*old, version.get());
  const auto at = std::ranges::lower_bound(
      versions_, version->place, {}, [](const auto& v) -> auto& { return v->place; });
  versions_.insert(at, std::move(version));
}

void ScriptRunner::retire(std::uint64_t version, const ScriptVersion* successor) {
  const auto at = std::ranges::find(versions_, version, [](const auto& v) { return v->id; });
  if (at == versions_.end()) return;
  const std::unique_ptr<ScriptVersion> ended = std::move(*at);
  versions_.erase(at);
  clear(*ended, successor);
  collect_clients(*ended);
}

void ScriptRunner::clear(ScriptVersion& version, const ScriptVersion* other) {
  if (version.resources != nullptr) {
    version.resources->end(&registry_, other != nullptr ? other->resources : nullptr);
  }
  tasks_->drop_version(version.id);
  tasks_->sweep(main_);
  for (const ScriptHandler& handler : version.handlers) {
    luaL_unref(main_, LUA_REGISTRYINDEX, handler.function);
  }
  for (const ScriptTimer& timer : version.timers) {
    luaL_unref(main_, LUA_REGISTRYINDEX, timer.function);
  }
  luaL_unref(main_, LUA_REGISTRYINDEX, version.boards);
  luaL_unref(main_, LUA_REGISTRYINDEX, version.laurel);
}

// A client holds a socket, which the garbage collector does not count. So unreferenced clients are
// collected when their version ends. Finalizers are code of scripts and may fail.
void ScriptRunner::collect_clients(const ScriptVersion& ended) {
  if (!ended.connects) return;
  const auto collect = [](lua_State* L, void*) {
    lua_gc(L, LUA_GCCOLLECT, 0);
    return 0;
  };
  for (int i = 0; i < kFailedFinalizersMax; ++i) {  // a failing finalizer ends the collection
    const auto failure = protect({collect, nullptr});
    if (!failure) return;
    errors_.report(failure->message, "finalizer", failure->traceback);
  }
}

int ScriptRunner::make_task_job(lua_State* L, void* what) {
  static_cast<Tasks*>(what)->make(L);
  return 0;
}

int ScriptRunner::push_values_job(lua_State* L, void* what) {
  const PushValues& push = *static_cast<const PushValues*>(what);
  const int count = static_cast<int>(push.values.size());
  luaL_checkstack(L, count, "an event's values");
  for (const EventValue& value : push.values) push_value(L, value);
  lua_xmove(L, push.co, count);
  return 0;
}

// Pushes a function and its arguments on the coroutine of the next task.
std::optional<ScriptRunner::Failure> ScriptRunner::push_call(int function,
                                                             std::span<const EventValue> values) {
  if (!tasks_->has_room()) {
    return Failure{fmt::format("{} tasks within each other, and no more are allowed", kTasksWithin),
                   {}};
  }
  if (!tasks_->has_idle()) {
    if (auto failure = protect({make_task_job, tasks_.get()})) return failure;
  }
  lua_State* const co = tasks_->next();
  lua_rawgeti(co, LUA_REGISTRYINDEX, function);
  if (std::ranges::none_of(values, is_text)) {
    for (const EventValue& value : values) push_value(co, value);
    return std::nullopt;
  }
  PushValues push{values, co};
  auto failure = protect({push_values_job, &push});
  if (failure) lua_settop(co, 0);
  return failure;
}

TaskId ScriptRunner::call(int function, std::span<const EventValue> values,
                          const std::string& during, std::uint64_t version) {
  ++stats_.calls;
  const Hosted running(this, current_);
  if (const auto failure = push_call(function, values)) {
    ++stats_.failed;
    errors_.report(failure->message, during, failure->traceback);
    return 0;
  }
  return tasks_->run(current_, static_cast<int>(values.size()), during, version);
}

std::size_t ScriptRunner::emit(std::string_view event, std::span<const EventValue> values) {
  assert(values.size() <= kEventValuesMax && "an event has at most kEventValuesMax values");
  if (emit_depth_ == kEventDepthMax) {
    errors_.report(fmt::format("event \"{}\": {} events within each other, and no more are allowed",
                               escaped(event), kEventDepthMax),
                   "emit", {});
    return 0;
  }
  std::vector<Turn> round;
  for (const auto& version : versions_) {
    for (const ScriptHandler& handler : version->handlers) {
      if (handler.event == event) round.push_back({version->id, handler.id});
    }
  }
  if (round.empty()) return 0;

  ++emit_depth_;
  const std::string during = fmt::format("handler of \"{}\"", escaped(event));
  std::size_t ran = 0;
  for (const Turn& turn : round) {
    ScriptVersion* const version = find(turn.version);
    if (version == nullptr) continue;
    const auto handler = find_part(version->handlers, turn.id);
    if (handler == version->handlers.end()) continue;
    call(handler->function, values, during, turn.version);
    ++ran;
  }
  --emit_depth_;
  return ran;
}

void ScriptRunner::set_now(Time now) {
  if (now < now_) {
    for (const auto& version : versions_) {
      for (ScriptTimer& timer : version->timers) timer.due -= now_ - now;
    }
  }
  now_ = now;
  errors_.tick(now);
}

void ScriptRunner::run_timers() {
  std::vector<Turn> round;
  for (const auto& version : versions_) {
    for (const ScriptTimer& timer : version->timers) {
      if (timer.due <= now_) round.push_back({version->id, timer.id});
    }
  }
  static const std::string during = "timer";
  for (const Turn& turn : round) {
    ScriptVersion* const version = find(turn.version);
    if (version == nullptr) continue;
    const auto timer = find_part(version->timers, turn.id);
    if (timer == version->timers.end()) continue;
    // `due` stays in phase when calls were missed: a timer of one second stays on the second.
    timer->due += ((now_ - timer->due) / timer->interval + 1) * timer->interval;
    if (tasks_->waits(timer->task)) continue;
    const TaskId task = call(timer->function, {}, during, turn.version);
    ScriptVersion* const still = find(turn.version);  // the call may have ended version or timer
    if (task == 0 || still == nullptr) continue;
    if (const auto waiting = find_part(still->timers, turn.id); waiting != still->timers.end()) {
      waiting->task = task;
    }
  }
}

ScriptVersion* ScriptRunner::find(std::uint64_t version) {
  if (loading_ && loading_->id == version) return loading_.get();
  for (const auto& v : versions_) {
    if (v->id == version) return v.get();
  }
  return nullptr;
}

std::uint64_t ScriptRunner::add_handler(ScriptVersion& version, std::string_view event,
                                        int function) {
  version.handlers.push_back({.id = ++last_id_, .event = std::string(event), .function = function});
  return last_id_;
}

std::uint64_t ScriptRunner::add_timer(ScriptVersion& version, Time interval, int function) {
  version.timers.push_back(
      {.id = ++last_id_, .interval = interval, .due = now_ + interval, .function = function});
  return last_id_;
}

void ScriptRunner::stop(lua_State* caller, std::uint64_t version, std::uint64_t id) {
  ScriptVersion* const v = find(version);
  if (v == nullptr) return;
  stop_part(caller, v->handlers, id);
  stop_part(caller, v->timers, id);
}

bool ScriptRunner::tell_host(lua_State* caller, std::string_view event,
                             std::span<const EventValue> values) {
  ++stats_.emitted;
  if (!on_emit_) return true;
  const Hosted running(this, caller);
  try {
    on_emit_(event, values);
  } catch (const std::exception& e) {
    message_ = e.what();
    return false;
  }
  return true;
}

ScriptStats ScriptRunner::stats() const {
  ScriptStats stats = stats_;
  stats.scripts = versions_.size();
  stats.interrupted = budget_.interrupted();
  for (const auto& version : versions_) {
    stats.handlers += version->handlers.size();
    stats.timers += version->timers.size();
  }
  return stats;
}

}  // namespace laurel
