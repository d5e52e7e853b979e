#include "base/text.h"
#include "registry/remotes.h"
#include "remote/dynamodb/dynamodb_remote.h"
#include "remote/redis/redis_remote.h"
#include "remote/remote.h"

namespace laurel {

Status remotes_are_built() { return Done{}; }

namespace {

// Nothing after the scheme of a URL is shown: it may hold a password.
std::string_view scheme_of(std::string_view url) {
  const std::size_t end = url.find("://");
  return end == std::string_view::npos ? std::string_view() : url.substr(0, end);
}

}  // namespace

Result<std::unique_ptr<Remote>> open_remote(std::string_view url) {
  if (scheme_of(url).starts_with("redis")) return redis::RedisRemote::open(url);
  if (scheme_of(url) == "dynamodb") return open_dynamodb(url);
  return Refusal(Code::invalid, "a remote's URL begins with redis:// or dynamodb://, not {}://",
                 escaped(scheme_of(url), 16));
}

}  // namespace laurel
