// Another program cuts a file while it is open: the store writes nothing into it, and says so.
// Reads of what is in memory continue. A read of a part that was cut cannot be caught, so these
// tests make none.
#include <filesystem>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "crash_fixture.h"
#include "power.h"

namespace laurel::crash {

namespace {

namespace fs = std::filesystem;

// A board in memory: nothing reads the file after it was opened.
struct Open {
  Scratch scratch;
  std::vector<std::string> log;
  std::unique_ptr<Registry> registry;

  Open() {
    auto opened = open_registry({.path = scratch.path("boards"),
                                 .now = std::make_shared<Time>(1'000'000 * kSecond),
                                 .log = &log});
    if (!opened) FAIL(opened.refusal().text());
    registry = std::move(*opened);
    REQUIRE(registry->open("arena", spec({{"engine", "ranked"}})));
    for (int i = 0; i < 1000; ++i) submit(fmt::format("player {}", i), i);
    REQUIRE(registry->flush());
  }
  std::string file(std::string_view name) const {
    return scratch.path("boards") + "/" + std::string(name);
  }
  Board& board() { return *registry->get(*registry->find("arena")); }
  void submit(std::string_view player, double score) {
    REQUIRE(board().submit(WriteMode::submit, result(player, score)));
  }
};

void is_refused_as_cut(Open& open, const std::string& file) {
  const Status flushed = open.registry->flush();
  REQUIRE_FALSE(flushed);
  CAPTURE(flushed.refusal().text());
  CHECK(flushed.refusal().code() == Code::unavailable);
  CHECK(flushed.refusal().text().find("was cut") != std::string_view::npos);
  CHECK(flushed.refusal().text().find(file) != std::string_view::npos);
  open.registry->tick();
  CHECK_FALSE(open.registry->writable());
  CHECK(open.board().size() == 1001);
}

}  // namespace

TEST_CASE("a file that another program cut is not written, and the refusal names it") {
  Open open;
  const std::string file = open.file("laurel.mdb");
  const std::string bytes = bytes_of(file);
  fs::resize_file(file, 0);
  open.submit("late", 5000);
  is_refused_as_cut(open, file);
  CHECK(fs::file_size(file) == 0);
  write_bytes(file, bytes);  // into the same file: LMDB may have seen what was in between
  is_refused_as_cut(open, file);
  CHECK(bytes_of(file) == bytes);
  CHECK_FALSE(open.registry->close());
}

TEST_CASE("a file that lost its last page is not written, and cannot be opened again") {
  Open open;
  const std::string file = open.file("laurel.mdb");
  fs::resize_file(file, fs::file_size(file) - 4096);
  open.submit("late", 5000);
  is_refused_as_cut(open, file);
  CHECK_FALSE(open.registry->close());
}

TEST_CASE("after another program cut the lock file nothing is written, and closing does no harm") {
  Open open;
  const std::string file = open.file("laurel.mdb");
  const std::string bytes = bytes_of(file);
  fs::resize_file(open.file("laurel.mdb-lock"), 0);
  open.submit("late", 5000);
  is_refused_as_cut(open, open.file("laurel.mdb-lock"));
  CHECK(bytes_of(file) == bytes);
  CHECK_FALSE(open.registry->close());
  open.registry.reset();
  const auto again = open_registry(
      {.path = open.scratch.path("boards"), .now = std::make_shared<Time>(1'000'000 * kSecond)});
  if (!again) FAIL(again.refusal().text());
  CHECK((*again)->get(*(*again)->find("arena"))->size() == 1000);
}

TEST_CASE("a lock file that is deleted or replaced while it is open does no harm") {
  Open open;
  fs::remove(open.file("laurel.mdb-lock"));
  open.submit("late", 5000);
  REQUIRE(open.registry->flush());
  write_bytes(open.file("laurel.mdb-lock"), "");
  open.submit("later", 6000);
  REQUIRE(open.registry->flush());
  CHECK(open.registry->close());
}

}  // namespace laurel::crash
