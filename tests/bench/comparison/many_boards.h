// many_boards.h - the comparison with more than one order: boards that share their players, many
// small ones, shards read as one, and threads.
#pragma once

#include <cstdint>

#include "bench/peers/redis_server.h"
#include "comparison_table.h"

namespace laurel {

// `members` is the size of a large board; `redis` may be null.
void compare_many_boards(ComparisonTable& table, const RedisServers& servers, std::uint64_t members,
                         std::size_t rounds);

}  // namespace laurel
