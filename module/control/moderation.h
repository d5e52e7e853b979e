// moderation.h - carries out an order of a moderator, at once or for the control socket.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "control/moderation_line.h"
#include "registry/registry.h"

namespace laurel {

// That no board has this name, and which one has a similar name.
Refusal unknown_board(const Registry& registry, std::string_view name);

// Does it, and says what was done in one sentence; text of players is escaped. What is so already
// is not a refusal. Nothing is on the disk yet. A score is a number, or on a board with columns a
// number for each with commas between them; a moment is in Unix seconds or ISO 8601.
// Fails with unknown      there is no such board, or no such result to take back
//            unsupported  the board is remote, or a part of a board
//            bad_data     the score or the moment cannot be read
//            and as the call of the registry or board does.
Result<std::string> moderate(Registry& registry, const Moderation& order);

}  // namespace laurel
