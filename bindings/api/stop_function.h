// stop_function.h - the function that a script gets for a watch or a handler, and that ends it.
//
//   begin    it is made before what it ends: if memory runs out, nothing is left without one.
//   again    a second call does nothing; nor does a call after the boards were closed.
#pragma once

#include <cstdint>

#include "bindings/handle/registry_handle.h"
#include "bindings/lua/args.h"

namespace laurel {

// Ends the watch or the handler with this id. The boards are open.
using EndCalls = void (*)(RegistryHandle& boards, std::uint64_t id, CallbackKey key);

// The function's upvalues.
inline constexpr int kStopBoards = 2;
inline constexpr int kStopId = 3;
inline constexpr int kStopKey = 4;

template <EndCalls end>
int stop_calls(lua_State* L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(kStopBoards));
  RegistryHandle& boards = *static_cast<RegistryHandle*>(lua_touserdata(L, 1));
  if (!boards.open()) return 0;
  const auto id = static_cast<std::uint64_t>(lua_tonumber(L, lua_upvalueindex(kStopId)));
  const auto key = static_cast<CallbackKey>(lua_tonumber(L, lua_upvalueindex(kStopKey)));
  end(boards, id, key);
  drop_callback(L, 1, key);
  return 0;
}

// Pushes the function. Expects the boards, or one of them, at stack index 1.
template <EndCalls end>
void push_stop_function(lua_State* L, CallbackKey key) {
  lua_pushvalue(L, lua_upvalueindex(1));
  push_environment_of(L, 1);
  lua_rawgeti(L, -1, kRegistrySlot);
  lua_remove(L, -2);
  push_number(L, 0);
  push_number(L, static_cast<double>(key));
  lua_pushcclosure(L, guarded<stop_calls<end>>, kStopKey);
}

// Returns the function on top of the stack if the watch or the handler has begun, with its id; else
// the reason, and drops the callback.
inline int return_stop_function(lua_State* L, CallbackKey key, const Result<std::uint64_t>& begun) {
  if (!begun) {
    drop_callback(L, 1, key);
    return refuse(L, begun.refusal());
  }
  push_number(L, static_cast<double>(*begun));
  lua_setupvalue(L, -2, kStopId);
  return 1;
}

}  // namespace laurel
