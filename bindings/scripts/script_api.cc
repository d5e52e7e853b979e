
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <lua.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "bindings/handle/registry_handle.h"
#include "bindings/lua/tasks.h"
#include "bindings/module.h"
#include "bindings/scripts/script_runner.h"

namespace laurel {

namespace {

// The owner of a function: its first upvalue.
struct Owner {
  ScriptRunner* runner;
  std::uint64_t version;  // 0: shared by all scripts
};

void push_owner(lua_State* L, ScriptRunner& runner, std::uint64_t version) {
  new (lua_newuserdata(L, sizeof(Owner))) Owner{&runner, version};
}

Owner owner_of(lua_State* L) {
  return *static_cast<const Owner*>(lua_touserdata(L, lua_upvalueindex(1)));
}

// As luaL_argerror, but the function's name is given by the caller.
int raise_argument(lua_State* L, int argument, const char* function, const char* wrong) {
  return luaL_error(L, "bad argument #%d to '%s' (%s)", argument, function, wrong);
}

void check_type(lua_State* L, int argument, int type, const char* function) {
  if (lua_type(L, argument) == type) return;
  const char* const got = lua_isnone(L, argument) ? "no value" : type_name(L, argument);
  raise_argument(L, argument, function,
                 lua_pushfstring(L, "%s expected, got %s", lua_typename(L, type), got));
}

std::string_view check_event(lua_State* L, const char* function) {
  check_type(L, 1, LUA_TSTRING, function);
  std::size_t size = 0;
  const char* const name = lua_tolstring(L, 1, &size);
  if (size == 0 || size > kEventNameBytesMax) {
    raise_argument(L, 1, function,
                   lua_pushfstring(L, "an event's name has 1 to %d bytes, got %d",
                                   static_cast<int>(kEventNameBytesMax), static_cast<int>(size)));
  }
  return {name, size};
}

ScriptVersion& check_version(lua_State* L, const Owner& owner, const char* function) {
  ScriptVersion* const version = owner.runner->find(owner.version);
  if (version == nullptr) {
    luaL_error(L, "laurel.%s: the script that this function belongs to was replaced or ended",
               function);
  }
  return *version;
}

// stop()
int stop_handler(lua_State* L) {
  const Owner owner = owner_of(L);
  owner.runner->stop(L, owner.version,
                     static_cast<std::uint64_t>(lua_tonumber(L, lua_upvalueindex(2))));
  return 0;
}

int answer_stop(lua_State* L, std::uint64_t id) {
  lua_pushvalue(L, lua_upvalueindex(1));
  push_number(L, static_cast<double>(id));
  lua_pushcclosure(L, stop_handler, 2);
  return 1;
}

// laurel.on(event, function) -> stop
int on(lua_State* L) {
  const Owner owner = owner_of(L);
  const std::string_view event = check_event(L, "on");
  check_type(L, 2, LUA_TFUNCTION, "on");
  ScriptVersion& version = check_version(L, owner, "on");
  if (version.handlers.size() == kScriptHandlersMax) {
    return luaL_error(L, "laurel.on: a script has at most %d handlers",
                      static_cast<int>(kScriptHandlersMax));
  }
  lua_pushvalue(L, 2);
  const int function = luaL_ref(L, LUA_REGISTRYINDEX);
  return answer_stop(L, owner.runner->add_handler(version, event, function));
}

// laurel.every(seconds, function) -> stop
int every(lua_State* L) {
  const Owner owner = owner_of(L);
  check_type(L, 1, LUA_TNUMBER, "every");
  check_type(L, 2, LUA_TFUNCTION, "every");
  const double seconds = lua_tonumber(L, 1);
  if (!(seconds > 0 && seconds <= kTimeSecondsMax)) {
    return raise_argument(L, 1, "every", "a finite number of seconds above 0 expected");
  }
  ScriptVersion& version = check_version(L, owner, "every");
  if (version.timers.size() == kScriptTimersMax) {
    return luaL_error(L, "laurel.every: a script has at most %d timers",
                      static_cast<int>(kScriptTimersMax));
  }
  lua_pushvalue(L, 2);
  const int function = luaL_ref(L, LUA_REGISTRYINDEX);
  const Time interval = std::max<Time>(1, std::llround(seconds * 1e6));
  return answer_stop(L, owner.runner->add_timer(version, interval, function));
}

// laurel.emit(event, ...)
int emit(lua_State* L) {
  const Owner owner = owner_of(L);
  const std::string_view event = check_event(L, "emit");
  const int count = lua_gettop(L) - 1;
  if (count > static_cast<int>(kEventValuesMax)) {
    return luaL_error(L, "laurel.emit: an event has at most %d values, got %d",
                      static_cast<int>(kEventValuesMax), count);
  }
  std::array<EventValue, kEventValuesMax> values;
  for (int i = 0; i < count; ++i) {
    const int argument = i + 2;
    EventValue& value = values[static_cast<std::size_t>(i)];
    switch (lua_type(L, argument)) {
      case LUA_TNUMBER: value = lua_tonumber(L, argument); break;
      case LUA_TBOOLEAN: value = lua_toboolean(L, argument) != 0; break;
      case LUA_TSTRING: {
        std::size_t size = 0;
        const char* const bytes = lua_tolstring(L, argument, &size);
        value = std::string_view(bytes, size);
        break;
      }
      default:
        return raise_argument(L, argument, "emit",
                              lua_pushfstring(L, "number, string or boolean expected, got %s",
                                              type_name(L, argument)));
    }
  }
  check_version(L, owner, "emit");
  if (owner.runner->tell_host(L, event, {values.data(), static_cast<std::size_t>(count)})) return 0;
  return luaL_error(L, "laurel.emit: the host failed: %s", owner.runner->message().c_str());
}

// laurel.task(fn, ...)
int script_task(lua_State* L) {
  const Owner owner = owner_of(L);
  return start_task(L, check_version(L, owner, "task").id);
}

// laurel.connect(...): calls the module's own function, which is upvalue 2
int connect(lua_State* L) {
  const Owner owner = owner_of(L);
  check_version(L, owner, "connect").connects = true;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// print(...)
int print(lua_State* L) {
  const int count = lua_gettop(L);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, lua_tostring(L, lua_upvalueindex(2)));
  luaL_addstring(&text, ":");
  for (int i = 1; i <= count; ++i) {
    luaL_addchar(&text, ' ');
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    if (!lua_isstring(L, -1)) return luaL_error(L, "'tostring' must return a string to 'print'");
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(L, -1, &size);
  owner_of(L).runner->print(escaped({bytes, size}, kLogLineBytesMax));
  return 0;
}

// The message handler of every protected call: error [, coroutine] -> traceback.
int explain(lua_State* L) {
  ScriptRunner& runner = *owner_of(L).runner;
  lua_settop(L, 2);
  if (!lua_isstring(L, 1)) {
    if (luaL_getmetafield(L, 1, "__tostring") != 0) {
      lua_pushvalue(L, 1);
      lua_pcall(L, 1, 1, 0);  // its text, or the error of __tostring
    }
    if (lua_gettop(L) == 2 || !lua_isstring(L, -1)) {
      lua_pushfstring(L, "an error that is no text but a %s value", type_name(L, 1));
    }
    lua_replace(L, 1);
    lua_settop(L, 2);
  }
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(L, 1, &size);
  runner.message().assign(bytes, std::min(size, kLogLineBytesMax));

  lua_pushvalue(L, lua_upvalueindex(2));
  if (!lua_isfunction(L, -1)) return 0;
  if (lua_isthread(L, 2)) {
    lua_pushvalue(L, 2);
    lua_pushliteral(L, "");
    lua_call(L, 2, 1);
    return 1;
  }
  lua_pushliteral(L, "");
  lua_pushinteger(L, 2);  // begins with the function that failed, not with this one
  lua_call(L, 2, 1);
  return 1;
}

// Expects an owner and a table on top of the stack.
void set_function(lua_State* L, const char* name, lua_CFunction function) {
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

// Sets the table at an index as __index of the table on top of the stack.
void inherit(lua_State* L, int index) {
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, index);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

}  // namespace

void push_script_environment(lua_State* L, ScriptRunner& runner, ScriptVersion& version) {
  const int state = lua_gettop(L);
  const int module = state - 1;
  push_owner(L, runner, version.id);
  lua_createtable(L, 0, 6);
  set_function(L, "on", on);
  set_function(L, "every", every);
  set_function(L, "emit", emit);
  set_function(L, "task", guarded<script_task>);
  push_owner(L, runner, version.id);
  lua_getfield(L, module, "connect");
  lua_pushcclosure(L, connect, 2);
  lua_setfield(L, -2, "connect");
  lua_pushvalue(L, state);
  lua_setfield(L, -2, "state");
  inherit(L, module);

  lua_createtable(L, 0, 3);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "laurel");
  ScriptResources& resources = push_boards(L, runner.registry()).resources;
  lua_pushvalue(L, -1);
  version.boards = luaL_ref(L, LUA_REGISTRYINDEX);
  version.resources = &resources;
  lua_setfield(L, -2, "boards");
  push_print(L, runner, version.place.c_str());
  lua_setfield(L, -2, "print");
  push_globals(L);
  lua_insert(L, -2);
  inherit(L, lua_gettop(L) - 1);
  lua_remove(L, -2);

  lua_replace(L, state);
  lua_replace(L, module);
  lua_settop(L, state);
}

void push_print(lua_State* L, ScriptRunner& runner, const char* name) {
  push_owner(L, runner, 0);
  lua_pushstring(L, name);
  lua_getglobal(L, "tostring");
  lua_pushcclosure(L, print, 3);
}

void push_explain(lua_State* L, ScriptRunner& runner) {
  push_owner(L, runner, 0);
  lua_insert(L, -2);
  lua_pushcclosure(L, explain, 2);
}

}  // namespace laurel
