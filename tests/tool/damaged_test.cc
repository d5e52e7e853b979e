#include <filesystem>
#include <fstream>
#include <random>

#include <doctest/doctest.h>

#include "folder.h"
#include "long_form.h"
#include "tool/run_tool.h"

using namespace laurel;
using namespace laurel::test;

namespace {

void fill_engines(Registry& registry) {
  for (const char* engine : {"ranked", "padded", "paged"}) {
    const BoardHandle board = open_board(registry, engine, {{"engine", engine}});
    for (int i = 0; i < 200; ++i) submit(registry, board, "player" + std::to_string(i), i);
  }
  REQUIRE(registry.profiles().save({.id = "ada", .name = "Ada"}, registry.now()));
  KnownTop known{.remote = "main", .known = registry.now(), .top = {}};
  for (int i = 0; i < 100; ++i) {
    known.top.entries.push_back({.player = "player" + std::to_string(i),
                                 .name = std::nullopt,
                                 .data = std::nullopt,
                                 .score = 100.0 - i,
                                 .rank = known.top.entries.size() + 1,
                                 .at = registry.now()});
  }
  registry.known_tops().put("world", pack_known_top(known, 100, 64 << 10), 0);
}

std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a directory without boards, a file and an unfinished backup are refused in a line") {
  const Folder folder("boards");
  for (const std::string& directory : {folder / "none", folder.path(), std::string("/dev/null")}) {
    const Ran ran = run_tool({"boards", directory});
    CHECK(ran.status == 1);
    CHECK_MESSAGE(ran.complains(), ran.err);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  folder.write("laurel.mdb.new", "");
  const Ran backup = run_tool({"boards", folder.path()});
  CHECK(backup.err.find("is a backup that did not end") != std::string::npos);
  CHECK(std::filesystem::exists(folder / "laurel.mdb.new"));
  folder.write("laurel.mdb", "no file of LMDB's");
  CHECK(run_tool({"boards", folder.path()}).complains());
}

TEST_CASE("whatever is cut or flipped in the files, no command crashes") {
  const Folder folder("boards");
  make_boards(folder.path(), fill_engines);
  const std::string whole = read_file(folder / "laurel.mdb");
  const std::string lock = read_file(folder / "laurel.mdb-lock");
  const std::vector<std::vector<std::string>> words = {{"check", folder.path(), "--json"},
                                                       {"top", folder.path(), "padded"},
                                                       {"top", folder.path(), "world"},
                                                       {"export", folder.path(), "/dev/null"},
                                                       {"stats", folder.path()}};
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const int rounds = short_or_long(40, 10'000);
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    std::string lock_now = lock;
    if (round % 3 == 0) {
      damaged.resize(random() % (whole.size() + 1));
    } else {
      // Most flips near the heads of pages, where they matter most.
      for (unsigned i = 0; i <= random() % 4; ++i) {
        const std::size_t page = random() % (whole.size() / 4096);
        const std::size_t at = random() % (random() % 2 == 0 ? 160 : 4096);
        damaged[page * 4096 + at] ^= static_cast<char>(1U << random() % 8);
      }
    }
    if (round % 5 == 0) lock_now.resize(random() % (lock.size() + 1));
    folder.write("laurel.mdb", damaged);
    folder.write("laurel.mdb-lock", lock_now);
    const Ran ran = run_tool(words[static_cast<std::size_t>(round) % words.size()]);
    CAPTURE(round);
    CHECK_MESSAGE((ran.status == 0 || ran.status == 1), ran.err);
    if (ran.status == 1) CHECK_MESSAGE(ran.complains(), ran.err);
    CHECK(read_file(folder / "laurel.mdb") == damaged);
    CHECK(read_file(folder / "laurel.mdb-lock") == lock_now);
  }
}

TEST_CASE("check tells a damaged file as a finding") {
  const Folder folder("boards");
  make_boards(folder.path(), fill_engines);
  std::string file = read_file(folder / "laurel.mdb");
  file[file.rfind("player7")] ^= 1;
  folder.write("laurel.mdb", file);
  const Ran ran = run_tool({"check", folder.path(), "--json"});
  CHECK(ran.status == 1);
  CHECK(ran.complains());
  CHECK(ran.json()["ok"] == false);
  CHECK(ran.json()["findings"].size() == 1);
}
