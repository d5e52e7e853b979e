// remote_archive.h - board:archived for a local board whose season is only in the remote called
// "archive": the task waits, as in calls on remote boards. The answer is a remote board of that
// season, or nil if no copy exists.
#pragma once

#include <cstdint>

#include <lua.hpp>

#include "bindings/remote/remote_call.h"

namespace laurel {

// True if the season may be in the archive: it has ended, is not kept locally, and seasons are
// copied.
bool may_be_archived(const RegistryHandle& boards, const Board& board, std::uint64_t season);
// Requests the season from the archive. REQUIRES: may_be_archived. `created` is the creation time
// of the board.
int request_archived(const Call& call, const BoardRef& self, std::uint64_t season, Time created);

// If the remote board is a copy from the archive, replaces it at index 1 by its local source board
// and returns true. Raises `dropped` if the source board no longer exists.
bool redirect_to_source_board(const Call& call, const RemoteBoardRef& self);

}  // namespace laurel
