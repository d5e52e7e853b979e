#include "remote/redis/net/url.h"

#include <cstdlib>

#include <doctest/doctest.h>

#include "remote/limits.h"

using namespace laurel;
using namespace laurel::redis;

TEST_CASE("a Redis URL names hosts, user and password") {
  const auto url = parse_url("redis://game:p%40ss,w@10.0.0.1:7000,cache,[::1]:7002");
  REQUIRE(url);
  CHECK(url->user == "game");
  CHECK(url->password == "p@ss,w");
  REQUIRE(url->hosts.size() == 3);
  CHECK(url->hosts[0] == Address{"10.0.0.1", 7000});
  CHECK(url->hosts[1] == Address{"cache", 6379});
  CHECK(url->hosts[2] == Address{"::1", 7002});
  CHECK(shown(url->hosts[2]) == "[::1]:7002");
  CHECK_FALSE(url->copies);
}

TEST_CASE("user and password default to the environment") {
  ::setenv("LAUREL_REDIS_USER", "somebody", 1);
  ::setenv("LAUREL_REDIS_PASSWORD", "secret", 1);
  const auto bare = parse_url("redis://cache");
  const auto given = parse_url("redis://:other@cache");
  ::unsetenv("LAUREL_REDIS_USER");
  ::unsetenv("LAUREL_REDIS_PASSWORD");
  REQUIRE(bare);
  CHECK(bare->user == "somebody");
  CHECK(bare->password == "secret");
  REQUIRE(given);
  CHECK(given->user.empty());
  CHECK(given->password == "other");
}

TEST_CASE("a rediss:// URL says whom to trust, who we are, and the name of the servers") {
  CHECK_FALSE(parse_url("redis://a")->tls);
  CHECK(parse_url("rediss://a")->tls == TlsOptions());
  const auto url = parse_url(
      "rediss://u:p@a:7000,b/?ca=/etc/redis/"
      "ca.pem&copies=2&cert=%2Fetc%2Fa%26b.pem&key=k&name=r.example");
  REQUIRE(url);
  CHECK(url->hosts == std::vector<Address>{{"a", 7000}, {"b", 6379}});
  CHECK(url->password == "p");
  CHECK(url->copies == 2u);
  CHECK(url->tls == TlsOptions{"/etc/redis/ca.pem", "/etc/a&b.pem", "k", "r.example"});
}

TEST_CASE("options of TLS that are wrong, or of no use, are refused") {
  for (const std::string& options : std::initializer_list<std::string>{
           "", "ca", "ca=", "ca=a&ca=b", "ca=a&", "&ca=a", "verify=no", "insecure=1", "cert=c",
           "key=k", "ca=%00", "ca=%4", "copies=17", "copies=1&copies=1",
           "name=" + std::string(254, 'a'), "ca=" + std::string(4097, 'a')}) {
    CAPTURE(options);
    const auto url = parse_url("rediss://u:hunter2@a?" + options);
    REQUIRE_FALSE(url);
    CHECK(url.refusal().text().find("cert=FILE and key=FILE together") != std::string_view::npos);
  }
  const auto plain = parse_url("redis://a?ca=ca.pem");
  REQUIRE_FALSE(plain);
  CHECK(plain.refusal().text().find("rediss://") != std::string_view::npos);
}

TEST_CASE("the only option of a Redis URL without TLS is the number of copies of a post") {
  CHECK(parse_url("redis://cache?copies=0")->copies == 0u);
  CHECK(parse_url("redis://u:p?copies=7@a:7000,b/?copies=2")->copies == 2u);
  CHECK(parse_url("redis://u:p?copies=7@a:7000,b/?copies=2")->password == "p?copies=7");
  CHECK(parse_url("redis://u:p?copies=7@a:7000,b/?copies=2")->hosts[1] == Address{"b", 6379});
  for (const char* text :
       {"redis://a?copies=17", "redis://a?copies=-1", "redis://a?copies=", "redis://a?copies=1x",
        "redis://a?", "redis://a?replicas=1", "redis://a?copies=1&copies=2"}) {
    CAPTURE(text);
    const auto url = parse_url(text);
    REQUIRE_FALSE(url);
    CHECK(url.refusal().code() == Code::invalid);
    CHECK(url.refusal().text().find("copies=N") != std::string_view::npos);
  }
}

TEST_CASE("an invalid Redis URL is refused without showing its password") {
  for (const char* text :
       {"redis://user:hunter2@host:0", "redis://user:hunter2@host:70000", "redis://u:hunter2@a:b",
        "redis://u:hunter2@", "redis://u:hunter2@a,,b", "redis://u:hunter2%4@a",
        "redis://u:hunter2@[::1", "redis://u:hunter2@a:", "redis://a?password=hunter2"}) {
    CAPTURE(text);
    const auto url = parse_url(text);
    REQUIRE_FALSE(url);
    CHECK(url.refusal().code() == Code::invalid);
    CHECK(url.refusal().text().find("hunter2") == std::string_view::npos);
  }
  std::string many = "redis://a";
  for (std::size_t i = 0; i < kRedisHostsMax; ++i) many += ",a";
  CHECK_FALSE(parse_url(many));
}
