// Full disks, and directories that are missing, taken or impossible: the refusal names them, and
// the registry works again when they are back.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "power.h"

namespace laurel::crash {

namespace {

namespace fs = std::filesystem;

// Limits the size of this process's files during its lifetime.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

// Plays until the disk refuses. False if it never does.
bool plays_until_refused(Scene& scene) {
  for (int i = 0; i < 20'000; ++i) {
    if (was_refused_by_disk(scene.step())) return true;
    scene.registry->tick();
  }
  return false;
}

void refused_and_readable(Scene& scene) {
  const Status flushed = scene.registry->flush();
  REQUIRE_FALSE(flushed);
  CHECK(flushed.refusal().code() == Code::unavailable);
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

std::string refusal_of(const std::string& path) {
  const auto opened = open_registry({.path = path, .now = std::make_shared<Time>(0)});
  REQUIRE_FALSE(opened);
  return std::string(opened.refusal().text());
}

}  // namespace

TEST_CASE(
    "while a file may not grow, writes are refused and reads work; later writes are accepted "
    "again") {
  Scene scene(21);
  scene.play(400);
  REQUIRE(scene.registry->flush());
  {
    const FileSizeLimit limit(fs::file_size(scene.file()));
    REQUIRE(plays_until_refused(scene));
    refused_and_readable(scene);
  }
  goes_on(scene);
}

TEST_CASE(
    "on a full disk writes are refused and reads work; with free space writes are accepted again") {
  Scene scene(22);
  const std::string disk = scene.scratch.path("disk");
  fs::create_directories(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    MESSAGE("SKIPPED: a small disk of its own may not be mounted here");
    return;
  }
  {
    Scene full(23);
    full.registry.reset();
    const std::string path = disk + "/boards";
    full.registry = std::move(*open_registry({.path = path, .now = full.now, .log = &full.log}));
    full.play(50);
    REQUIRE(full.registry->flush());
    write_bytes(disk + "/ballast", "");
    std::ofstream ballast(disk + "/ballast", std::ios::binary);
    const std::string page(4096, 'b');
    while (ballast.write(page.data(), 4096).flush()) {
    }
    ballast.close();
    REQUIRE(plays_until_refused(full));
    refused_and_readable(full);
    CHECK(difference(full.found(), full.expected()) == "");
    fs::remove(disk + "/ballast");
    REQUIRE(full.registry->flush());
    CHECK(difference(full.found(), full.expected()) == "");
    full.registry.reset();
    full.registry = std::move(*open_registry({.path = path, .now = full.now}));
    CHECK(difference(full.found(), full.expected()) == "");
    full.registry.reset();
  }
  CHECK(::umount(disk.c_str()) == 0);
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
  refused_and_readable(scene);
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
  refused_and_readable(scene);
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
  refused_and_readable(scene);
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
  // A separate process, forked before it opens the directory by itself.
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    const auto opened = open_registry({.path = scene.path(), .now = scene.now});
    ::_exit(!opened && opened.refusal().code() == Code::taken ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(other, &status, 0) == other);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  scene.play(20);
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

}  // namespace laurel::crash
