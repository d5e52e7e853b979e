// push_boards.h - the list of published boards as the table that scripts read.
#pragma once

#include <lua.hpp>

#include "live/client/held_boards.h"

namespace laurel {

// Pushes an array of { board=, order=, decimals=, columns=, ranking=, meta=, size=, season=,
// resets_at=, closes_at= }, without the fields that have no value. May raise, and may run
// finalizers.
void push_boards(lua_State* L, const ListedBoards& boards);

}  // namespace laurel
