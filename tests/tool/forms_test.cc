#include <doctest/doctest.h>

#include "folder.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

struct NamedBoards : Folder {
  NamedBoards() : Folder("boards") {
    make_boards(path(), [](Registry& registry) {
      const BoardHandle board = open_board(registry, "b|1");
      submit(registry, board, "\xE4\xB8\xAD\xE6\x96\x87", 30, "a,\"b\"\n", 0);
      submit(registry, board, "e\x1b[31m", 200, "", 1.5);
      submit(registry, board, "base64:x", 1.25, {}, -1);
      submit(registry, board, "\xff", 1, {}, 2);
    });
  }
};

}  // namespace

TEST_CASE("tables put numbers right and names left, escape controls and measure wide characters") {
  const NamedBoards boards;
  CHECK(run_tool({"top", boards.path(), "b|1", "-n", "3"}).out ==
        "rank  player     score  at                           data\n"
        "   1  e\\x1b[31m    200  1970-01-01T00:00:01.500000Z\n"
        "   2  \xE4\xB8\xAD\xE6\x96\x87          30  1970-01-01T00:00:00.000000Z  a,\"b\"\\n\n"
        "   3  base64:x    1.25  1969-12-31T23:59:59.000000Z\n");
}

TEST_CASE("csv quotes as RFC 4180 says, and tells no data from empty data") {
  const NamedBoards boards;
  const std::string expected =
      "board,season,position,rank,player,name,score,at,data\n"
      "b|1,1,1,1,e\x1b[31m,,200,1970-01-01T00:00:01.500000Z,\"\"\n"
      "b|1,1,2,2,\xE4\xB8\xAD\xE6\x96\x87,,30,1970-01-01T00:00:00.000000Z,\"a,\"\"b\"\"\n\"\n"
      "b|1,1,3,3,base64:YmFzZTY0Ong=,,1.25,1969-12-31T23:59:59.000000Z,\n"
      "b|1,1,4,4,base64:/w==,,1,1970-01-01T00:00:02.000000Z,\n";
  CHECK(run_tool({"top", boards.path(), "b|1", "-o", "csv"}).out == expected);
  CHECK(run_tool({"export", boards.path(), "-", "--format", "csv"}).out == expected);
}

TEST_CASE("csv has the columns of all boards, the running season first") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    const BoardHandle plain = open_board(registry, "a");
    submit(registry, plain, "p", 1, {}, 0);
    REQUIRE(registry.get(plain)->reset());
    submit(registry, plain, "p", 2, {}, 0);
    const BoardHandle laps =
        open_board(registry, "l", {{"columns", "laps desc 0 0 100, seconds asc 3 0 1000"}});
    Submission submission{.player = "p", .at = 0};
    const ColumnValues values{.values = {12, 1.5}, .count = 2};
    submission.set_values(*registry.get(laps)->columns(), values);
    REQUIRE(registry.get(laps)->submit(WriteMode::submit, submission));
  });
  CHECK(run_tool({"export", folder.path(), "-", "--format", "csv"}).out ==
        "board,season,position,rank,player,name,score,score.laps,score.seconds,at,data\n"
        "a,2,1,1,p,,2,,,1970-01-01T00:00:00.000000Z,\n"
        "a,1,1,1,p,,1,,,1970-01-01T00:00:00.000000Z,\n"
        "l,1,1,1,p,,,12,1.5,1970-01-01T00:00:00.000000Z,\n");
  CHECK(run_tool({"top", folder.path(), "l"}).out ==
        "rank  player   score  at\n"
        "   1  p       12,1.5  1970-01-01T00:00:00.000000Z\n");
  CHECK(run_tool({"top", folder.path(), "l", "-o", "csv"}).out ==
        "board,season,position,rank,player,name,score.laps,score.seconds,at,data\n"
        "l,1,1,1,p,,12,1.5,1970-01-01T00:00:00.000000Z,\n");
}

TEST_CASE("json lines have an entry each, and text that is not UTF-8 as base64") {
  const NamedBoards boards;
  const Ran ran = run_tool({"top", boards.path(), "b|1", "-o", "jsonl", "--from", "4"});
  CHECK(ran.out == "{\"player\":{\"base64\":\"/w==\"},\"score\":1,\"rank\":4,\"at\":2}\n");
}

TEST_CASE("a Markdown table escapes what Markdown would take for its own") {
  const NamedBoards boards;
  const Ran ran = run_tool({"boards", boards.path(), "-o", "md"});
  CHECK(ran.out ==
        "| name | engine | order | players | season | ends at |\n"
        "|---|---|---|---:|---:|---|\n"
        "| b\\|1 | ranked | desc | 4 | 1 |  |\n");
}

TEST_CASE("every reading word has every form") {
  const NamedBoards boards;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"boards", boards.path()},
                                             {"info", boards.path(), "b|1"},
                                             {"top", boards.path(), "b|1"},
                                             {"rank", boards.path(), "b|1", "\xff"},
                                             {"around", boards.path(), "b|1", "\xff"},
                                             {"player", boards.path(), "\xff"},
                                             {"stats", boards.path()},
                                             {"check", boards.path()},
                                             {"version"}}) {
    for (const char* form : {"table", "json", "jsonl", "csv", "md"}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"-o", form});
      const Ran ran = run_tool(all);
      CAPTURE(words[0]);
      CAPTURE(form);
      CHECK_MESSAGE(ran.status == 0, ran.err);
      CHECK_FALSE(ran.out.empty());
      CHECK(ran.err.empty());
      if (form == std::string("json")) CHECK_FALSE(ran.json().is_null());
    }
  }
}

TEST_CASE("colours are for terminals without NO_COLOR") {
  const NamedBoards boards;
  if (run_shell("command -v script").status != 0) return;
  const std::string command = "\"$laurel boards " + boards.path() + "\" /dev/null </dev/null";
  CHECK(run_shell("script -qec " + command).out.find("\x1b[1m") != std::string::npos);
  CHECK(run_shell("NO_COLOR=1 script -qec " + command).out.find("\x1b[") == std::string::npos);
  CHECK(run_tool({"boards", boards.path()}).out.find("\x1b[") == std::string::npos);
}

TEST_CASE("a reader that goes away ends the command without a message, and a full disk with one") {
  const NamedBoards boards;
  const Ran gone = run_shell("$laurel boards " + boards.path() + " | true; echo ${PIPESTATUS[0]}");
  CHECK(gone.err.empty());
  CHECK((gone.out == "141\n" || gone.out == "0\n"));
  const Ran full = run_shell("$laurel boards " + boards.path() + " >/dev/full");
  CHECK(full.status == 1);
  CHECK(full.complains());
}
