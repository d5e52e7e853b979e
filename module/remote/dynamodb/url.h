// url.h - where a table is and who may use it.
//
//   dynamodb://region/table                                 Amazon's own, over TLS
//   dynamodb://region/table?endpoint=http://127.0.0.1:8123  another that speaks the same
//
//   region       a to z, 0 to 9 and '-'.
//   table        3 to 255 of a to z, A to Z, 0 to 9, '_', '-', '.'
//   endpoint     http:// or https://, a host and a port, no path. Without TLS only a host that is
//                this machine, since the answers hold players' data.
//   credentials  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN if any.
//                An endpoint on this machine needs none: engines there take any.
//   secrets      no refusal shows the URL's rest or a credential.
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
  bool local = false;    // on this machine: a missing table is made there
  Credentials credentials;
};

// Reads an environment variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> system_environment(const char* name);

// Fails with invalid, saying what is wrong and what is allowed.
Result<Place> read_url(std::string_view url, const Environment& environment);

}  // namespace laurel::dynamodb
