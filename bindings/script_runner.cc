#include "bindings/script_runner.h"

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <lua.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/module.h"
#include "bindings/script_api.h"

namespace laurel {

namespace {

struct Load {
  ScriptRunner* runner;
  ScriptVersion* version;
  std::string_view source;
  int module;
  int old_laurel;  // of the version that is replaced, or LUA_NOREF
  bool compiled = false;
};

struct HandlerCall {
  int function;
  std::span<const EventValue> values;
};

// Which of a version's parts a round means to call.
struct Turn {
  std::uint64_t version;
  std::uint64_t id;
};

// Parts are kept in the order of their ids.
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

// Says whose stack is on top, and that something is running, while it lives.
class ScriptRunner::Current {
 public:
  Current(ScriptRunner& runner, lua_State* L) : runner_(runner), before_(runner.current_) {
    runner_.current_ = L;
    ++runner_.depth_;
  }
  ~Current() {
    runner_.current_ = before_;
    --runner_.depth_;
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  ScriptRunner& runner_;
  lua_State* before_;
};

Result<std::unique_ptr<ScriptRunner>> ScriptRunner::open(Registry& registry, Log log,
                                                         OnEmit on_emit, Time now) {
  std::unique_ptr<ScriptRunner> runner(
      new ScriptRunner(registry, std::move(log), std::move(on_emit), now));
  lua_State* const L = luaL_newstate();
  if (L == nullptr) return Refusal(Code::unavailable, "no memory for a Lua state");
  runner->main_ = L;
  runner->current_ = L;
  if (lua_cpcall(L, open_state, runner.get()) != 0) {
    return Refusal(Code::unavailable, "the scripts' Lua state: {}", escaped(text_at(L, -1)));
  }
  return runner;
}

ScriptRunner::ScriptRunner(Registry& registry, Log log, OnEmit on_emit, Time now)
    : registry_(registry),
      log_(log),
      on_emit_(std::move(on_emit)),
      errors_(std::move(log)),
      now_(now) {}

ScriptRunner::~ScriptRunner() {
  if (main_ == nullptr) return;
  for (const auto& version : versions_) clear(*version);
  versions_.clear();
  on_emit_ = nullptr;  // finalizers are the scripts' code, and run below
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
  // A host's standard output may be nobody's, and is not written line by line when redirected.
  push_print(L, runner, "print");
  lua_setglobal(L, "print");
  return 0;
}

int ScriptRunner::run_job(lua_State* L) {
  const auto& runner = *static_cast<const ScriptRunner*>(lua_touserdata(L, lua_upvalueindex(1)));
  const Job job = *runner.job_;
  return job.run(L, job.what);
}

// Pushes nothing that allocates, since here an error would find nobody.
std::optional<ScriptRunner::Failure> ScriptRunner::protect(const Job& job) {
  lua_State* const L = current_;
  const Current running(*this, L);
  job_ = &job;
  lua_rawgeti(L, LUA_REGISTRYINDEX, explain_);
  lua_rawgeti(L, LUA_REGISTRYINDEX, run_);
  const int handler = lua_gettop(L) - 1;
  const int status = lua_pcall(L, 0, 0, handler);
  std::optional<Failure> failure;
  if (status == LUA_ERRRUN) {
    failure = Failure{std::exchange(message_, {}), std::string(text_at(L, -1))};
  } else if (status != 0) {  // out of memory, or the message handler failed itself
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
  // As Lua's own loader does; the line's end stays, so that lines keep their numbers.
  if (source.starts_with('#')) source.remove_prefix(std::min(source.find('\n'), source.size()));
  lua_pushfstring(L, "@%s", load.version->place.c_str());
  if (luaL_loadbuffer(L, source.data(), source.size(), lua_tostring(L, -1)) != 0) {
    return lua_error(L);
  }
  load.compiled = true;

  lua_rawgeti(L, LUA_REGISTRYINDEX, load.module);
  if (load.old_laurel != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, load.old_laurel);
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
  push_script_environment(L, *load.runner, load.version->id);
  lua_insert(L, -2);
  load.version->laurel = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_setfenv(L, -2);
  lua_call(L, 0, 0);
  return 0;
}

std::optional<std::uint64_t> ScriptRunner::load(const std::string& place, std::string_view source,
                                                std::optional<std::uint64_t> old) {
  const ScriptVersion* const standing = old ? find(*old) : nullptr;
  loading_ = std::make_unique<ScriptVersion>();
  loading_->id = ++last_id_;
  loading_->place = place;
  loading_->laurel = LUA_NOREF;
  Load load{.runner = this,
            .version = loading_.get(),
            .source = source,
            .module = module_,
            .old_laurel = standing != nullptr ? standing->laurel : LUA_NOREF};
  const auto failure = protect({load_job, &load});
  std::unique_ptr<ScriptVersion> version = std::move(loading_);
  if (failure) {
    clear(*version);
    // Where it did not compile the traceback is only ours.
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
  if (old) end(*old);
  const auto at = std::ranges::lower_bound(
      versions_, version->place, {}, [](const auto& v) -> auto& { return v->place; });
  versions_.insert(at, std::move(version));
}

void ScriptRunner::end(std::uint64_t version) {
  const auto at = std::ranges::find(versions_, version, [](const auto& v) { return v->id; });
  if (at == versions_.end()) return;
  const std::unique_ptr<ScriptVersion> ended = std::move(*at);
  versions_.erase(at);
  clear(*ended);
}

void ScriptRunner::clear(ScriptVersion& version) {
  for (const WatchId watch : version.watches) registry_.unwatch(watch);
  for (const ScriptHandler& handler : version.handlers) {
    luaL_unref(main_, LUA_REGISTRYINDEX, handler.function);
  }
  for (const ScriptTimer& timer : version.timers) {
    luaL_unref(main_, LUA_REGISTRYINDEX, timer.function);
  }
  luaL_unref(main_, LUA_REGISTRYINDEX, version.laurel);
}

int ScriptRunner::call_job(lua_State* L, void* what) {
  const HandlerCall& call = *static_cast<const HandlerCall*>(what);
  luaL_checkstack(L, static_cast<int>(call.values.size()) + 1, "an event's values");
  lua_rawgeti(L, LUA_REGISTRYINDEX, call.function);
  for (const EventValue& value : call.values) {
    if (const double* const number = std::get_if<double>(&value)) {
      lua_pushnumber(L, *number);
    } else if (const bool* const boolean = std::get_if<bool>(&value)) {
      lua_pushboolean(L, *boolean ? 1 : 0);
    } else {
      const std::string_view text = *std::get_if<std::string_view>(&value);
      lua_pushlstring(L, text.data(), text.size());
    }
  }
  lua_call(L, static_cast<int>(call.values.size()), 0);
  return 0;
}

void ScriptRunner::call(int function, std::span<const EventValue> values,
                        const std::string& during) {
  HandlerCall handler{function, values};
  ++stats_.calls;
  if (const auto failure = protect({call_job, &handler})) {
    ++stats_.failed;
    errors_.report(failure->message, during, failure->traceback);
  }
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
    call(handler->function, values, during);
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
  for (const Turn& turn : round) {
    ScriptVersion* const version = find(turn.version);
    if (version == nullptr) continue;
    const auto timer = find_part(version->timers, turn.id);
    if (timer == version->timers.end()) continue;
    // In step with its beginning, whatever was missed: a second's timer stays on the second.
    timer->due += ((now_ - timer->due) / timer->interval + 1) * timer->interval;
    call(timer->function, {}, "timer");
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

void ScriptRunner::note_watch(std::uint64_t version, WatchId watch) {
  ScriptVersion* const v = find(version);
  if (v == nullptr) {
    registry_.unwatch(watch);  // of a version that has ended: nobody would end it
    return;
  }
  v->watches.push_back(watch);
  if (v->watches.size() <= kScriptWatchesMax) return;
  registry_.unwatch(v->watches.front());
  v->watches.pop_front();
}

bool ScriptRunner::tell_host(lua_State* caller, std::string_view event,
                             std::span<const EventValue> values) {
  ++stats_.emitted;
  if (!on_emit_) return true;
  const Current running(*this, caller);
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
  for (const auto& version : versions_) {
    stats.handlers += version->handlers.size();
    stats.timers += version->timers.size();
  }
  return stats;
}

}  // namespace laurel
