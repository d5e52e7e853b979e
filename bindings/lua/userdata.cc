#include "bindings/lua/userdata.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/text.h"

namespace laurel {

namespace {

constexpr std::size_t kMethodsMax = 64;  // of one type
constexpr std::size_t kTypoLetters = 2;  // a swap of two letters; further names are not meant

// The method whose name is nearly that one, or an empty text. Expects the methods at index 1.
std::string_view nearest_method(lua_State* L, std::string_view name) {
  std::array<std::string_view, kMethodsMax> names;
  std::size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (count < names.size()) names[count++] = Call::string_at(L, -1);
  }
  return nearest(name, std::span(names).first(count), std::min(kTypoLetters, name.size() / 3));
}

// (methods, name) -> nil: there is no such method. Raises if the name is a typo.
int find_no_method(lua_State* L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    const std::string_view meant = nearest_method(L, Call::string_at(L, 2));
    if (!meant.empty()) {
      return luaL_error(L, "%s has no method '%s'; did you mean '%s'?",
                        lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2), meant.data());
    }
  }
  lua_pushnil(L);
  return 1;
}

}  // namespace

void push_module_table(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&kLibrary));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

void keep_module_table(lua_State* L, int table) {
  lua_pushlightuserdata(L, const_cast<char*>(&kLibrary));
  lua_pushvalue(L, table);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void make_type(lua_State* L, int table, Type type) {
  lua_newtable(L);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushstring(L, name_of(type));
  lua_pushcclosure(L, guarded<find_no_method>, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name_of(type));
  lua_setfield(L, -2, "__metatable");  // getmetatable returns this, not the real metatable
  lua_rawseti(L, table, static_cast<int>(type));
}

void add_methods(lua_State* L, int table, int module, Type type, Methods methods) {
  lua_rawgeti(L, table, static_cast<int>(type));
  lua_getfield(L, -1, "__index");
  for (const luaL_Reg& method : methods) {
    const bool is_metamethod = std::string_view(method.name).starts_with("__");
    lua_pushvalue(L, module);
    lua_pushcclosure(L, method.func, 1);
    lua_setfield(L, is_metamethod ? -3 : -2, method.name);
  }
  lua_pop(L, 2);
}

void* push_userdata(lua_State* L, Type type, std::size_t size) {
  void* userdata = lua_newuserdata(L, size);
  push_environment_of(L, lua_upvalueindex(1));
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
