#include <filesystem>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "folder.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

// kills: eve 9, bob and cat 7, ada 5. laps: columns. Players and sessions.
void fill_kills(Registry& registry) {
  const BoardHandle kills = open_board(registry, "kills", {{"decimals", 0.0}, {"archive", 2.0}});
  submit(registry, kills, "old", 1);
  REQUIRE(registry.get(kills)->reset());
  submit(registry, kills, "ada", 5, "sword", 1000.5);
  submit(registry, kills, "bob", 7, {}, 2000);
  submit(registry, kills, "cat", 7, "", 3000);
  submit(registry, kills, "eve", 9, {}, 4000);
  const BoardHandle laps =
      open_board(registry, "laps", {{"columns", "laps desc 0 0 100, seconds asc 3 0 1000"}});
  const auto columns = registry.get(laps)->columns();
  for (const auto& [player, lap, seconds] :
       {std::tuple{"ada", 12.0, 53.21}, {"bob", 11.0, 60.0}, {"cat", 12.0, 53.209}}) {
    const ColumnValues values{.values = {lap, seconds}, .count = 2};
    Submission submission{.player = player};
    submission.set_values(*columns, values);
    REQUIRE(registry.get(laps)->submit(WriteMode::submit, submission));
  }
  REQUIRE(registry.profiles().save({.id = "ada", .name = "Ada L.", .email = "ada@example.org"},
                                   registry.now()));
  for (int i = 0; i < 12; ++i) {
    REQUIRE(registry.sessions().record(
        {.player = "ada", .game = "chess", .score = 1.0 * i, .seconds = 60}, registry.now()));
  }
}

struct Boards : Folder {
  Boards() : Folder("boards") { make_boards(path(), fill_kills); }
};

}  // namespace

TEST_CASE("boards lists each board with engine, order, players and season") {
  const Boards boards;
  const Ran ran = run_tool({"boards", boards.path(), "--json"});
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  const Json list = ran.json();
  REQUIRE(list.size() == 2);
  CHECK(list[0]["name"] == "kills");
  CHECK(list[0]["engine"] == "ranked");
  CHECK(list[0]["players"] == 4);
  CHECK(list[0]["season"] == 2);
  CHECK(list[1]["columns"][1]["name"] == "seconds");
}

TEST_CASE("info says what the Lua call says, also of a past season") {
  const Boards boards;
  const Json info = run_tool({"info", boards.path(), "kills", "--json"}).json();
  CHECK(info["decimals"] == 0);
  CHECK(info["size"] == 4);
  CHECK(info["ties"] == "earliest");
  CHECK_FALSE(info.contains("ended"));
  const Json past = run_tool({"info", boards.path(), "kills", "--season", "1", "--json"}).json();
  CHECK(past["size"] == 1);
  CHECK(past["ended"].is_number());
}

TEST_CASE("top gives entries from a position on, and seasons that are kept") {
  const Boards boards;
  const Json top = run_tool({"top", boards.path(), "kills", "--json"}).json();
  REQUIRE(top.size() == 4);
  CHECK(top[0] == Json{{"player", "eve"}, {"score", 9}, {"rank", 1}, {"at", 4000}});
  CHECK(top[2]["rank"] == 2);
  CHECK(top[2]["data"] == "");
  CHECK(top[3]["at"] == 1000.5);
  CHECK(top[3]["name"] == "Ada L.");
  const Json one =
      run_tool({"top", boards.path(), "kills", "-n", "1", "--from", "3", "--json"}).json();
  REQUIRE(one.size() == 1);
  CHECK(one[0]["player"] == "cat");
  CHECK(run_tool({"top", boards.path(), "kills", "-n", "0", "--json"}).out == "[]\n");
  CHECK(run_tool({"top", boards.path(), "kills", "--from", "99", "--json"}).out == "[]\n");
  CHECK(run_tool({"top", boards.path(), "kills", "--season", "1", "--json"}).json()[0]["player"] ==
        "old");
  const Ran none = run_tool({"top", boards.path(), "kills", "--season", "7"});
  CHECK(none.status == 1);
  CHECK(none.err == "laurel: unknown: board \"kills\" keeps no season 7; it keeps 2, 1\n");
}

TEST_CASE("rank names the next one above, and what it takes to pass") {
  const Boards boards;
  const Json rank = run_tool({"rank", boards.path(), "kills", "ada", "--json"}).json();
  CHECK(rank["rank"] == 4);
  CHECK(rank["size"] == 4);
  CHECK(rank["percentile"] == 0);
  CHECK(rank["next"]["player"] == "cat");
  CHECK(rank["to_pass"] == 3);  // the earlier of two equal scores is above
  const Json first = run_tool({"rank", boards.path(), "kills", "eve", "--json"}).json();
  CHECK_FALSE(first.contains("next"));
  const Json laps = run_tool({"rank", boards.path(), "laps", "bob", "--json"}).json();
  CHECK(laps["to_pass"] == Json::array({1, -6.791}));
  const Ran table = run_tool({"rank", boards.path(), "kills", "ada"});
  CHECK(table.out.find("4th of 4") != std::string::npos);
  const Ran absent = run_tool({"rank", boards.path(), "kills", "zoe"});
  CHECK(absent.status == 1);
  CHECK(absent.complains());
}

TEST_CASE("what it takes to pass is enough, and one step less is not") {
  for (const char* ties : {"earliest", "latest", "player", "player_desc"}) {
    for (const char* order : {"desc", "asc"}) {
      const Folder folder("boards");
      const auto play = [&](double more) {
        make_boards(folder.path(), [&](Registry& registry) {
          const BoardHandle board =
              open_board(registry, "b", {{"ties", ties}, {"order", order}, {"keep", "latest"}});
          const bool desc = *order == 'd';
          submit(registry, board, "m", desc ? 0.3 : 0.1, {}, 1);
          submit(registry, board, "k", (desc ? 0.1 : 0.3) + more);
        });
      };
      play(0);
      const auto rank = [&] {
        return run_tool({"rank", folder.path(), "b", "k", "--json"}).json();
      };
      const double needed = rank()["to_pass"].get<double>();
      play(needed);
      CAPTURE(ties);
      CAPTURE(order);
      CHECK_FALSE(rank().contains("next"));
    }
  }
}

TEST_CASE("around shows the player between those above and below") {
  const Boards boards;
  const Json list = run_tool({"around", boards.path(), "kills", "bob", "-n", "1", "--json"}).json();
  REQUIRE(list.size() == 3);
  CHECK(list[0]["player"] == "eve");
  CHECK(list[2]["player"] == "cat");
}

TEST_CASE("player shows profile, boards and ten sessions, by id or email") {
  const Boards boards;
  const Json ada = run_tool({"player", boards.path(), "ada", "--json"}).json();
  CHECK(ada["name"] == "Ada L.");
  CHECK(ada["games_played"] == 12);
  CHECK(ada["boards"].size() == 2);
  CHECK(ada["boards"][1]["score"] == Json::array({12, 53.21}));
  CHECK(ada["sessions"].size() == 10);
  CHECK(ada["sessions"][0]["score"] == 11);
  CHECK(run_tool({"player", boards.path(), "--email", "ada@example.org", "--json"}).json() == ada);
  CHECK(run_tool({"player", boards.path(), "bob", "--json"}).json()["boards"].size() == 2);
  CHECK(run_tool({"player", boards.path(), "zoe"}).status == 1);
  CHECK(run_tool({"player", boards.path()}).status == 2);
}

TEST_CASE("stats counts the rows and bytes of each board") {
  const Boards boards;
  const Json stats = run_tool({"stats", boards.path(), "--json"}).json();
  CHECK(stats["file_bytes"] == std::filesystem::file_size(boards / "laurel.mdb"));
  CHECK(stats["free_bytes"].is_number());
  CHECK(stats["last_write"].get<double>() > 1.7e9);
  REQUIRE(stats["boards"].size() == 2);
  CHECK(stats["boards"][0]["board"] == "kills");
  CHECK(stats["boards"][0]["rows"].get<int>() >= 5);
  CHECK(stats["boards"][0]["bytes"].get<int>() > 0);
}

TEST_CASE("check finds nothing in a sound directory, and says what it compared") {
  const Boards boards;
  const Ran ran = run_tool({"check", boards.path()});
  CHECK_MESSAGE(ran.status == 0, (ran.out + ran.err));
  CHECK(ran.out.find("nothing found") != std::string::npos);
  CHECK(ran.out.find("Not found:") != std::string::npos);
  const Json found = run_tool({"check", boards.path(), "--json"}).json();
  CHECK(found["ok"] == true);
  CHECK(found["findings"].empty());
  CHECK(found["rows"].get<int>() > 20);
}

TEST_CASE("check goes through every engine") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    for (const char* engine : {"ranked", "capped", "padded", "paged", "sharded", "rolling"}) {
      for (const char* ranking : {"competition", "modified", "dense", "ordinal", "fractional"}) {
        const BoardHandle board = open_board(registry, std::string(engine) + ranking,
                                             {{"engine", engine}, {"ranking", ranking}});
        for (int i = 0; i < 60; ++i) {
          submit(registry, board, "p" + std::to_string(i * 7 % 60), i / 3);
        }
      }
    }
  });
  const Ran ran = run_tool({"check", folder.path()});
  CHECK_MESSAGE(ran.status == 0, (ran.out + ran.err));
}

TEST_CASE("export and import make a round trip, of all or of one board") {
  const Boards boards;
  const Folder folder("files");
  CHECK(run_tool({"export", boards.path(), folder / "all.jsonl"}).status == 0);
  CHECK(run_tool({"import", folder / "copy", folder / "all.jsonl"}).status == 0);
  CHECK(run_tool({"export", folder / "copy", folder / "again.jsonl"}).status == 0);
  CHECK(run_shell("cmp " + (folder / "all.jsonl") + " " + (folder / "again.jsonl")).status == 0);
  const Ran lines = run_tool({"export", boards.path(), "-", "--board", "kills"});
  CHECK(lines.out.find("\"laps\"") == std::string::npos);
  CHECK(lines.out.find("profile") == std::string::npos);
  CHECK(run_tool({"import", folder / "one", "-"}, lines.out).status == 0);
  CHECK(run_tool({"top", folder / "one", "kills", "--json"}).json().size() == 4);
  CHECK(run_tool({"export", boards.path(), "-", "--board", "kils"}).err ==
        "laurel: unknown: no board is called \"kils\"; one is called \"kills\"\n");
}

TEST_CASE("an entry that a ban hides stays hidden in the export of one board") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    const BoardHandle board = open_board(registry, "b");
    submit(registry, board, "ada", 1);
    submit(registry, board, "bob", 2);
    REQUIRE(registry.ban("bob"));
  });
  const Ran lines = run_tool({"export", folder.path(), "-", "--board", "b"});
  CHECK(run_tool({"import", folder / "copy", "-"}, lines.out).status == 0);
  make_boards(folder / "copy", [](Registry& registry) {
    Board& board = *registry.get(*registry.find("b"));
    CHECK(board.size() == 1);
    CHECK(registry.banned().empty());
    CHECK(*board.unban("bob"));
    CHECK(board.score("bob") == 2);
  });
}

TEST_CASE("a failed import names the line and changes nothing") {
  const Boards boards;
  const Folder folder("files");
  const Ran lines = run_tool({"export", boards.path(), "-"});
  const Ran broken = run_tool({"import", folder / "new", "-"}, lines.out + "{\"board\": 1}\n");
  CHECK(broken.status == 1);
  CHECK(broken.complains());
  CHECK(broken.err.find("line ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
  const Ran taken = run_tool({"import", boards.path(), "-"}, lines.out);
  CHECK(taken.status == 1);
  CHECK(taken.err.starts_with("laurel: taken: "));
  CHECK(run_tool({"import", folder / "new", folder / "absent"}).status == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
}

TEST_CASE("backup wants a target that does not exist or is empty") {
  const Boards boards;
  const Folder folder("targets");
  CHECK(run_tool({"backup", boards.path(), folder / "a"}).status == 0);
  CHECK(run_tool({"top", folder / "a", "kills", "--json"}).out ==
        run_tool({"top", boards.path(), "kills", "--json"}).out);
  std::filesystem::create_directory(folder / "b");
  CHECK(run_tool({"backup", boards.path(), folder / "b"}).status == 0);
  const Ran again = run_tool({"backup", boards.path(), folder / "b"});
  CHECK(again.status == 1);
  CHECK(again.complains());
  make_boards(folder / "a", [](Registry& registry) { CHECK(registry.names().size() == 2); });
}

TEST_CASE("rules tells errors with file and line") {
  const Folder folder("rules");
  folder.write("good.lua", "return { version = 'v7', accept = function() return true end }\n");
  folder.write("bad.lua", "return {\n  accept = functoin() end }\n");
  const Ran good = run_tool({"rules", folder / "good.lua", "--json"});
  CHECK_MESSAGE(good.status == 0, good.err);
  CHECK(good.json()[0]["version"] == "v7");
  const Ran bad = run_tool({"rules", folder / "good.lua", folder / "bad.lua"});
  CHECK(bad.status == 1);
  CHECK(bad.complains());
  CHECK(bad.err.find("bad.lua:2:") != std::string::npos);
  CHECK(run_tool({"rules", folder / "none.lua"}).status == 1);
}

TEST_CASE("words that make no sense end with 2, and help and version with 0") {
  const Boards boards;
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"tops"},
                                             {"top"},
                                             {"top", boards.path()},
                                             {"top", boards.path(), "kills", "-n", "x"},
                                             {"top", boards.path(), "kills", "-o", "xml"},
                                             {"boards", boards.path(), "surplus"},
                                             {"boards", boards.path(), "--json", "-o", "csv"}}) {
    const Ran ran = run_tool(words);
    CHECK(ran.status == 2);
    CHECK_MESSAGE(ran.complains(), ran.err);
    CHECK(ran.out.empty());
  }
  for (const char* word : {"boards", "info", "top", "rank", "around", "player", "stats", "check",
                           "export", "import", "backup", "rules", "version"}) {
    const Ran help = run_tool({word, "--help"});
    CHECK(help.status == 0);
    CHECK(help.out.find("--help") != std::string::npos);
    const Ran page = run_shell("grep -q '^\\.B[IR]* " + std::string(word) +
                               "' " LAUREL_TOOL_SOURCES "/laurel.1");
    CHECK_MESSAGE(page.status == 0, word);
  }
  CHECK(run_tool({"version"}).out == "laurel " LAUREL_VERSION "\n");
  CHECK(run_tool({"version", "--json"}).json()["version"] == LAUREL_VERSION);
}

TEST_CASE("bash completes words, directories, options and names of boards") {
  const Boards boards;
  const auto completes = [&](const std::string& words) {
    return run_shell("laurel() { " LAUREL_TOOL
                     " \"$@\"; }; compopt() { :; }\n"
                     ". " LAUREL_TOOL_SOURCES
                     "/laurel.bash\n"
                     "COMP_WORDS=(" +
                     words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _laurel\n"
                     "printf '%s ' \"${COMPREPLY[@]}\"")
        .out;
  };
  CHECK(completes("laurel ra") == "rank ");
  CHECK(completes("laurel top " + boards.path() + " ki") == "kills ");
  CHECK(completes("laurel top x y -o j") == "json jsonl ");
  CHECK(completes("laurel around x y z --s") == "--season ");
  CHECK(completes("laurel export " + boards.path() + " f --board la") == "laps ");
}

TEST_CASE("a board may be a segment or a cohort") {
  const Folder folder("parts");
  make_boards(folder.path(), [](Registry& registry) {
    AttributeChanges german;
    REQUIRE(german.add("country", "DE"));
    REQUIRE(registry.profiles().save(
        {.id = "bob", .name = {}, .email = {}, .attributes = german.text()}, registry.now()));
    const BoardHandle board =
        open_board(registry, "season:3", {{"segments", "country"}, {"cohorts", 2.0}});
    for (const auto& [player, score] : {std::pair{"ada", 5.0}, {"bob", 7.0}, {"cat", 9.0}}) {
      submit(registry, board, player, score);
    }
    REQUIRE(registry.get(board)->reset());
    submit(registry, board, "bob", 1);
  });
  const auto players = [&](const std::vector<std::string>& words) {
    std::string text;
    const Ran ran = run_tool(words);
    if (ran.status != 0) return ran.err;
    for (const Json& entry : ran.json()) text += entry["player"].get<std::string>() + " ";
    return text;
  };
  const std::string& path = folder.path();
  CHECK(players({"top", path, "season:3:country=DE", "--json"}) == "bob ");
  CHECK(players({"top", path, "season:3:country=FR", "--json"}).empty());
  CHECK(players({"top", path, "season:3:cohort=1", "--json"}) == "bob ");
  CHECK(players({"top", path, "season:3:cohort=1", "--season", "1", "--json"}) == "bob ada ");
  CHECK(players({"around", path, "season:3:cohort=2", "cat", "--season", "1", "--json"}) == "cat ");
  const Json rank =
      run_tool({"rank", path, "season:3:cohort=1", "ada", "--season", "1", "--json"}).json();
  CHECK(rank["rank"] == 2);
  CHECK(rank["size"] == 2);
  CHECK(rank["next"]["player"] == "bob");
  const Json info = run_tool({"info", path, "season:3:cohort=1", "--json"}).json();
  CHECK(info["name"] == "season:3:cohort=1");
  CHECK(info["size"] == 1);
  CHECK(info["cohorts"] == 2);
  CHECK(info["segments"] == Json{"country"});
  for (const auto& [name, why] : {std::pair{"season:3:cohort=2", "has no cohort 2: there are 1"},
                                  {"season:3:clan=reds", "has no segments of attribute"},
                                  {"season:3:cohort=x", "has no segments of attribute"},
                                  {"other:cohort=1", "no board is called"}}) {
    const Ran ran = run_tool({"top", path, name});
    CHECK(ran.status == 1);
    CHECK_MESSAGE(ran.err.find(why) != std::string::npos, ran.err);
  }
  CHECK(run_tool({"top", path, "season:3:country=DE", "--season", "1"}).status == 1);
}
