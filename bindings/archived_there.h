// archived_there.h - board:archived where the board lives here and the season is kept in the remote
// called "archive" only: it asks and stands still, as calls on remote boards do, and answers with a
// remote board of that season, or nil where there is no copy.
#pragma once

#include <cstdint>

#include <lua.hpp>

#include "bindings/remote_call.h"

namespace laurel {

// Whether the season may be there: it has ended, is not kept here, and seasons are copied.
bool may_be_there(const BoardsBox& box, const Board& board, std::uint64_t season);
// REQUIRES: may_be_there. `created` is the board's.
int archived_there(const Call& call, const BoardRef& self, std::uint64_t season, Time created);

// Puts the board here that such a remote board is of in its place, at index 1, and says whether it
// is one. Raises `dropped` where that board is not there any more.
bool is_archived_there(const Call& call, const RemoteBoardRef& self);

}  // namespace laurel
