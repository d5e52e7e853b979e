// grounds.h - the back ends on which game servers share boards: a Redis Cluster, and DynamoDB
// Local.
#pragma once

#include <string>
#include <vector>

#include "posted.h"

namespace laurel {

struct RemotePlace {
  std::string name;
  std::string url;
  std::vector<SharedBoard> boards;  // of every `keep`, both orders, one shard and several
  int pace = 1;                     // how many times longer posts take than in Redis
};

// The back ends that are available; a message tells what is missing. Every call makes new board
// names.
std::vector<RemotePlace> remote_places();

// Boards for Redis with new names: two that sum, one on which each player uses one server.
std::vector<SharedBoard> redis_boards();

// True if the program was called with --long.
bool is_long();

}  // namespace laurel
