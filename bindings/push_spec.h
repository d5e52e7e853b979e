// push_spec.h - a board's spec as the fields of a table that scripts read.
#pragma once

#include <vector>

#include <lua.hpp>

#include "bindings/lists.h"
#include "board/spec.h"

namespace laurel {

// Fields of a spec with their values copied; nothing of Lua, since a callback walks over them.
void copy_fields(const Spec& spec, std::vector<ShownField>& out);
// Sets fields of the table on top; those of a window lie in a table of their own. May raise.
void set_fields(lua_State* L, const std::vector<ShownField>& fields);

}  // namespace laurel
