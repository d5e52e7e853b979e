// fake_players.h - players and sessions of the engine that tests put elsewhere: a registry's own.
#pragma once

#include "board/registry.h"
#include "remote/ask.h"

namespace laurel {

// REQUIRES: is_of_players(what). Its now is the registry's.
Result<Value> answer_of_players(Registry& registry, const Ask& what);

}  // namespace laurel
