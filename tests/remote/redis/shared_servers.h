// shared_servers.h - the servers that all tests of this program share, started by whoever asks
// first. Null where there is no redis-server.
#pragma once

#include "redis_fixture.h"

namespace laurel {

inline RedisServers* one_redis() {
  static const std::unique_ptr<RedisServers> kServers = RedisServers::one();
  return kServers.get();
}

inline RedisServers* redis_cluster() {
  static const std::unique_ptr<RedisServers> kServers = RedisServers::cluster();
  return kServers.get();
}

}  // namespace laurel
