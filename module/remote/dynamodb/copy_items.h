// copy_items.h - what an item of a copied season says, and where it lies (TABLE.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "remote/dynamodb/json_item.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

inline constexpr const char* kCopyMetadata = "METADATA";

// REQUIRES: the target is of a copy.
std::string copy_base_of(const Target& target);
// The spec under which rows are written: all lie in one partition, whatever the board's shards,
// since they are written once and seldom read.
Spec flat_spec(const Spec& spec);
Json whole_value(std::uint64_t number);
// What METADATA is to say of the season, but for its size. What was said before and is not among
// them stays said: `oddIds`, `whole`.
std::vector<std::pair<std::string, Json>> copy_facts(const Target& target,
                                                     const ask::CopySeason& ask, bool odd_ids);

}  // namespace laurel::dynamodb
