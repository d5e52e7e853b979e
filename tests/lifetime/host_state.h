// host_state.h - the Lua state of a host. It finds laurel.so by package.cpath, as real hosts do.
#pragma once

#include <string>

#include <lua.hpp>

namespace laurel::test {

class HostState {
 public:
  HostState() : L_(luaL_newstate()) {
    luaL_openlibs(L_);
    const std::string library = LAUREL_LIBRARY;
    lua_getglobal(L_, "package");
    lua_pushstring(L_, (library.substr(0, library.rfind('/')) + "/?.so").c_str());
    lua_setfield(L_, -2, "cpath");
    lua_settop(L_, 0);
  }
  ~HostState() { lua_close(L_); }
  HostState(const HostState&) = delete;
  HostState& operator=(const HostState&) = delete;

  void set(const char* global, const std::string& value) {
    lua_pushlstring(L_, value.data(), value.size());
    lua_setglobal(L_, global);
  }
  // Runs a chunk. Returns its result or error as text.
  std::string text(const std::string& chunk) {
    lua_settop(L_, 0);
    if (luaL_loadstring(L_, chunk.c_str()) == 0) lua_pcall(L_, 0, 1, 0);
    const char* text = lua_tostring(L_, -1);
    return text != nullptr ? text : lua_typename(L_, lua_type(L_, -1));
  }

 private:
  lua_State* L_;
};

}  // namespace laurel::test
