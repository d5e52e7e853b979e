// url.h - the address of a table, and credentials.
//
//   dynamodb://region/table                                 Amazon's own, over TLS
//   dynamodb://region/table?endpoint=http://127.0.0.1:8123  another service with the same API
//
//   region       a to z, 0 to 9 and '-'.
//   table        3 to 255 of a to z, A to Z, 0 to 9, '_', '-', '.'
//   endpoint     http:// or https://, a host and a port, no path. Without TLS only hosts of this
//                machine are allowed, since the answers contain players' data.
//   credentials  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN if any. They are
//                optional for an endpoint on this machine: local engines accept any.
//   secrets      refusals do not show credentials or other parts of the URL.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel::dynamodb {

struct Credentials {
  std::string key;
  std::string secret;
  std::string session;  // empty: none
};

struct Place {
  std::string region;
  std::string table;
  std::string endpoint;  // "https://dynamodb.eu-west-1.amazonaws.com"
  bool local = false;    // on this machine: a missing table is created
  Credentials credentials;
};

// Reads an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> system_environment(const char* name);

// Fails with invalid. The message says what is wrong and what is allowed.
Result<Place> read_url(std::string_view url, const Environment& environment);

}  // namespace laurel::dynamodb
