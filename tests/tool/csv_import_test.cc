// laurel import --map: the tables of other programs.
#include <doctest/doctest.h>

#include "folder.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

struct Moving : Folder {
  Moving() : Folder("moving") {}
  std::string boards() const { return *this / "boards"; }
  Ran import(std::string_view table, const std::vector<std::string>& words) const {
    write("table.csv", table);
    std::vector<std::string> all = {"import", boards(), *this / "table.csv"};
    all.insert(all.end(), words.begin(), words.end());
    return run_tool(all);
  }
  std::string top(const std::string& board) const {
    return run_tool({"top", boards(), board, "-o", "csv"}).out;
  }
};

constexpr const char* kHeader = "board,season,position,rank,player,name,score,at,data\n";

}  // namespace

TEST_CASE("a table of results becomes a board, made with the order that is given") {
  const Moving moving;
  const Ran ran = moving.import(
      "steamid,time,played,nick,car\r\n"
      "7001,61.25,2025-11-26 08:15:00,Ada,\"red, fast\"\r\n"
      "7002,59.5,1764144901,\"B\"\"ob\",\r\n"
      "7001,60,2025-11-26T08:20:00Z,Ada L.,blue\r\n",
      {"--board", "laps", "--order", "asc", "--map",
       "player=steamid,score=time,at=played,name=nick,data=car"});
  CHECK(ran.err.empty());
  CHECK(ran.status == 0);
  CHECK(moving.top("laps") == std::string(kHeader) +
                                  "laps,1,1,1,7002,\"B\"\"ob\",59.5,2025-11-26T08:15:01.000000Z,\n"
                                  "laps,1,2,2,7001,Ada L.,60,2025-11-26T08:20:00.000000Z,blue\n");
}

TEST_CASE("a board that exists takes the results as its spec says, without its rule") {
  const Moving moving;
  make_boards(moving.boards(), [](Registry& registry) {
    const BoardHandle board =
        open_board(registry, "points", {{"keep", "sum"}, {"rule", "strict"}, {"decimals", 1.0}});
    (void)board;
    const BoardHandle races =
        open_board(registry, "races", {{"columns", "laps desc 0 0 100, seconds asc 3 0 1000"}});
    (void)races;
  });
  CHECK(moving
            .import("p,s\nada,1.5\nbob,2\nada,3\n",
                    {"--board", "points", "--map", "player=p,score=s"})
            .status == 0);
  CHECK(moving.top("points").find("points,1,1,1,ada,,4.5,") != std::string::npos);
  CHECK(moving
            .import("p,s,l\nada,59.125,12\nbob,70,12\n",
                    {"--board", "races", "--map", "player=p,score.laps=l,score.seconds=s"})
            .status == 0);
  CHECK(moving.import("p,s\ncleo,\"13,99.5\"\n", {"--board", "races", "--map", "player=p,score=s"})
            .status == 0);
  CHECK(run_tool({"top", moving.boards(), "races", "--json"}).json()[0]["score"].dump() ==
        "[13,99.5]");
  const Ran taken = moving.import(
      "p,s\nada,1\n", {"--board", "points", "--order", "asc", "--map", "player=p,score=s"});
  CHECK(taken.status == 1);
  CHECK(taken.complains());
}

TEST_CASE("a result that is refused keeps all others out, and the error names its line") {
  const Moving moving;
  make_boards(moving.boards(), [](Registry& registry) {
    const BoardHandle board = open_board(registry, "kills", {{"capacity", 2.0}});
    submit(registry, board, "ada", 5);
    REQUIRE(registry.ban("mallory"));
  });
  const std::string before = moving.top("kills");
  struct Case {
    const char* table;
    const char* error;
  };
  for (const Case& each : {
           Case{"p,s\nbob,7\nada,abc\n",
                "laurel: bad_data: line 3: the score \"abc\" is no number"},
           Case{"p,s\nbob,7\ncleo,8\n", "laurel: full: line 3: "},
           Case{"p,s\nbob,7\n,8\n", "laurel: bad_player: line 3: "},
           Case{"p,s\nbob,7\nmallory,8\n", "laurel: banned: line 3: "},
           Case{"p,s\nbob,7\nada\n", "laurel: bad_data: line 3: it has 1 cells"},
           Case{"p,s\nbob,7\nada,\"8\n", "laurel: bad_data: line 3: a cell in quotes"},
           Case{"p,t\nbob,7\n", "laurel: bad_data: the table has no column \"s\""},
           Case{"", "laurel: bad_data: the file has no lines"},
       }) {
    CAPTURE(each.table);
    const Ran ran = moving.import(each.table, {"--board", "kills", "--map", "player=p,score=s"});
    CHECK(ran.status == 1);
    CHECK(ran.complains());
    CHECK_MESSAGE(ran.err.starts_with(each.error), ran.err);
    CHECK(moving.top("kills") == before);
  }
  const Moving nothing;
  CHECK(nothing.import("p,s\nada,x\n", {"--board", "b", "--map", "player=p,score=s"}).status == 1);
  CHECK_FALSE(std::filesystem::exists(nothing.boards()));
}

TEST_CASE("a directory in use takes no table, and says by whom") {
  const Moving moving;
  const Server server(moving.boards(), [](Registry& registry) { open_board(registry, "kills"); });
  const Ran ran = moving.import("p,s\nada,1\n", {"--board", "kills", "--map", "player=p,score=s"});
  CHECK(ran.status == 1);
  CHECK(ran.err.starts_with("laurel: taken: "));
  CHECK(ran.err.find(std::to_string(server.pid())) != std::string::npos);
}

TEST_CASE("a map without a board, a board without a map, and a bad map make no sense") {
  const Moving moving;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--map", "player=p,score=s"},
           {"--board", "kills"},
           {"--board", "kills", "--map", "player=p"},
           {"--board", "kills", "--map", "player=p,score=s", "--order", "up"}}) {
    const Ran ran = moving.import("p,s\nada,1\n", words);
    CHECK(ran.status == 2);
    CHECK(ran.complains());
  }
}
