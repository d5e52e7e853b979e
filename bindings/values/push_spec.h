// push_spec.h - a board's spec as the fields of a table that scripts read.
#pragma once

#include <vector>

#include <lua.hpp>

#include "bindings/values/call_buffers.h"
#include "board/spec/spec.h"

namespace laurel {

// Copies the fields of a spec. Uses no Lua, since a Lua error must not cross the visitor.
void copy_fields(const Spec& spec, std::vector<ShownField>& out);
// Sets the fields of the table on top of the stack; the fields of a window are in a nested table.
// May raise.
void set_fields(lua_State* L, const std::vector<ShownField>& fields);

}  // namespace laurel
