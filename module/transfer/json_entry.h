// json_entry.h - converts an entry between an engine's packed form and JSON.
#pragma once

#include <string>
#include <string_view>

#include "board/spec/spec.h"
#include "transfer/json_line.h"

namespace laurel {

// The members of an entry, or of activity on a rolling board. REQUIRES: the engine of `spec` packed
// it.
Json json_entry(const Spec& spec, std::string_view player, std::string_view packed);

struct ReadEntry {
  std::string player;
  std::string packed;
};
// Fails with bad_data if a member is missing, or if a board with this spec cannot hold the entry.
Result<ReadEntry> read_entry(const Spec& spec, const Json& value);

}  // namespace laurel
