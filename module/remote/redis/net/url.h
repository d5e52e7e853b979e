// url.h - the address and the credentials of a Redis:
// redis://[user:password@]host[:port][,host[:port]...][?copies=N]
// rediss://..., over TLS, with the options ca, cert, key and name as well: ?ca=FILE&copies=N
//
//   hosts     any nodes of a cluster, or one server and its possible successors. Names, IPv4
//             addresses, and IPv6 addresses in brackets. The default port is 6379.
//   user      and password may be percent-encoded; ":password@" has no user. If the URL has none,
//             they are taken from LAUREL_REDIS_USER and LAUREL_REDIS_PASSWORD.
//   options   each once, with & between them. Bytes of a value may be percent-encoded: "@", "&" and
//             "%" must be.
//   copies    how many replicas must have a post before it is acknowledged (node.h).
//   TLS       ca: a file of trusted certificates; cert and key: files with our own certificate
//             (tls_client.h); name: the name that the servers' certificates must have
//             (tls_session.h). Paths are of at most kTlsPathBytesMax, names of kTlsNameBytesMax.
//   secrets   a refusal shows at most the hosts of a URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace laurel::redis {

struct Address {
  std::string host;
  std::uint16_t port = 6379;

  friend auto operator<=>(const Address&, const Address&) = default;
};

// "host:port", as shown in logs and refusals.
std::string shown(const Address& address);

// How TLS is spoken. All may be empty.
struct TlsOptions {
  std::string ca;    // trusted certificates; empty: those of the system
  std::string cert;  // our certificate, and its key: both or none
  std::string key;
  std::string name;  // of the servers' certificates; empty: each has the name of its host

  friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

struct Url {
  std::vector<Address> hosts;      // 1 to kRedisHostsMax
  std::string user;                // empty: the default user
  std::string password;            // empty: no authentication
  std::optional<unsigned> copies;  // at most kRedisCopiesMax; nothing: one while there is a replica
  std::optional<TlsOptions> tls;   // nothing: redis://
};

// Fails with invalid.
Result<Url> parse_url(std::string_view text);

}  // namespace laurel::redis
