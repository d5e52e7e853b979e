// type_name.h - the five types of userdata that a script can hold, and names of types for messages.
#pragma once

#include <lua.hpp>

namespace laurel {

enum class Type : int { boards = 1, board, live, client, remote_board };
inline constexpr int kTypes = 5;

// The type's name in messages and tostring.
const char* name_of(Type type);

// Its address identifies this copy of the library.
extern const char kLibrary;

// The base of every userdata of this library.
struct Userdata {
  explicit Userdata(Type type_in) : type(type_in) {}

  const void* library = &kLibrary;
  Type type;
};

// The type of the value at an index: "board" of a board, else Lua's name.
const char* type_name(lua_State* L, int index);

}  // namespace laurel
