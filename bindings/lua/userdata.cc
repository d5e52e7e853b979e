#include "bindings/lua/userdata.h"

#include <array>
#include <cstdlib>

namespace laurel {

const char kLibrary = 0;

namespace {

constexpr std::array<const char*, kTypes + 1> kTypeNames = {"",     "boards", "board",
                                                            "live", "client", "board"};

void set_functions(lua_State* L, int module, Methods functions) {
  for (const luaL_Reg& function : functions) {
    lua_pushvalue(L, module);
    lua_pushcclosure(L, function.func, 1);
    lua_setfield(L, -2, function.name);
  }
}

}  // namespace

const char* name_of(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

void push_module_table(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&kLibrary));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

void keep_module_table(lua_State* L, int table) {
  lua_pushlightuserdata(L, const_cast<char*>(&kLibrary));
  lua_pushvalue(L, table);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void make_type(lua_State* L, int table, int module, Type type, Methods metamethods,
               std::initializer_list<Methods> methods) {
  lua_newtable(L);
  set_functions(L, module, metamethods);
  lua_newtable(L);
  for (const Methods& list : methods) set_functions(L, module, list);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name_of(type));
  lua_setfield(L, -2, "__metatable");  // getmetatable returns this, not the real metatable

  lua_rawseti(L, table, static_cast<int>(type));
}

void* push_userdata(lua_State* L, Type type, std::size_t size) {
  void* userdata = lua_newuserdata(L, size);
  lua_getfenv(L, lua_upvalueindex(1));
  lua_rawgeti(L, -1, static_cast<int>(type));
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  return userdata;
}

void* push_userdata_of_module(lua_State* L, Type type, std::size_t size) {
  void* userdata = lua_newuserdata(L, size);
  push_module_table(L);
  lua_rawgeti(L, -1, static_cast<int>(type));
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  return userdata;
}

void raise_bad_self(const Call& call, Type type) {
  luaL_error(call.L, "bad self to '%s' (%s expected, got %s; call it as %s:%s(...))", call.name,
             name_of(type), call.type_at(1), name_of(type), call.name);
  std::abort();  // luaL_error does not return
}

}  // namespace laurel
