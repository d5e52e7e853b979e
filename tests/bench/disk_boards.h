// disk_boards.h - what the comparison asks of boards that come from a disk, or go to one.
#pragma once

#include <cstdint>
#include <string>

#include "comparison_table.h"

namespace laurel {

// Makes files in the directory: some 200 bytes a member.
void compare_disk_boards(ComparisonTable& table, const std::string& directory,
                         std::uint64_t members, std::size_t rounds);

}  // namespace laurel
