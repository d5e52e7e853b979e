// module.h - the entry points of the Lua module, for a Lua state and for a host with scripts.
#pragma once

#include "registry/registry.h"

struct lua_State;

namespace laurel {

struct RegistryHandle;

// The Lua that the module is built for: "Lua 5.1".
extern const char* const kLuaVersion;

// Pushes the module's table: `local laurel = require "laurel"`. The first call in a Lua state makes
// it, later calls find it. May raise a Lua error.
int open_module(lua_State* L);

// Pushes a `boards` that borrows the registry of a host. The registry must outlive the Lua state's
// use of it. Collecting the handle does not close the registry, and `close` raises. Watches and
// channels started through this handle end when it is collected, or earlier:
// RegistryHandle::resources.
RegistryHandle& push_boards(lua_State* L, Registry& registry);

}  // namespace laurel
