// lua_calls.h - what Lua adds to the comparison: a submission that a script makes, and one that a
// rule judges, each over the same submission without.
#pragma once

#include <cstdint>
#include <string>

#include "comparison_table.h"

namespace laurel {

// The rule's file is made in the directory.
void compare_lua_calls(ComparisonTable& table, const std::string& directory, std::uint64_t members,
                       std::size_t rounds);

}  // namespace laurel
