// json_entry.h - converts an entry between an engine's packed form and JSON.
//
//   score    a number; or, on a board with columns, an array of a number for each column.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "board/spec/spec.h"
#include "transfer/json_line.h"

namespace laurel {

// The members of an entry, or of activity on a rolling board. REQUIRES: the engine of `spec` packed
// it.
Json json_entry(const Spec& spec, std::string_view player, std::string_view packed);

// A score of such a board, and values that are not a whole score of it.
Json json_score(const Spec& spec, ScoreKey score);
Json json_values(const ColumnValues& values);
// Fails with bad_data if a board with this spec cannot hold the score. An array of a number for
// each column that is not a whole score is read into `differences`, if that is not null.
Result<ScoreKey> read_score(const Spec& spec, const Json& value,
                            std::optional<ColumnValues>* differences);

struct ReadEntry {
  std::string player;
  std::string packed;
};
// Fails with bad_data if a member is missing, or if a board with this spec cannot hold the entry.
Result<ReadEntry> read_entry(const Spec& spec, const Json& value);

}  // namespace laurel
