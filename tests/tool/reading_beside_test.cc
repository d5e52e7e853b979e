#include <csignal>
#include <filesystem>
#include <fstream>
#include <lmdb.h>
#include <map>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "folder.h"
#include "store/durable/durable_store.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

constexpr int kPlayers = 3000;

void fill_many(Registry& registry) {
  const BoardHandle board = open_board(registry, "b", {{"keep", "latest"}});
  for (int i = 0; i < kPlayers; ++i) submit(registry, board, "player" + std::to_string(i), i);
}

// Changes 50 entries that lie apart.
void change(Registry& registry) {
  static int round = 0;
  ++round;
  const BoardHandle board = *registry.find("b");
  for (int i = 0; i < 50; ++i) {
    submit(registry, board, "player" + std::to_string((round * 7 + i * 60) % kPlayers), round + i);
  }
}

// 80 transactions a second, of five entries each.
void change_at_pace(Registry& registry) {
  static int round = 0;
  ++round;
  ::poll(nullptr, 0, 12);
  const BoardHandle board = *registry.find("b");
  for (int i = 0; i < 5; ++i) {
    submit(registry, board, "player" + std::to_string((round * 7 + i * 600) % kPlayers), round);
  }
}

std::uint64_t bytes_of(const Folder& folder) {
  return std::filesystem::file_size(folder / "laurel.mdb");
}

// Name, size, inode and times of each file.
std::map<std::string, std::string> facts_of(const Folder& folder) {
  std::map<std::string, std::string> facts;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    struct stat stat {};
    REQUIRE(::stat(file.path().c_str(), &stat) == 0);
    facts[file.path().filename()] =
        std::to_string(stat.st_size) + " " + std::to_string(stat.st_ino) + " " +
        std::to_string(stat.st_mtim.tv_nsec) + " " + std::to_string(stat.st_mode);
  }
  return facts;
}

}  // namespace

TEST_CASE("reading beside a server sees its last commit and changes no file") {
  const Folder folder("boards");
  const Server server(folder.path(), fill_many);
  const auto before = facts_of(folder);
  const Ran top = run_tool({"top", folder.path(), "b", "-n", "1", "--json"});
  REQUIRE_MESSAGE(top.status == 0, top.err);
  CHECK(top.json()[0]["player"] == "player2999");
  CHECK(run_tool({"check", folder.path()}).status == 0);
  CHECK(run_tool({"stats", folder.path()}).status == 0);
  const auto after = facts_of(folder);
  for (const auto& [name, facts] : before) {
    if (name != "laurel.mdb-lock") CHECK(after.at(name) == facts);
  }
  CHECK(after.size() == before.size());
}

TEST_CASE("without a server nothing is made, and a directory that cannot be written is read") {
  const Folder folder("boards");
  make_boards(folder.path(), fill_many);
  folder.remove("laurel.mdb-lock");
  folder.remove("laurel.lock");
  const auto before = facts_of(folder);
  CHECK(run_tool({"top", folder.path(), "b"}).status == 0);
  CHECK(run_tool({"check", folder.path()}).status == 0);
  CHECK(run_tool({"backup", folder.path(), folder.path() + "-copy"}).status == 0);
  CHECK(facts_of(folder) == before);
}

TEST_CASE("import into a directory in use says by which process, and changes nothing") {
  const Folder folder("boards");
  const Server server(folder.path(), fill_many);
  const auto before = facts_of(folder);
  const Ran ran = run_tool({"import", folder.path(), "-"}, "{\"laurel\":1}\n");
  CHECK(ran.status == 1);
  CHECK(ran.err == "laurel: taken: \"" + folder.path() + "\" is open already, in process " +
                       std::to_string(server.pid()) + "\n");
  CHECK(facts_of(folder) == before);
}

TEST_CASE("while a server commits, each reading is whole") {
  const Folder folder("boards");
  const Server server(folder.path(), fill_many, change);
  for (int i = 0; i < 10; ++i) {
    const Ran ran = run_tool({"check", folder.path(), "--json"});
    CHECK_MESSAGE(ran.status == 0, (ran.out + ran.err));
    server.wait_for_commits(1);
  }
  CHECK(run_tool({"backup", folder.path(), folder.path() + "-copy"}).status == 0);
  CHECK(run_tool({"top", folder.path() + "-copy", "b", "-n", "9999", "--json"}).json().size() ==
        kPlayers);
}

TEST_CASE("a paused export does not let the file grow") {
  const Folder folder("boards");
  const Server server(folder.path(), fill_many, change_at_pace);
  server.wait_for_commits(40);
  const std::uint64_t before = bytes_of(folder);
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  const pid_t reader = ::fork();
  if (reader == 0) {
    ::dup2(pipe[1], 1);
    ::close(pipe[0]);
    ::close(pipe[1]);
    ::execl(LAUREL_TOOL, LAUREL_TOOL, "export", folder.c_str(), "-", nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  pollfd first_bytes{pipe[0], POLLIN, 0};
  REQUIRE(::poll(&first_bytes, 1, 60'000) == 1);
  server.wait_for_commits(80);
  CHECK(static_cast<double>(bytes_of(folder)) <= 1.2 * static_cast<double>(before));
  ::close(pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(reader, &status, 0) == reader);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE));
}

TEST_CASE("the writer frees the slot of a reader that was killed, and the file stops growing") {
  const Folder folder("boards");
  const auto put = [](DurableStore& store, int round) {
    Batch batch;
    for (int i = 0; i < 50; ++i) {
      batch.put("k" + std::to_string((round * 7 + i * 60) % kPlayers), std::string(100, 'v'));
    }
    store.write(batch);
    REQUIRE(store.flush());
  };
  // The reader's slot is as long as the store's file in use: a process of its own has the store.
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto store = DurableStore::open({.path = folder.path(), .dead_readers_every = {}}, Log());
    REQUIRE(store);
    for (int round = 0; round < 50; ++round) put(**store, round);
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t reader = ::fork();
    if (reader == 0) {  // an environment of its own, which is never closed
      MDB_env* env = nullptr;
      MDB_txn* transaction = nullptr;
      const bool reads = mdb_env_create(&env) == 0 && mdb_env_set_mapsize(env, 1U << 30) == 0 &&
                         mdb_env_open(env, (folder / "laurel.mdb").c_str(),
                                      MDB_NOSUBDIR | MDB_RDONLY | MDB_NOTLS, 0) == 0 &&
                         mdb_txn_begin(env, nullptr, MDB_RDONLY, &transaction) == 0;
      (void)!::write(pipe[1], reads ? "r" : "f", 1);
      for (;;) ::pause();
    }
    char said = 'f';
    REQUIRE(::read(pipe[0], &said, 1) == 1);
    REQUIRE(said == 'r');
    const std::uint64_t held_from = bytes_of(folder);
    for (int round = 0; round < 100; ++round) put(**store, round);
    const std::uint64_t held_to = bytes_of(folder);
    REQUIRE(held_to > 2 * held_from);  // a snapshot that is held stops all reuse of pages
    ::kill(reader, SIGKILL);
    ::waitpid(reader, nullptr, 0);
    for (int round = 0; round < 100; ++round) put(**store, round);
    ::_exit(bytes_of(folder) <= held_to + held_to / 10 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(writer, &status, 0) == writer);
  CHECK(status == 0);
}
