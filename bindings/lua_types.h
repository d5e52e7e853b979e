// lua_types.h - the five things that a script can hold, and how a function knows its own.
//
//   module     one per Lua state: a userdata, upvalue 1 of every function, whose environment table
//              holds the metatables of its types. Two copies of the library in one state have two
//              modules that share nothing.
//   type       of a userdata of ours. It is known by what is inside: an address that only this copy
//              of the library has, and a tag. No script can write there, so it cannot be forged,
//              whatever debug.setmetatable does; and it is cheaper to look at than a metatable.
//   slots      what the module's table holds, by number.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include <lua.hpp>

#include "bindings/lua_args.h"

namespace laurel {

enum class Type : int { boards = 1, board, live, client, remote_board };
inline constexpr int kTypes = 5;

// The name that messages and tostring give it.
const char* name_of(Type type);

// Its address is this copy of the library.
extern const char kLibrary;

// What every userdata of ours begins with.
struct Userdata {
  explicit Userdata(Type type_in) : type(type_in) {}

  const void* library = &kLibrary;
  Type type;
};

// Slots of the module's table, after one metatable for each type.
inline constexpr int kModuleSlot = kTypes + 1;     // the userdata that is upvalue 1
inline constexpr int kTableSlot = kTypes + 2;      // what `require "laurel"` returns
inline constexpr int kTracebackSlot = kTypes + 3;  // a message handler for lua_pcall
inline constexpr int kOwnersSlot = kTypes + 4;     // weak: address of a userdata -> its table
inline constexpr int kListsSlot = kTypes + 5;      // the metatable of spare list buffers
inline constexpr int kTasksSlot = kTypes + 6;      // what holds the tasks

// Pushes the module's table of this Lua state, or nil before the module was opened.
void push_module_table(lua_State* L);
// Makes the table at an index the module's of this Lua state.
void keep_module_table(lua_State* L, int table);

using Methods = std::span<const luaL_Reg>;

// Makes the metatable of a type. Expects the module's table at index `table` and its userdata at
// `module`; each list's functions get the latter as their upvalue.
void make_type(lua_State* L, int table, int module, Type type, Methods metamethods,
               std::initializer_list<Methods> methods);

// A new userdata of a type, on top of the stack; call it from a function that has the upvalue.
// The caller constructs it in that memory before anything else.
void* push_userdata(lua_State* L, Type type, std::size_t size);

// Likewise anywhere, while the state has the module.
void* push_userdata_of_module(lua_State* L, Type type, std::size_t size);

// The value at an index if it is a userdata of that type, else null.
template <typename T>
T* find_userdata(lua_State* L, int index) {
  void* memory = lua_touserdata(L, index);
  if (memory == nullptr || lua_objlen(L, index) < sizeof(T)) return nullptr;
  auto* userdata = static_cast<Userdata*>(memory);
  const bool ours = userdata->library == &kLibrary && userdata->type == T::kType;
  return ours ? static_cast<T*>(userdata) : nullptr;
}

// bad self to 'submit' (board expected, got table; call it as board:submit(...))
[[noreturn]] void raise_bad_self(const Call& call, Type type);

template <typename T>
T& self_of(const Call& call) {
  T* self = find_userdata<T>(call.L, 1);
  if (self == nullptr) raise_bad_self(call, T::kType);
  return *self;
}

}  // namespace laurel
