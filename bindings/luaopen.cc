// The entry symbol of the Lua module: `require "laurel"`.
#include "bindings/module.h"

extern "C" __attribute__((visibility("default"))) int luaopen_laurel(lua_State* L) {
  return laurel::open_module(L);
}
