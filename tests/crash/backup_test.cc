// A backup is the registry at the time of the call, regardless of concurrent and later writes.
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "board/spec/spec_change.h"
#include "crash_fixture.h"
#include "faults.h"
#include "power.h"

namespace laurel::crash {

namespace {

Picture picture_in(const std::string& path, const std::shared_ptr<Time>& now) {
  const auto opened = open_registry({.path = path, .now = now});
  if (!opened) FAIL(opened.refusal().text());
  return picture_of(**opened);
}

// Another process opens the directory `from`, and is killed in the middle of the n-th call of its
// backup. Returns false if the backup has fewer calls.
bool killed_in_backup(const std::string& from, const std::string& to,
                      const std::shared_ptr<Time>& now, Call call, std::uint64_t nth) {
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    const auto registry = open_registry({.path = from, .now = now});
    if (!registry) ::_exit(1);
    faults::arm({.call = call, .nth = nth, .way = Fault::Way::kills});
    ::_exit((*registry)->backup(to) ? 0 : 2);
  }
  int status = 0;
  REQUIRE(::waitpid(other, &status, 0) == other);
  if (WIFSIGNALED(status)) {
    CHECK(WTERMSIG(status) == SIGKILL);
    return true;
  }
  CHECK(WEXITSTATUS(status) == 0);
  return false;
}

}  // namespace

TEST_CASE("a backup taken during play opens, and equals the registry at that time") {
  for (const Durability durability : {Durability::tick, Durability::always, Durability::none}) {
    Scene scene(61, durability);
    for (int round = 0; round < 6; ++round) {
      CAPTURE(round);
      scene.play(30);
      if (round % 2 == 0) scene.registry->tick();  // the writer thread works meanwhile
      scene.play(3);
      const std::string copy = scene.scratch.path(fmt::format("copy {}", round));
      const Picture then = scene.found();
      const Status copied = scene.registry->backup(copy);
      if (!copied) FAIL(copied.refusal().text());
      scene.play(5);
      REQUIRE(scene.registry->flush());
      *scene.now = scene.history.time(scene.number - 5);
      CHECK(difference(picture_in(copy, scene.now), then) == "");
      *scene.now = scene.history.time(scene.number);
    }
    CHECK(difference(scene.found(), scene.expected()) == "");
  }
}

TEST_CASE("a backup and its original continue independently") {
  Scene scene(62);
  scene.play(60);
  const std::string copy = scene.scratch.path("copy");
  REQUIRE(scene.registry->backup(copy));
  const Picture then = scene.found();
  auto other = std::move(*open_registry({.path = copy, .now = scene.now}));
  REQUIRE(other->open("another", SpecChange()));
  REQUIRE(other->flush());
  CHECK(difference(scene.found(), then) == "");
  scene.play(30);
  REQUIRE(scene.registry->flush());
  CHECK_FALSE(other->find("best") == scene.registry->find("another"));
  CHECK(other->find("another"));
}

TEST_CASE("a backup is refused onto existing boards, onto an open registry, and of memory") {
  Scene scene(63);
  scene.play(20);
  const Status onto_itself = scene.registry->backup(scene.path());
  REQUIRE_FALSE(onto_itself);
  CHECK(onto_itself.refusal().code() == Code::taken);
  const std::string copy = scene.scratch.path("copy");
  REQUIRE(scene.registry->backup(copy));
  const Status again = scene.registry->backup(copy);
  REQUIRE_FALSE(again);
  CHECK(again.refusal().code() == Code::taken);
  CHECK(difference(picture_in(copy, scene.now), scene.expected()) == "");
  const Status of_memory = scene.twin->backup(scene.scratch.path("memory"));
  REQUIRE_FALSE(of_memory);
  CHECK(of_memory.refusal().code() == Code::unsupported);
}

TEST_CASE("a failed backup leaves nothing that opens as boards, and can be repeated") {
  Scene scene(64);
  scene.play(60);
  REQUIRE(scene.registry->flush());
  const std::string copy = scene.scratch.path("copy");
  for (const Call call : {Call::head, Call::pages, Call::sync}) {
    for (std::uint64_t nth = 1; nth <= 2; ++nth) {
      CAPTURE(static_cast<int>(call));
      CAPTURE(nth);
      faults::arm({.call = call, .nth = nth, .for_ever = true});
      const Status copied = scene.registry->backup(copy);
      if (faults::end()) {
        REQUIRE_FALSE(copied);
        CHECK(copied.refusal().code() == Code::unavailable);
      }
      CHECK_FALSE((!copied && std::filesystem::exists(copy + "/laurel.mdb")));
      if (copied) std::filesystem::remove_all(copy);
    }
  }
  REQUIRE(scene.registry->backup(copy));
  CHECK(difference(picture_in(copy, scene.now), scene.expected()) == "");
}

TEST_CASE("what a killed backup left is refused, and the backup can be made again") {
  Scene scene(65);
  scene.play(60);
  REQUIRE(scene.registry->close());
  scene.registry.reset();
  for (const Call call : {Call::head, Call::pages, Call::sync}) {
    for (std::uint64_t nth = 1;; ++nth) {
      CAPTURE(static_cast<int>(call));
      CAPTURE(nth);
      const std::string copy = scene.scratch.path("copy");
      if (!killed_in_backup(scene.path(), copy, scene.now, call, nth)) {
        CHECK(nth > (call == Call::pages ? 0U : 1U));
        std::filesystem::remove_all(copy);
        break;
      }
      if (!std::filesystem::exists(copy)) continue;  // killed while the original was written
      for (int times = 0; times < 2; ++times) {
        const auto opened = open_registry({.path = copy, .now = scene.now});
        REQUIRE_FALSE(opened);
        CAPTURE(opened.refusal().text());
        CHECK(opened.refusal().code() == Code::bad_data);
        CHECK(opened.refusal().text().find("laurel.mdb.new") != std::string_view::npos);
      }
      REQUIRE(scene.reopen());
      const Status again = scene.registry->backup(copy);
      if (!again) FAIL(again.refusal().text());
      CHECK(difference(picture_in(copy, scene.now), scene.expected()) == "");
      REQUIRE(scene.registry->close());
      scene.registry.reset();
      std::filesystem::remove_all(copy);
    }
  }
}

TEST_CASE("a directory that an older version left in the middle of a backup is refused") {
  Scene scene(66);
  scene.play(90);
  REQUIRE(scene.registry->flush());
  const std::string copy = scene.scratch.path("copy");
  for (const std::size_t bytes : {0, 4096, 12'288, 40'000}) {
    CAPTURE(bytes);
    std::filesystem::create_directories(copy);
    write_bytes(copy + "/laurel.mdb.new", bytes_of(scene.file()).substr(0, bytes));
    const auto opened = open_registry({.path = copy, .now = scene.now});
    REQUIRE_FALSE(opened);
    CHECK(opened.refusal().code() == Code::bad_data);
    CHECK(std::filesystem::file_size(copy + "/laurel.mdb.new") == bytes);
  }
  std::filesystem::remove(copy + "/laurel.mdb.new");
  const auto opened = open_registry({.path = copy, .now = scene.now});
  CHECK(opened);
}

}  // namespace laurel::crash
