// Full disks, and directories that are missing, taken or impossible: the refusal names them, and
// the registry works again when they are back.
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "board/spec/spec_change.h"
#include "crash_fixture.h"
#include "power.h"
#include "process_limit.h"
#include "small_disk.h"

namespace laurel::crash {

namespace {

namespace fs = std::filesystem;

// Plays until the disk refuses. False if it never does.
bool plays_until_refused(Scene& scene) {
  for (int i = 0; i < 20'000; ++i) {
    if (was_refused_by_disk(scene.step())) return true;
    scene.registry->tick();
  }
  return false;
}

// `reason` is in the refusal and in the log.
void refused_and_readable(Scene& scene, std::string_view reason) {
  const Status flushed = scene.registry->flush();
  REQUIRE_FALSE(flushed);
  CAPTURE(flushed.refusal().text());
  CHECK(flushed.refusal().code() == Code::unavailable);
  CHECK(flushed.refusal().text().find(reason) != std::string_view::npos);
  CHECK(scene.lines_with(reason) > 0);
  // Some steps do not write: removing a player without an entry, for example.
  int refused = 0;
  for (int i = 0; i < 20; ++i) refused += was_refused_by_disk(scene.step()) ? 1 : 0;
  CHECK(refused >= 5);
}

void goes_on(Scene& scene) {
  const Status flushed = scene.registry->flush();
  if (!flushed) FAIL(flushed.refusal().text());
  CHECK(difference(scene.found(), scene.expected()) == "");
  scene.play(20);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

void skipped() { MESSAGE("SKIPPED: a small disk of its own may not be mounted"); }

std::unique_ptr<Registry> opened(const std::string& path, Scene& scene) {
  auto registry = open_registry({.path = path, .now = scene.now, .log = &scene.log});
  if (!registry) FAIL(registry.refusal().text());
  return std::move(*registry);
}

// Opens the directory "boards" of the disk with more and more free pages, until it opens and a
// flush succeeds. `prepare` makes the directory as it is before.
template <typename Prepare>
void opens_or_is_refused(SmallDisk& disk, Scene& scene, Prepare prepare) {
  constexpr std::size_t kPagesEnough = 64;
  for (std::size_t pages = 0; pages <= kPagesEnough; ++pages) {
    CAPTURE(pages);
    disk.leave_free(kPagesEnough);
    prepare();
    disk.leave_free(pages);
    auto registry = open_registry({.path = disk.path("boards"), .now = scene.now});
    if (!registry) {
      CAPTURE(registry.refusal().text());
      CHECK(registry.refusal().code() == Code::unavailable);
      CHECK(registry.refusal().text().find("the disk is full") != std::string_view::npos);
      continue;
    }
    (void)(*registry)->open("new", SpecChange());
    if ((*registry)->flush()) return;
  }
  FAIL("it does not open with free space");
}

std::string refusal_of(const std::string& path) {
  const auto opened = open_registry({.path = path, .now = std::make_shared<Time>(0)});
  REQUIRE_FALSE(opened);
  return std::string(opened.refusal().text());
}

bool is_taken_for_another_process(const Scene& scene) {
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    const auto opened = open_registry({.path = scene.path(), .now = scene.now});
    ::_exit(!opened && opened.refusal().code() == Code::taken ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(other, &status, 0) == other);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE(
    "while a file may not grow, writes are refused and reads work; later writes are accepted "
    "again") {
  Scene scene(21);
  scene.play(400);
  REQUIRE(scene.registry->flush());
  {
    const ProcessLimit limit(RLIMIT_FSIZE, fs::file_size(scene.file()));
    REQUIRE(plays_until_refused(scene));
    refused_and_readable(scene, "RLIMIT_FSIZE");
  }
  goes_on(scene);
}

TEST_CASE(
    "on a full disk writes are refused and reads work; with free space writes are accepted again") {
  Scene scene(22);
  SmallDisk disk(scene.scratch.path("disk"), 256);
  if (!disk.is_mounted()) return skipped();
  Scene full(23);
  full.registry.reset();
  full.registry = opened(disk.path("boards"), full);
  full.play(50);
  REQUIRE(full.registry->flush());
  disk.leave_free(0);
  REQUIRE(plays_until_refused(full));
  refused_and_readable(full, "the disk is full");
  CHECK(difference(full.found(), full.expected()) == "");
  disk.leave_free(100);
  REQUIRE(full.registry->flush());
  CHECK(difference(full.found(), full.expected()) == "");
  full.registry.reset();
  full.registry = opened(disk.path("boards"), full);
  CHECK(difference(full.found(), full.expected()) == "");
  full.registry.reset();
}

TEST_CASE("with any number of free pages a new directory opens, or is refused") {
  Scene scene(28);
  SmallDisk disk(scene.scratch.path("disk"), 256);
  if (!disk.is_mounted()) return skipped();
  opens_or_is_refused(disk, scene, [&] { fs::remove_all(disk.path("boards")); });
}

TEST_CASE(
    "with any number of free pages a copy of a backup opens, or is refused, also if its lock file "
    "has holes") {
  Scene scene(29);
  scene.play(40);
  const std::string backup = scene.scratch.path("backup");
  REQUIRE(scene.registry->backup(backup));
  SmallDisk disk(scene.scratch.path("disk"), 256);
  if (!disk.is_mounted()) return skipped();
  for (const std::uintmax_t lock_bytes : {0, 4096, 8192, 65536}) {
    CAPTURE(lock_bytes);
    opens_or_is_refused(disk, scene, [&] {
      fs::remove_all(disk.path("boards"));
      fs::create_directories(disk.path("boards"));
      fs::copy(backup + "/laurel.mdb", disk.path("boards/laurel.mdb"));
      if (lock_bytes == 0) return;
      write_bytes(disk.path("boards/laurel.mdb-lock"), "");
      fs::resize_file(disk.path("boards/laurel.mdb-lock"), lock_bytes);
    });
  }
}

TEST_CASE(
    "while the directory is renamed, writes are refused; once it is back they are accepted again") {
  Scene scene(24);
  scene.play(50);
  REQUIRE(scene.registry->flush());
  const std::string away = scene.scratch.path("away");
  fs::rename(scene.path(), away);
  scene.play(1);
  REQUIRE(plays_until_refused(scene));
  refused_and_readable(scene, "No such file or directory");
  CHECK(difference(scene.found(), scene.expected()) == "");
  fs::rename(away, scene.path());
  goes_on(scene);
}

TEST_CASE(
    "a foreign file under the store's name is not written, and the store's own works again once "
    "back") {
  Scene scene(25);
  scene.play(50);
  REQUIRE(scene.registry->flush());
  const std::string own = scene.scratch.path("own");
  fs::rename(scene.file(), own);
  write_bytes(scene.file(), "another");
  REQUIRE(plays_until_refused(scene));
  refused_and_readable(scene, "was replaced by another file");
  CHECK(bytes_of(scene.file()) == "another");
  fs::rename(own, scene.file());
  goes_on(scene);
}

TEST_CASE(
    "when the directory is removed, reads work and writes are refused; reopening begins empty") {
  Scene scene(26);
  scene.play(50);
  REQUIRE(scene.registry->flush());
  fs::remove_all(scene.path());
  REQUIRE(plays_until_refused(scene));
  refused_and_readable(scene, "No such file or directory");
  CHECK(difference(scene.found(), scene.expected()) == "");
  CHECK_FALSE(scene.registry->close());
  scene.registry.reset();
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), picture_of(*make_twin(scene.now))) == "");
}

TEST_CASE("a path that cannot be a directory is refused by name") {
  const Scratch scratch;
  const std::string file = scratch.path("file");
  write_bytes(file, "no directory");
  CHECK(refusal_of(file).find(file) != std::string::npos);
  CHECK(refusal_of(file + "/inside").find(file) != std::string::npos);
  CHECK(refusal_of("/proc/laurel").find("/proc/laurel") != std::string::npos);
  CHECK(refusal_of(file).starts_with("unavailable: "));
}

TEST_CASE("an open directory is taken, for this and for other processes, until it is closed") {
  Scene scene(27);
  CHECK(refusal_of(scene.path()).starts_with("taken: "));
  CHECK(refusal_of(scene.path()).find(scene.path()) != std::string::npos);
  CHECK(is_taken_for_another_process(scene));
  scene.play(20);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE(
    "with a deleted or replaced laurel.lock the directory is still taken, and play continues") {
  Scene scene(30);
  const std::string lock = scene.path() + "/laurel.lock";
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    fs::remove(lock);
    if (round == 1) write_bytes(lock, "1");
    CHECK(refusal_of(scene.path()).starts_with("taken: "));
    CHECK(refusal_of(scene.path()).find(scene.path()) != std::string::npos);
    const Status onto = scene.registry->backup(scene.path());
    REQUIRE_FALSE(onto);
    CHECK(onto.refusal().code() == Code::taken);
    scene.play(20);
    REQUIRE(scene.registry->flush());
  }
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("a deleted laurel.lock lets no other process in") {
  Scene scene(31);
  scene.play(20);
  fs::remove(scene.path() + "/laurel.lock");
  CHECK(is_taken_for_another_process(scene));
  scene.play(20);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

}  // namespace laurel::crash
