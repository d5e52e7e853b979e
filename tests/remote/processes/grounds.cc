#include "grounds.h"

#include <fstream>

#include "base/hash.h"
#include "remote/redis/shared_servers.h"
#ifdef LAUREL_DYNAMODB_LOCAL
#include "remote/dynamodb/local_engine.h"
#endif

namespace laurel {

namespace {

// Ties are broken by player: by time they would depend on the servers' clocks.
SharedBoard board(std::string_view keep, std::string_view order, Fields fields, int low = 0) {
  const bool own = keep == "latest" || keep == "first";
  fields.insert(fields.end(), {{"keep", keep}, {"order", order}, {"ties", "player"}});
  return {.name = fmt::format("{}-{}-{:x}", keep, order, random_u64()),
          .fields = std::move(fields),
          .own = own,
          .low = low};
}

Fields sharded(double shards) { return {{"engine", "sharded"}, {"shards", shards}}; }

Fields sharded_padded(double shards) {
  return {{"engine", "sharded"}, {"shards", shards}, {"of", "padded"}};
}

std::vector<SharedBoard> every_kind_in_redis() {
  std::vector<SharedBoard> boards = {board("best", "desc", sharded(16)),
                                     board("best", "asc", {}, -500),
                                     board("sum", "desc", sharded(5), -200),
                                     board("sum", "asc", sharded(1)),
                                     board("latest", "desc", sharded(3)),
                                     board("latest", "asc", {}),
                                     board("first", "desc", {{"ranking", "modified"}}),
                                     board("first", "asc", sharded(16), -500)};
  boards[2].fields.push_back({"decimals", 2.0});
  boards[2].parts = 100;
  boards[0].parts = 8;
  return boards;
}

#ifdef LAUREL_DYNAMODB_LOCAL
std::vector<SharedBoard> every_kind_in_dynamodb() {
  const Fields padded = {{"engine", "padded"}};
  return {board("best", "desc", sharded_padded(4)), board("sum", "asc", padded),
          board("latest", "desc", padded), board("first", "asc", sharded_padded(3))};
}
#endif

}  // namespace

std::vector<RemotePlace> remote_places() {
  std::vector<RemotePlace> places;
  if (const RedisServers* const servers = redis_cluster()) {
    places.push_back(
        {.name = "redis cluster", .url = servers->url(), .boards = every_kind_in_redis()});
  }
#ifdef LAUREL_DYNAMODB_LOCAL
  if (const auto& endpoint = local_engine()) {
    places.push_back({.name = "dynamodb",
                      .url = fresh_url(*endpoint),
                      .boards = every_kind_in_dynamodb(),
                      .pace = 10});
  }
#endif
  return places;
}

std::vector<SharedBoard> redis_boards() {
  return {board("sum", "desc", sharded(16)), board("sum", "asc", {}),
          board("latest", "desc", sharded(4))};
}

// doctest ignores arguments that it does not know.
bool is_long() {
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');) {
    if (word == "--long") return true;
  }
  return false;
}

}  // namespace laurel
