// A host in C with its board in a real Redis.
#include "../remote/redis/redis_fixture.h"
#include "plugin/host_fixture.h"
#include "remote_host.h"

TEST_CASE("two servers in C share a board in Redis") {
  const std::unique_ptr<laurel::RedisServers> redis = laurel::RedisServers::one();
  if (!redis) return;  // the fixture has said why
  const char* const wrong = play_remote(&laurel::test::api(), redis->url().c_str(), "world");
  CHECK_MESSAGE(wrong == nullptr, wrong);
}
