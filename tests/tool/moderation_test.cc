// The words of moderators.
#include <csignal>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "control/control_socket.h"
#include "folder.h"
#include "tool/run_tool.h"

using namespace laurel;
using test::run_tool;

TEST_CASE("without a server the words change the directory themselves") {
  const test::Folder folder("boards");
  test::make_boards(folder.path(), [](Registry& registry) {
    const BoardHandle board = test::open_board(registry, "b", {{"history", 5.0}});
    test::submit(registry, board, "ada", 5, {}, 1000);
    test::submit(registry, board, "bob", -3, {}, 2000);
    test::submit(registry, board, "eve", 9, {}, 3000);
  });
  const std::string dir = folder.path();
  test::Ran ran = run_tool({"ban", dir, "eve"});
  CHECK(ran.status == 0);
  CHECK(ran.out == "player \"eve\" is banned on every board\n");
  CHECK(ran.err.empty());
  CHECK(run_tool({"set", dir, "b", "ada", "-7.5"}).out ==
        "player \"ada\" has -7.5 on board \"b\"\n");
  CHECK(run_tool({"void", dir, "b", "bob", "1970-01-01T00:33:20Z"}).out ==
        "the result was taken back; player \"bob\" has no entry on board \"b\"\n");
  CHECK(run_tool({"top", dir, "b", "-o", "csv"}).out.find("1,1,ada,,-7.5,") != std::string::npos);
  CHECK(run_tool({"unban", dir, "eve", "--board", "b"}).status == 0);
  CHECK(run_tool({"remove", dir, "b", "ada"}).status == 0);
  CHECK(run_tool({"reset", dir, "b"}).out == "season 1 of board \"b\" has ended\n");
  CHECK(run_tool({"forget", dir, "eve"}).out ==
        "player \"eve\" is forgotten; 1 entry was removed\n");
  CHECK(run_tool({"top", dir, "b", "--json"}).json().empty());
}

TEST_CASE("a word that is refused ends with 1 and one line, and one that makes no sense with 2") {
  const test::Folder folder("boards");
  const std::string dir = folder.path();
  test::Ran ran = run_tool({"ban", dir, "eve"});
  CHECK(ran.status == 1);
  CHECK(ran.complains());
  CHECK(std::filesystem::is_empty(dir));
  test::make_boards(dir, [](Registry& registry) { test::open_board(registry, "b"); });
  ran = run_tool({"set", dir, "b", "eve", "many"});
  CHECK(ran.status == 1);
  CHECK(ran.err == "laurel: bad_data: the score \"many\" is no number\n");
  CHECK(run_tool({"reset", dir, "c"}).err == "laurel: unknown: no board is called \"c\"\n");
  CHECK(run_tool({"set", dir, "b", "eve"}).status == 2);
  CHECK(run_tool({"forget", dir, "eve", "--board", "b"}).status == 2);
}

namespace {

void keep_ticking(Registry&) {}  // a server of these tests ticks and flushes after each

}  // namespace

TEST_CASE("with a server the words go through it, and nothing is opened twice") {
  const test::Folder folder("boards");
  const std::string dir = folder.path();
  const test::Server server(
      dir,
      [](Registry& registry) { test::submit(registry, test::open_board(registry, "b"), "eve", 5); },
      keep_ticking, test::Server::Control::yes);
  CHECK(run_tool({"set", dir, "b", "eve", "6"}).out == "player \"eve\" has 6 on board \"b\"\n");
  CHECK(run_tool({"top", dir, "b", "--json"}).json()[0]["score"] == 6);
  const test::Ran ran = run_tool({"reset", dir, "c"});
  CHECK(ran.status == 1);
  CHECK(ran.complains());
}

TEST_CASE("a server without a socket keeps moderators out, and the command says so") {
  const test::Folder folder("boards");
  const std::string dir = folder.path();
  const test::Server server(
      dir, [](Registry& registry) { test::open_board(registry, "b"); }, keep_ticking);
  const test::Ran ran = run_tool({"ban", dir, "eve"});
  CHECK(ran.status == 1);
  CHECK(ran.err.starts_with("laurel: taken: "));
  CHECK(ran.err.find(fmt::format("process {}", server.pid())) != std::string::npos);
  CHECK(ran.err.find("it takes no orders") != std::string::npos);
}

TEST_CASE(
    "a server that stands still is named after five seconds, and carries the order out later") {
  const test::Folder folder("boards");
  const std::string dir = folder.path();
  const test::Server server(
      dir,
      [](Registry& registry) { test::submit(registry, test::open_board(registry, "b"), "eve", 5); },
      keep_ticking, test::Server::Control::yes);
  ::kill(server.pid(), SIGSTOP);
  const test::Ran ran = run_tool({"remove", dir, "b", "eve"});
  ::kill(server.pid(), SIGCONT);
  CHECK(ran.status == 1);
  CHECK(ran.err == fmt::format("laurel: unavailable: the server does not answer (pid {}); the "
                               "order may still be carried out\n",
                               server.pid()));
  server.wait_for_commits(3);
  CHECK(run_tool({"top", dir, "b", "--json"}).json().empty());
}
