// json_entry.h - what a board holds of a player, between an engine's packed form and JSON.
#pragma once

#include <string>
#include <string_view>

#include "board/spec.h"
#include "transfer/json_line.h"

namespace laurel {

// An entry's members, or an activity's on a rolling board. REQUIRES: `packed` is of such an engine.
Json json_entry(const Spec& spec, std::string_view player, std::string_view packed);

struct ReadEntry {
  std::string player;
  std::string packed;
};
// Fails with bad_data: a member is missing, or no board with this spec can hold it.
Result<ReadEntry> read_entry(const Spec& spec, const Json& value);

}  // namespace laurel
