// disk_boards.h - the comparison of boards that are loaded from a disk, or written to one.
#pragma once

#include <cstdint>
#include <string>

#include "comparison_table.h"

namespace laurel {

// Makes files in the directory: about 200 bytes a member.
void compare_disk_boards(ComparisonTable& table, const std::string& directory,
                         std::uint64_t members, std::size_t rounds);

}  // namespace laurel
