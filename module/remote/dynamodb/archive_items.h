// archive_items.h - the items of a season's copy, and their keys (TABLE.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "remote/dynamodb/net/json_item.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

inline constexpr const char* kCopyMetadata = "METADATA";

// REQUIRES: the target is a copy.
std::string copy_base_of(const Target& target);
// The spec for the rows of a copy. All are in one partition, even for sharded boards: they are
// written once and rarely read.
Spec flat_spec(const Spec& spec);
Json whole_value(std::uint64_t number);
// The items of copied rows.
struct CopiedItems {
  std::vector<Json> pointers;
  std::vector<Json> scores;
  bool odd_ids = false;
};
CopiedItems items_of_rows(const Target& target, const std::vector<CopiedRow>& rows);
// The attributes to set in METADATA, except the size. Attributes that are not among them stay as
// they are: `oddIds`, `whole`.
std::vector<std::pair<std::string, Json>> copy_facts(const Target& target,
                                                     const request::CopySeason& request,
                                                     bool odd_ids);

}  // namespace laurel::dynamodb
