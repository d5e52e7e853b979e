// grounds.h - where game servers share boards: a Redis Cluster, and DynamoDB as it runs locally.
#pragma once

#include <string>
#include <vector>

#include "remote/processes/posted.h"

namespace laurel {

struct RemotePlace {
  std::string name;
  std::string url;
  std::vector<SharedBoard> boards;  // of every `keep`, both orders, one shard and several
  int pace = 1;                     // posts take so much longer than in Redis
};

// Those that can be had here; what is missing was said. Names of boards are new with every call.
std::vector<RemotePlace> remote_places();

// Likewise, boards for a Redis: two with sums, one where players have one server each.
std::vector<SharedBoard> redis_boards();

// Whether the program was called with --long.
bool is_long();

}  // namespace laurel
