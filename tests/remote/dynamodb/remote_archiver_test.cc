// Seasons that end in Redis, in an archive in DynamoDB: real engines, started for the test.
#include <random>

#include <doctest/doctest.h>

#include "base/hash.h"
#include "local_engine.h"
#include "remote/conformance/twins.h"
#include "remote/redis/redis_fixture.h"
#include "remote/waiting_server.h"

namespace laurel {

namespace {

RegistryOptions options_of(const std::string& redis, const std::string& table) {
  Result<std::unique_ptr<RemoteBoards>> remotes =
      RemoteBoards::open({.urls = {{"main", redis}, {"archive", table}}, .timeout = 20 * kSecond});
  if (!remotes) FAIL(remotes.refusal().text());
  return {.remotes = std::move(*remotes)};
}

// A game server with boards in Redis and an archive in DynamoDB.
struct CarryingServer : WaitingServer {
  CarryingServer(const std::string& redis, const std::string& table)
      : WaitingServer(options_of(redis, table)) {}

  BoardHandle open(const std::string& name, const Fields& fields) {
    const Result<BoardHandle> handle = boards->open(name, spec(fields));
    if (!handle) FAIL(handle.refusal().text());
    return *handle;
  }
};

// A board of each form that Redis takes, with scores that it takes.
struct Played {
  std::string name;
  Fields fields;
  BoardHandle board;
  Time created = 0;
  std::vector<std::string> answers;  // about the first season
};

std::vector<Fields> all_fields() {
  return {{{"ties", "player"}},
          {{"order", "asc"}, {"ties", "latest"}, {"ranking", "modified"}},
          {{"order", "asc"}, {"ties", "player_desc"}, {"ranking", "ordinal"}},
          {{"decimals", 2.0}, {"keep", "sum"}},
          {{"engine", "sharded"}, {"shards", 3.0}, {"ties", "player_desc"}},
          {{"engine", "sharded"}, {"shards", 4.0}, {"order", "asc"}, {"decimals", 0.0}}};
}

std::vector<std::string> ids() {
  std::vector<std::string> ids = {"~x", "\xc3\xa9mile", "{a", "a#b", "\xff", "\xff\xfe", "#"};
  for (int i = 0; i < 140; ++i) ids.push_back(fmt::format("p{}", i));
  return ids;
}

void play(CarryingServer& server, const Played& played, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> all = ids();
  std::size_t answered = 0;
  for (const std::string& id : all) {
    request::Write write;
    write.what = {.player = id, .score = static_cast<double>(random() % 9) - 2};
    if (random() % 3 == 0) write.what.data = std::string(random() % 4, '\xfd');
    write.what.at = 1000 + static_cast<double>(random() % 4) / 8;
    server.boards->ask(played.board, 0, write, [&](const Result<Value>& value) {
      if (!value) FAIL(value.refusal().text());
      ++answered;
    });
  }
  server.tick_until([&] { return answered == all.size(); });
}

// What Redis and DynamoDB must answer alike.
std::vector<std::string> answers(CarryingServer& server, BoardHandle board) {
  std::vector<Request> all = {request::Size{}, request::Page{0, 1000}, request::Page{3, 5},
                              request::Bottom{4}};
  all.push_back(request::Count{{0, 3}});
  all.push_back(request::Between{{0, 3}, 5});
  all.push_back(request::RankOf{2});
  for (const char* id : {"a#b", "\xff", "p7", "nobody"}) {
    all.push_back(request::Get{id});
    all.push_back(request::Rank{id, {}});
    all.push_back(request::Around{id, 0});
    all.push_back(request::Around{id, 2});
    all.push_back(request::Percentile{id});
  }
  all.push_back(request::ReadSeason{});
  std::vector<std::string> shown;
  for (const Request& what : all) shown.push_back(shown_answer(server.ask(board, what, 1)));
  return shown;
}

}  // namespace

TEST_CASE(
    "S3-26: a season from Redis answers in DynamoDB as before, without the forgotten players") {
  const std::unique_ptr<RedisServers> redis = RedisServers::one();
  if (!redis || !local_engine()) return;  // a message has said so
  const std::string table = fresh_url(*local_engine());
  CarryingServer first(redis->url(), table);
  std::vector<Played> all;
  for (Fields fields : all_fields()) {
    fields.push_back({"remote", "main"});
    fields.push_back({"archive", 1.0});
    Played played{fmt::format("{:x}", random_u64()), fields, {}, 0, {}};
    played.board = first.open(played.name, fields);
    play(first, played, all.size());
    REQUIRE(first.ask(played.board, request::Reset{}));
    played.created = first.get<SeasonFacts>(played.board, request::ReadSeason{}).created;
    all.push_back(std::move(played));
  }

  // A second server finds the seasons and copies them. Meanwhile the first forgets two players.
  CarryingServer second(redis->url(), table);
  for (const Played& played : all) second.open(played.name, played.fields);
  for (int ticks = 0; ticks < 20; ++ticks) second.registry->tick();
  REQUIRE(first.registry->forget("p5"));
  REQUIRE(first.registry->forget("p70"));
  for (Played& played : all) {
    CAPTURE(played.name);
    first.tick_until([&] { return second.find_copy(played.name, played.created, 1).exists; });
  }
  // The copies are final when the forgotten players are in none of the seasons.
  for (Played& played : all) {
    first.tick_until([&] {
      second.registry->tick();
      return first.get<std::uint64_t>(played.board, request::Size{}, 1) == ids().size() - 2;
    });
    played.answers = answers(first, played.board);
    REQUIRE(first.ask(played.board, request::Write{.what = {.player = "p1", .score = 1}}));
    REQUIRE(first.ask(played.board, request::Reset{}));  // Redis drops the first season
  }
  for (const Played& played : all) {
    CAPTURE(played.name);
    CHECK(first.get<std::vector<std::uint64_t>>(played.board, request::Seasons{}) ==
          std::vector<std::uint64_t>{3, 2});
    first.tick_until([&] {
      return first.get<std::uint64_t>(played.board, request::Size{}, 1) == ids().size() - 2;
    });
    CHECK(answers(first, played.board) == played.answers);
  }
  CHECK(first.errors == std::vector<std::string>());
  CHECK(second.errors == std::vector<std::string>());
}

}  // namespace laurel
