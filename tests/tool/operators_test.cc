// What operators are told of seasons, rows, remote boards and newer formats.
#include <lmdb.h>

#include <doctest/doctest.h>

#include "folder.h"
#include "remote/remote_boards.h"
#include "store/durable/row_sum.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

TEST_CASE("a board with a reset says when its season ends, in tables as ISO 8601") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    submit(registry, open_board(registry, "weekly", {{"reset", "0 0 * * 1"}}), "ada", 1);
  });
  const Json board = run_tool({"boards", folder.path(), "--json"}).json()[0];
  const auto resets_at = static_cast<std::int64_t>(board["resets_at"].get<double>());
  CHECK(resets_at % 86400 == 0);
  CHECK((resets_at / 86400 + 4) % 7 == 1);  // 1970-01-01 was a Thursday
  const Ran table = run_tool({"boards", folder.path()});
  CHECK(table.out.find("T00:00:00") != std::string::npos);
}

TEST_CASE("stats shows people the file, rows by kind and by board, and how old the last write is") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    submit(registry, open_board(registry, "kills"), "ada", 1);
    REQUIRE(registry.profiles().save({.id = "ada", .name = "Ada", .email = {}}, registry.now()));
  });
  const Ran ran = run_tool({"stats", folder.path()});
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  for (const char* part : {"file", "free", "last write", "entries", "players", "kills"}) {
    CHECK_MESSAGE(ran.out.find(part) != std::string::npos, (part + ran.out));
  }
}

TEST_CASE("entries of a remote board are not in the directory, and reading words say so") {
  const Folder folder("boards");
  {
    RegistryOptions options{.path = folder.path()};
    auto remotes = RemoteBoards::open({.urls = {{"main", "redis://127.0.0.1:1"}}, .players = {}});
    REQUIRE(remotes);
    options.remotes = std::move(*remotes);
    auto registry = Registry::open(std::move(options));
    REQUIRE(registry);
    SpecChange change;
    REQUIRE(change.set("remote", "main"));
    REQUIRE(RemoteBoards::of(**registry)->open("world", change));
    (*registry)->tick();
    REQUIRE((*registry)->close());
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"info", folder.path(), "world"}, {"rank", folder.path(), "world", "ada"}}) {
    const Ran ran = run_tool(words);
    CHECK(ran.status == 1);
    CHECK_MESSAGE(ran.complains(), ran.err);
    CHECK(
        ran.err ==
        "laurel: unavailable: board \"world\" is remote: its entries are not in this directory\n");
  }
}

TEST_CASE("a finding of check names its board, its row and what is wrong") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) {
    submit(registry, open_board(registry, "kills"), "player7", 1);
  });
  std::string file;
  {
    const Ran bytes = run_shell("cat " + (folder / "laurel.mdb"));
    file = bytes.out;
  }
  file[file.rfind("player7")] ^= 1;
  folder.write("laurel.mdb", file);
  const Json found = run_tool({"check", folder.path(), "--json"}).json();
  REQUIRE(found["findings"].size() == 1);
  for (const char* field : {"board", "row", "what"}) CHECK(found["findings"][0].contains(field));
}

TEST_CASE("a directory of a newer format is refused with both numbers") {
  const Folder folder("boards");
  make_boards(folder.path(), [](Registry& registry) { open_board(registry, "kills"); });
  MDB_env* env = nullptr;
  MDB_txn* transaction = nullptr;
  MDB_dbi rows = 0;
  std::string key = "laurel";
  std::string version("\2\0\0\0", 4);
  append_sum(key, version);
  MDB_val name{key.size(), key.data()};
  MDB_val number{version.size(), version.data()};
  REQUIRE(mdb_env_create(&env) == 0);
  REQUIRE(mdb_env_open(env, (folder / "laurel.mdb").c_str(), MDB_NOSUBDIR, 0600) == 0);
  REQUIRE(mdb_txn_begin(env, nullptr, 0, &transaction) == 0);
  REQUIRE(mdb_dbi_open(transaction, nullptr, 0, &rows) == 0);
  REQUIRE(mdb_put(transaction, rows, &name, &number, 0) == 0);
  REQUIRE(mdb_txn_commit(transaction) == 0);
  mdb_env_close(env);
  const Ran ran = run_tool({"boards", folder.path()});
  CHECK(ran.status == 1);
  CHECK(ran.complains());
  CHECK_MESSAGE(ran.err.find("format 2; this version reads format 1") != std::string::npos,
                ran.err);
}

TEST_CASE("the man page warns of cells that spreadsheets take for formulas") {
  const Ran page =
      run_shell("grep -q 'never changed for spreadsheets' " LAUREL_TOOL_SOURCES "/laurel.1");
  CHECK(page.status == 0);
}
