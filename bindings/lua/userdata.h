// userdata.h - the five userdata types that a script can hold, and how a function checks them.
//
//   module     one per Lua state: a userdata, upvalue 1 of every function, whose environment table
//              holds the metatables of its types. Two copies of the library in one state have two
//              modules that share nothing.
//   type       each userdata begins with an address that only this copy of the library has, and a
//              type tag. No script can write to it, so it cannot be forged, whatever
//              debug.setmetatable does. The check is cheaper than comparing metatables.
//   slots      what the module's table holds, by number.
#pragma once

#include <cstddef>
#include <span>

#include <lua.hpp>

#include "bindings/lua/args.h"
#include "bindings/lua/type_name.h"

namespace laurel {

// Slots of the module's table, after one metatable for each type.
inline constexpr int kModuleSlot = kTypes + 1;       // the userdata that is upvalue 1
inline constexpr int kTableSlot = kTypes + 2;        // what `require "laurel"` returns
inline constexpr int kTracebackSlot = kTypes + 3;    // a message handler for lua_pcall
inline constexpr int kOwnersSlot = kTypes + 4;       // weak: address of a userdata -> its table
inline constexpr int kListsSlot = kTypes + 5;        // the metatable of spare list buffers
inline constexpr int kTasksSlot = kTypes + 6;        // what holds the tasks
inline constexpr int kEntryMakersSlot = kTypes + 7;  // functions that make tables of entries

// Pushes the module's table of this Lua state, or nil before the module was opened.
void push_module_table(lua_State* L);
// Registers the table at an index as the module's table of this Lua state.
void keep_module_table(lua_State* L, int table);

using Methods = std::span<const luaL_Reg>;

// Makes the metatable of a type. Expects the module's table at index `table`.
void make_type(lua_State* L, int table, Type type);
// Adds functions to a type, by name: metamethods if they begin with "__". Expects the module's
// userdata at `module`, which becomes their upvalue.
void add_methods(lua_State* L, int table, int module, Type type, Methods methods);

// Pushes a new userdata of a type. REQUIRES: upvalue 1 of the running function is the module. The
// caller constructs the object in that memory before it does anything else.
void* push_userdata(lua_State* L, Type type, std::size_t size);

// As push_userdata, for functions without the upvalue. REQUIRES: the state has opened the module.
void* push_userdata_of_module(lua_State* L, Type type, std::size_t size);

// Returns the userdata at an index if it is of that type, else null.
template <typename T>
T* find_userdata(lua_State* L, int index) {
  void* memory = lua_touserdata(L, index);
  if (memory == nullptr || raw_length(L, index) < sizeof(T)) return nullptr;
  auto* userdata = static_cast<Userdata*>(memory);
  const bool ours = userdata->library == &kLibrary && userdata->type == T::kType;
  return ours ? static_cast<T*>(userdata) : nullptr;
}

// bad self to 'submit' (board expected, got table; call it as board:submit(...))
[[noreturn]] void raise_bad_self(const Call& call, Type type);

// Inline in each method, as the other steps of a submission: one from Lua takes 30 to 40 ns more
// than one from C++, so that each call between them counts.
template <typename T>
[[gnu::always_inline]] inline T& self_of(const Call& call) {
  T* self = find_userdata<T>(call.L, 1);
  if (self == nullptr) raise_bad_self(call, T::kType);
  return *self;
}

}  // namespace laurel
