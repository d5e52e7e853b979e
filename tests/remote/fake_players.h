// fake_players.h - players and sessions in the fake store: they are those of its registry.
#pragma once

#include "registry/registry.h"
#include "remote/request/request.h"

namespace laurel {

// REQUIRES: is_of_players(what). The time is the registry's own.
Result<Value> answer_of_players(Registry& registry, const Request& what);

}  // namespace laurel
