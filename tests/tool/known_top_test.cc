// What `laurel top` says of a board that is in a remote.
#include <doctest/doctest.h>

#include "folder.h"
#include "remote/limits.h"
#include "remote/servers.h"
#include "tool/run_tool.h"
#include "transfer/csv.h"

using namespace laurel;
using namespace laurel::test;

namespace {

constexpr const char* kCaveat = "last known at 1970-01-12T13:46:40";

// A game server that has read the top of a remote board: cleo 30, bob 20, ada 10.
struct RemoteWorld : Folder {
  RemoteWorld() : Folder("boards") {
    REQUIRE(server.registry->profiles().save({.id = "bob", .name = "Bob", .email = {}},
                                             server.registry->now()));
    board = server.open("world", {{"decimals", 0.0}});
    for (const auto& [player, score] : {std::pair{"ada", 10.0}, {"bob", 20.0}, {"cleo", 30.0}}) {
      REQUIRE(server.submit(board, player, score));
    }
    REQUIRE(server.boards->watch(board, 10, [](const WatchEvent&) {}));
    commit();
  }
  void commit() {
    server.tick(50);
    REQUIRE(server.registry->flush());
  }
  Ran top(std::vector<std::string> options = {}, const char* name = "world") const {
    options.insert(options.begin(), {"top", path(), name});
    return run_tool(options);
  }

  SharedTime time;
  GameServer server{
      time, std::make_shared<FakeStore>(), {.path = path(), .rules = nullptr, .weather = {}}};
  BoardHandle board;
};

// "cleo bob ada"
std::string players_of(const Json& entries) {
  std::string players;
  for (const Json& entry : entries) {
    players += (players.empty() ? "" : " ") + entry["player"].get<std::string>();
  }
  return players;
}

std::string packed_world(const std::vector<std::string>& players) {
  KnownTop known{.remote = "main", .known = Fixture::kStart, .top = {}};
  for (const std::string& player : players) {
    known.top.entries.push_back({.player = player,
                                 .name = std::nullopt,
                                 .data = std::nullopt,
                                 .score = 1,
                                 .rank = known.top.entries.size() + 1,
                                 .at = 0});
  }
  known.top.size = players.size();
  return pack_known_top(known, kKnownTopEntriesMax, kKnownTopBytesMax);
}

}  // namespace

TEST_CASE("of a remote board top shows the last known one and says so, beside the server") {
  RemoteWorld world;
  const Ran table = world.top();
  REQUIRE_MESSAGE(table.status == 0, table.err);
  CHECK(table.err.empty());
  CHECK_MESSAGE(table.out.find("   1  cleo             30") != std::string::npos, table.out);
  CHECK(table.out.find("   2  bob     Bob") != std::string::npos);
  CHECK(table.out.find(std::string("\n\n") + kCaveat) != std::string::npos);
  CHECK(table.out.ends_with("; the board is in remote \"main\"\n"));

  const Ran json = world.top({"--json"});
  REQUIRE_MESSAGE(json.status == 0, json.err);
  const Json entries = json.json();
  CHECK(players_of(entries) == "cleo bob ada");
  CHECK(entries[1]["name"] == "Bob");
  CHECK(entries[0]["score"] == 30);
  CHECK(entries[0]["rank"] == 1);
  CHECK(entries[0]["remote"] == "main");
  CHECK(entries[0]["known_at"].get<double>() >= seconds_from_time(Fixture::kStart));
  CHECK_MESSAGE(json.complains(), json.err);
  CHECK(json.err.find(kCaveat) != std::string::npos);

  REQUIRE(world.server.submit(world.board, "dora", 40));
  world.time.pass(kKnownTopEvery);
  world.commit();
  CHECK(players_of(world.top({"--json"}).json()) == "dora cleo bob ada");
}

TEST_CASE("if no server runs, top shows the last known top of a remote board") {
  RemoteWorld world;
  REQUIRE(world.server.registry->close());
  const Ran lines = world.top({"-o", "jsonl", "-n", "1"});
  CHECK(lines.out.starts_with("{\"player\":\"cleo\","));
  CHECK(lines.err.find(kCaveat) != std::string::npos);
  const Ran csv = world.top({"-o", "csv", "--from", "3"});
  CHECK(
      csv.out.starts_with("board,season,position,rank,player,name,score,at,data\n"
                          "world,,3,3,ada,,10,1970-01-12T13:46:40."));
  CHECK(csv.err.find(kCaveat) != std::string::npos);
  const Ran markdown = world.top({"-o", "md"});
  CHECK(markdown.out.find("| 1 | cleo |") != std::string::npos);
  CHECK(markdown.out.find(kCaveat) != std::string::npos);
  CHECK(markdown.err.empty());
  CHECK(players_of(world.top({"--json", "--from", "2", "-n", "1"}).json()) == "bob");
  CHECK(world.top({"--json", "--from", "4"}).json() == Json::array());
  CHECK(world.top({"--json", "-n", "-1"}).json() == Json::array());
}

TEST_CASE("top says how many entries of a remote board are kept, if more are asked for") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    KnownTop known = *unpack_known_top(packed_world({"ada", "bob"}));
    known.top.size = 1539;
    registry.known_tops().put("world", pack_known_top(known, 100, 10'000), 0);
  });
  const Ran ten = run_tool({"top", folder.path(), "world"});
  CHECK(ten.out.find(", and the first 2 of its 1539 entries are kept here\n") != std::string::npos);
  const Ran two = run_tool({"top", folder.path(), "world", "-n", "2"});
  CHECK(two.out.find("are kept") == std::string::npos);
}

TEST_CASE("scores of columns of a remote board are shown as those of a local one") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    KnownTop known = *unpack_known_top(packed_world({"ada"}));
    known.top.columns = *ScoreColumns::parse("laps, seconds asc 3 0 100000");
    known.top.entries[0].score =
        *known.top.columns->number({.values = {12, 53.21, 0, 0, 0}, .count = 2});
    registry.known_tops().put("world", pack_known_top(known, 100, 10'000), 0);
  });
  const Json entry = run_tool({"top", folder.path(), "world", "--json"}).json()[0];
  CHECK(entry["score"] == Json{12, 53.21});
  const Ran csv = run_tool({"top", folder.path(), "world", "-o", "csv"});
  CHECK(csv.out.find("score.laps,score.seconds") != std::string::npos);
  CHECK(csv.out.find(",12,53.21,") != std::string::npos);
}

TEST_CASE("a remote board whose top was never read, its seasons and other words are unavailable") {
  RemoteWorld world;
  (void)world.server.open("unread");
  world.commit();
  const Ran unread = world.top({}, "unread");
  CHECK(unread.status == 1);
  CHECK(unread.err ==
        "laurel: unavailable: board \"unread\" is remote: no server that had this directory open "
        "has read its top\n");
  const Ran season = world.top({"--season", "1"});
  CHECK(season.status == 1);
  CHECK(season.err.find("unavailable: board \"world\" is remote: only its last known top") !=
        std::string::npos);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"info", world.path(), "world"},
                                             {"rank", world.path(), "world", "ada"},
                                             {"around", world.path(), "world", "ada"}}) {
    const Ran ran = run_tool(words);
    CHECK(ran.status == 1);
    CHECK(ran.err.find("unavailable: board \"world\" is remote") != std::string::npos);
  }
}

TEST_CASE("a player who is forgotten or banned by the command leaves the last known top") {
  const Folder folder("boards");
  const auto fill = [](Registry& registry) {
    registry.known_tops().put("world", packed_world({"ada", "bob", "cleo"}), 0);
  };
  const auto players = [&] {
    return players_of(run_tool({"top", folder.path(), "world", "--json"}).json());
  };
  {
    const Server server(
        folder.path(), fill, [](Registry&) {}, Server::Control::yes);
    REQUIRE(run_tool({"forget", folder.path(), "bob"}).status == 0);
    CHECK(players() == "ada cleo");
  }
  REQUIRE(run_tool({"ban", folder.path(), "cleo"}).status == 0);
  CHECK(players() == "ada");
  REQUIRE(run_tool({"forget", folder.path(), "ada"}).status == 0);
  CHECK(players().empty());
}

TEST_CASE("a last known top that cannot be read is told, and check finds it") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    registry.known_tops().put("world", packed_world({"ada"}) + "x", 0);
    registry.known_tops().put("empty", "", 0);
    registry.known_tops().put("later", "\x02" + packed_world({"ada"}).substr(1), 0);
  });
  for (const char* board : {"world", "empty", "later"}) {
    const Ran ran = run_tool({"top", folder.path(), board});
    CHECK(ran.status == 1);
    CHECK(ran.err == fmt::format("laurel: bad_data: the last known top of board \"{}\" cannot be "
                                 "read\n",
                                 board));
  }
  const Json check = run_tool({"check", folder.path(), "--json"}).json();
  CHECK(check["ok"] == false);
  CHECK(check["findings"].size() == 3);
  CHECK(check["findings"][2]["board"] == "world");
  CHECK(run_tool({"stats", folder.path()}).status == 0);
  CHECK(run_tool({"export", folder.path(), "/dev/null"}).status == 0);
}

TEST_CASE("a board that was remote and is local now shows its own entries") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    registry.known_tops().put("world", packed_world({"ada"}), 0);
    submit(registry, open_board(registry, "world"), "bob", 1);
  });
  const Ran ran = run_tool({"top", folder.path(), "world", "--json"});
  CHECK(players_of(ran.json()) == "bob");
  CHECK(ran.err.empty());
}
