#include "bindings/lua/callback_owner.h"

#include "bindings/lua/userdata.h"

namespace laurel {

namespace {

// The key of the host in a Lua state's registry.
char host_key;

}  // namespace

CallbackHost* callback_host(lua_State* L) {
  lua_pushlightuserdata(L, &host_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* const host = static_cast<CallbackHost*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return host;
}

void push_environment(lua_State* L, const CallbackOwner& owner) {
  push_module_table(L);
  lua_rawgeti(L, -1, kOwnersSlot);
  lua_pushlightuserdata(L, const_cast<void*>(owner.userdata));
  lua_rawget(L, -2);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

lua_State* stack_of(const CallbackOwner& owner) {
  if (owner.host != nullptr) return owner.host->stack();
  return owner.running != nullptr ? owner.running : owner.main;
}

void set_callback_host(lua_State* L, CallbackHost* host) {
  lua_pushlightuserdata(L, &host_key);
  lua_pushlightuserdata(L, host);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void adopt_environment(lua_State* L) {
  lua_newtable(L);
  lua_rawseti(L, -3, kCallbacksSlot);
  push_module_table(L);
  lua_rawgeti(L, -1, kOwnersSlot);
  lua_pushlightuserdata(L, lua_touserdata(L, -3));
  lua_pushvalue(L, -5);
  lua_rawset(L, -3);
  lua_pop(L, 2);
  lua_pushvalue(L, -2);
  set_environment_of(L, -2);
}

}  // namespace laurel
