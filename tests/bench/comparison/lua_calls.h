// lua_calls.h - what Lua adds in the comparison: a submission from a script, and one that a rule
// decides, each compared with the same submission from C++ without a rule.
#pragma once

#include <cstdint>
#include <string>

#include "comparison_table.h"

namespace laurel {

// Writes the rule's file into the directory.
void compare_lua_calls(ComparisonTable& table, const std::string& directory, std::uint64_t members,
                       std::size_t rounds);

}  // namespace laurel
