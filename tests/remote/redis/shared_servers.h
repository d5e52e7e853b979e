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

// Servers that are known by their address, and want a certificate of their clients.
inline ServerTls tls_of(CertificateAuthority& authority) {
  return {.own = authority.issue({"127.0.0.1"}),
          .ca = authority.own().cert,
          .client = authority.issue({"game.example"})};
}

inline RedisServers* redis_tls_cluster() {
  static CertificateAuthority authority;
  static const std::unique_ptr<RedisServers> kServers =
      RedisServers::cluster({.tls = tls_of(authority)});
  return kServers.get();
}

}  // namespace laurel
