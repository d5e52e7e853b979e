// lua_state.h - a Lua state with the module built in, for tests.
#pragma once

#include <string>

#include <lua.hpp>

namespace laurel::test {

class LuaState {
 public:
  LuaState();
  ~LuaState() { close(); }
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  lua_State* get() const { return L_; }
  // Runs a chunk and leaves its results on the stack. Returns the error, or an empty string.
  std::string run(const std::string& chunk);
  // Runs the chunk, fails the test if it raises, and returns its one result as a string.
  std::string text(const std::string& chunk);
  void close();

 private:
  lua_State* L_;
};

// Runs a chunk, then a spec file, in a new state. Each test that fails is a failed check.
void run_specs(const std::string& file, const std::string& before = "");

}  // namespace laurel::test
