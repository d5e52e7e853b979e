// json_ids.h - converts the ids of a board's accepted results between their kept form and JSON.
#pragma once

#include <span>
#include <vector>

#include "board/results/accepted_ids.h"
#include "transfer/json_line.h"

namespace laurel {

struct AcceptedId {
  IdHash hash;
  Time at = 0;
};

// A line of an export has at most this many: about 40 bytes each.
inline constexpr std::size_t kIdsPerLine = 1000;

Json json_ids(const AcceptedIds::Seed& key, std::span<const AcceptedId> accepted);

struct ReadIds {
  AcceptedIds::Seed key{};
  std::vector<AcceptedId> accepted;
};
// Fails with bad_data.
Result<ReadIds> read_ids(const Json& value);

}  // namespace laurel
