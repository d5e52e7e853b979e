// module.h - the Lua module's doors: what a Lua state opens, and what a host hands its scripts.
#pragma once

#include "board/registry.h"

struct lua_State;

namespace laurel {

struct BoardsBox;

// Pushes the module's table: `local laurel = require "laurel"`. Once per Lua state it is made,
// later it is found. May raise a Lua error.
int open_module(lua_State* L);

// Pushes a `boards` that scripts share with their host: it borrows the registry, which outlives the
// Lua state's use of it, and neither collecting nor closing it in Lua ends the registry; close
// raises. What scripts begin there ends with its collection, or earlier: BoardsBox::borrowed.
BoardsBox& push_boards(lua_State* L, Registry& registry);

}  // namespace laurel
