#include "bindings/lua_state.h"

#include <doctest/doctest.h>

#include "bindings/module.h"

namespace laurel::test {

LuaState::LuaState() : L_(luaL_newstate()) {
  luaL_openlibs(L_);
  lua_getglobal(L_, "package");
  lua_getfield(L_, -1, "preload");
  lua_pushcfunction(L_, open_module);
  lua_setfield(L_, -2, "laurel");
  lua_pushstring(L_, LAUREL_SPECS "/?.lua;" LAUREL_SCRIPTS "/?.lua");
  lua_setfield(L_, -3, "path");
  lua_settop(L_, 0);
}

std::string LuaState::run(const std::string& chunk) {
  lua_settop(L_, 0);
  if (luaL_loadstring(L_, chunk.c_str()) == 0 && lua_pcall(L_, 0, LUA_MULTRET, 0) == 0) return {};
  const char* message = lua_tostring(L_, -1);
  return message != nullptr ? message : "(no message)";
}

std::string LuaState::text(const std::string& chunk) {
  const std::string error = run(chunk);
  CAPTURE(error);
  REQUIRE(error.empty());
  lua_getglobal(L_, "tostring");
  lua_pushvalue(L_, 1);
  lua_call(L_, 1, 1);
  return lua_tostring(L_, -1);
}

void LuaState::close() {
  if (L_ != nullptr) lua_close(L_);
  L_ = nullptr;
}

void run_specs(const std::string& file, const std::string& before) {
  LuaState lua;
  const std::string error = lua.run(before + "\nlocal spec = require 'spec'\ndofile('" + file +
                                    "')\nreturn spec.passed, unpack(spec.failures)");
  REQUIRE_MESSAGE(error.empty(), error);
  CHECK(lua_tointeger(lua.get(), 1) > 0);
  for (int i = 2; i <= lua_gettop(lua.get()); ++i) {
    const std::string failure = lua_tostring(lua.get(), i);
    FAIL_CHECK(failure);
  }
}

}  // namespace laurel::test
