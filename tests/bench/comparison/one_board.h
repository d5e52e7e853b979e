// one_board.h - the comparison on one full board: ours, the skiplist and Redis take turns, each
// with the same members.
#pragma once

#include <cstdint>

#include "bench/peers/redis_server.h"
#include "comparison_table.h"

namespace laurel {

// Fills all three, measures the growth of ours, and prints a row for each operation. `redis` may be
// null.
void compare_one_board(ComparisonTable& table, const RedisServers& servers, std::uint64_t members,
                       std::size_t rounds);

}  // namespace laurel
