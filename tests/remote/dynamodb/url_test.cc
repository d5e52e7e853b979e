// Which table a URL names, and which URLs are refused.
#include "remote/dynamodb/net/url.h"

#include <doctest/doctest.h>

#include "remote/remote.h"

namespace laurel::dynamodb {

namespace {

std::optional<std::string> nothing(const char*) { return std::nullopt; }
std::optional<std::string> somebody(const char* name) { return std::string("my-").append(name); }

}  // namespace

TEST_CASE("a URL names region and table, and the default endpoint is the region's") {
  const Result<Place> place = read_url("dynamodb://eu-west-1/leaderboards", somebody);
  REQUIRE(place);
  CHECK(place->region == "eu-west-1");
  CHECK(place->table == "leaderboards");
  CHECK(place->endpoint == "https://dynamodb.eu-west-1.amazonaws.com");
  CHECK_FALSE(place->local);
  CHECK(place->credentials.key == "my-AWS_ACCESS_KEY_ID");
  CHECK(place->credentials.session == "my-AWS_SESSION_TOKEN");
}

TEST_CASE("an endpoint on this machine needs no credentials") {
  const Result<Place> place =
      read_url("dynamodb://local/boards?endpoint=http://127.0.0.1:8123", nothing);
  REQUIRE(place);
  CHECK(place->endpoint == "http://127.0.0.1:8123");
  CHECK(place->local);
}

TEST_CASE("a malformed table URL is refused, and its text is not shown") {
  for (const std::string_view url :
       {"dynamodb://", "dynamodb://eu-west-1", "dynamodb://eu-west-1/", "dynamodb://EU/hunter2",
        "dynamodb://eu-west-1/hunter2/x", "dynamodb://eu-west-1/tab?secret=hunter2",
        "dynamodb://eu-west-1/tab?endpoint=ftp://hunter2",
        "dynamodb://eu-west-1/tab?endpoint=http://me:hunter2@127.0.0.1:1",
        "dynamodb://eu-west-1/tab?endpoint=http://127.0.0.1:1/hunter2",
        "dynamodb://eu-west-1/tab?endpoint=http://hunter2.example:80"}) {
    CAPTURE(url);
    const Result<Place> place = read_url(url, somebody);
    REQUIRE_FALSE(place);
    CHECK(place.refusal().code() == Code::invalid);
    CHECK(place.refusal().text().find("hunter2") == std::string_view::npos);
  }
}

TEST_CASE("Amazon's own endpoint needs credentials, and the refusal names them") {
  const Result<Place> place = read_url("dynamodb://eu-west-1/leaderboards", nothing);
  REQUIRE_FALSE(place);
  CHECK(place.refusal().text().find("AWS_ACCESS_KEY_ID") != std::string_view::npos);
}

}  // namespace laurel::dynamodb
