// The module's table, made once per Lua state, and the functions laurel.* except open and connect.
#include "bindings/module.h"

#include <array>

#include "base/version.h"
#include "bindings/handle/methods.h"
#include "bindings/lua/tasks.h"
#include "bindings/values/call_buffers.h"

namespace laurel {

const char* const kLuaVersion = LUA_VERSION;

namespace {

// Hosted scripts have other functions with these names.
template <const char* const& name>
int only_hosted(lua_State* L) {
  return luaL_error(L,
                    "laurel.%s works in hosted scripts only: those that a game server runs "
                    "through laurel's C interface",
                    name);
}

// laurel.task(fn, ...)
int laurel_task(lua_State* L) { return start_task(L, 0); }

constexpr const char* kOn = "on";
constexpr const char* kEmit = "emit";
constexpr const char* kEvery = "every";

constexpr std::array kFunctions = {
    luaL_Reg{"open", guarded<wrap_open>},   luaL_Reg{"connect", guarded<wrap_connect>},
    luaL_Reg{"on", only_hosted<kOn>},       luaL_Reg{"emit", only_hosted<kEmit>},
    luaL_Reg{"every", only_hosted<kEvery>}, luaL_Reg{"task", guarded<laurel_task>},
};

// (message [, coroutine]) -> message with traceback, of the coroutine if it is given. Upvalue 1 is
// debug.traceback, as it was when the module was opened, or nil if the host removed it.
int add_traceback(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING || !lua_isfunction(L, lua_upvalueindex(1))) {
    lua_settop(L, 1);
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  if (lua_isthread(L, 2)) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 1);
    lua_call(L, 2, 1);
    return 1;
  }
  lua_pushvalue(L, 1);
  push_number(L, 2);  // without this function and the one that raises
  lua_call(L, 2, 1);
  return 1;
}

void push_traceback(lua_State* L) {
  push_globals(L);
  lua_pushliteral(L, "debug");
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "traceback");
    lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  lua_pushcclosure(L, add_traceback, 1);
}

void make_types(lua_State* L, int table, int module) {
  for (int type = 1; type <= kTypes; ++type) make_type(L, table, static_cast<Type>(type));
  const auto add = [&](Type type, Methods methods) {
    add_methods(L, table, module, type, methods);
  };
  for (const Methods methods :
       {boards_metamethods(), boards_methods(), boards_play_methods(), players_methods(),
        season_end_methods(), transfer_methods(), serve_methods()}) {
    add(Type::boards, methods);
  }
  for (const BoardMethods methods :
       {board_metamethods(), board_methods(), board_write_methods(), board_read_methods(),
        board_list_methods(), board_each_methods(), board_season_methods(), board_attempt_methods(),
        board_history_methods(), board_mark_methods(), board_segment_methods(),
        board_rehearse_methods(), watch_methods()}) {
    for (const BoardMethod& method : methods) {
      add(Type::board, std::array{luaL_Reg{method.name, method.local}});
      add(Type::remote_board, std::array{luaL_Reg{method.name, method.remote}});
    }
  }
  add(Type::live, live_metamethods());
  add(Type::live, live_methods());
  add(Type::client, client_metamethods());
  add(Type::client, client_methods());
}

void make_module(lua_State* L) {
  lua_newtable(L);
  const int table = lua_gettop(L);
  lua_newuserdata(L, 1);
  const int module = lua_gettop(L);
  lua_pushvalue(L, table);
  set_environment_of(L, module);
  lua_pushvalue(L, module);
  lua_rawseti(L, table, kModuleSlot);

  make_types(L, table, module);
  push_traceback(L);
  lua_rawseti(L, table, kTracebackSlot);
  push_buffers_metatable(L);
  lua_rawseti(L, table, kListsSlot);
  push_tasks(L);
  lua_rawseti(L, table, kTasksSlot);
  lua_newtable(L);
  lua_rawseti(L, table, kEntryMakersSlot);

  lua_newtable(L);  // owners: with weak values
  lua_newtable(L);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawseti(L, table, kOwnersSlot);

  lua_newtable(L);
  lua_pushstring(L, kVersion);
  lua_setfield(L, -2, "version");
  for (const luaL_Reg& function : kFunctions) {
    lua_pushvalue(L, module);
    lua_pushcclosure(L, function.func, 1);
    lua_setfield(L, -2, function.name);
  }
  lua_rawseti(L, table, kTableSlot);
  keep_module_table(L, table);
  lua_settop(L, table);
}

}  // namespace

int open_module(lua_State* L) {
  luaL_checkstack(L, 12, "laurel");
  push_module_table(L);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    make_module(L);
  }
  lua_rawgeti(L, -1, kTableSlot);
  lua_remove(L, -2);
  return 1;
}

}  // namespace laurel
