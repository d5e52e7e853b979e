// Remote players and sessions, as a game server uses them.
#include <doctest/doctest.h>

#include "folder.h"
#include "servers.h"

namespace laurel {

namespace {

struct WithPlayers {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();

  GameServer server(const std::string& path = "") {
    return GameServer(time, store,
                      {.path = path, .rules = {}, .seed = 1, .weather = {}, .players = true});
  }
};

Result<Value> asked(GameServer& server, Request what) { return server.ask({}, std::move(what)); }

request::SavePlayer anna() { return {.id = "anna", .name = "Anna", .email = "a@x"}; }

bool is_known(GameServer& server, const std::string& id) {
  Result<Value> value = asked(server, request::ReadPlayer{id});
  REQUIRE(value);
  return std::get<std::optional<OwnedProfile>>(*value).has_value();
}

}  // namespace

TEST_CASE("a player saved by one server is read by another") {
  WithPlayers game;
  GameServer one = game.server();
  GameServer two = game.server();
  CHECK(outcome(asked(one, anna())) == "ok");
  CHECK(is_known(two, "anna"));
  CHECK_FALSE(one.registry->profiles().get("anna"));
}

TEST_CASE("invalid values are refused without a request to the remote") {
  WithPlayers game;
  GameServer server = game.server();
  CHECK(outcome(asked(server, request::SavePlayer{.id = "", .name = {}, .email = {}})) ==
        "bad_player: the id is empty");
  CHECK(outcome(asked(server, request::RecordSession{.player = "p",
                                                     .game = "g",
                                                     .score = NAN,
                                                     .seconds = 0,
                                                     .data = {},
                                                     .at = {},
                                                     .id = {}})) == "not_finite: the score is nan");
  CHECK(server.remote->asked<request::SavePlayer>() == 0);
  CHECK(server.remote->asked<request::RecordSession>() == 0);
}

TEST_CASE(
    "when the remote is away, reading a player is unavailable and a write's outcome is unknown") {
  WithPlayers game;
  GameServer server = game.server();
  server.remote->stall(true);
  CHECK(outcome(asked(server, request::ReadPlayer{"anna"})) ==
        "unavailable: no answer came in time");
  CHECK(outcome(asked(server, anna())) == "unavailable: outcome unknown: no answer came in time");
}

TEST_CASE("a forgotten player is erased from the remote once it is reachable again") {
  WithPlayers game;
  GameServer server = game.server();
  CHECK(outcome(asked(server, anna())) == "ok");
  server.remote->down("connection refused");
  CHECK(server.registry->forget("anna"));
  server.tick(100, 100'000);
  server.remote->down("");
  CHECK(is_known(server, "anna"));
  server.tick(100, 100'000);
  CHECK_FALSE(is_known(server, "anna"));
  const std::size_t asked = server.remote->asked<request::ForgetPlayer>();
  server.tick(100, 100'000);
  CHECK(server.remote->asked<request::ForgetPlayer>() == asked);
}

TEST_CASE("a forgotten player is erased from the remote after a restart") {
  WithPlayers game;
  const test::Folder folder;
  {
    GameServer server = game.server(folder / "boards");
    CHECK(outcome(asked(server, anna())) == "ok");
    server.remote->down("connection refused");
    CHECK(server.registry->forget("anna"));
    server.tick(10);
    CHECK(server.registry->close());
  }
  GameServer server = game.server(folder / "boards");
  server.tick(10);
  CHECK_FALSE(is_known(server, "anna"));
  CHECK(outcome(asked(server, anna())) == "ok");
  server.tick(10);
  CHECK(is_known(server, "anna"));
}

TEST_CASE("players are local by default") {
  WithPlayers game;
  GameServer server(game.time, game.store);
  CHECK(server.boards->players() == nullptr);
}

TEST_CASE("opening is refused if the remote for players takes none or does not exist") {
  const auto open = [](std::string players) {
    return RemoteBoards::open(
        {.urls = {{"main", "redis://127.0.0.1:1"}}, .players = std::move(players)});
  };
  const auto redis = open("main");
  REQUIRE_FALSE(redis);
  CHECK(redis.refusal().message() ==
        "field 'players' is \"main\": unsupported: players and sessions live here or in DynamoDB, "
        "not in Redis");
  const auto missing = open("archive");
  REQUIRE_FALSE(missing);
  CHECK(missing.refusal().message() == "field 'players' is \"archive\": no remote has that name");
}

}  // namespace laurel
