// shared_servers.h - servers that all tests of this program share. The first call starts them. Null
// if redis-server is not installed.
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
