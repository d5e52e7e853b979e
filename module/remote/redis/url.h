// url.h - where a Redis is, and who asks:
// redis://[user:password@]host[:port][,host[:port]...][?copies=N]
//
//   hosts     any of a cluster's nodes, or one server and those that may take its place. Names,
//             IPv4 addresses, and IPv6 ones in brackets. Without a port it is 6379.
//   user      and password may be percent-encoded; ":password@" has no user. What the URL leaves
//             out LAUREL_REDIS_USER and LAUREL_REDIS_PASSWORD say.
//   copies    how many replicas have a post before it counts as acknowledged (node.h).
//   secrets   no refusal shows more of a URL than the hosts.
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

// "host:port", as logs and refusals show it.
std::string shown(const Address& address);

struct Url {
  std::vector<Address> hosts;  // 1 to kRedisHostsMax
  std::string user;            // empty: the default one
  std::string password;        // empty: none is asked for
  std::optional<unsigned>
      copies;  // at most kRedisCopiesMax; nothing: one, while there is a replica
};

// Fails with invalid.
Result<Url> parse_url(std::string_view text);

}  // namespace laurel::redis
