#include "bindings/file_change.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "scripting/folder.h"

using namespace laurel;
using laurel::test::Folder;

namespace {

// As if the file had last changed long ago: without it a test would wait for the stamp to age.
// Only mtime can be set, so a file stays fresh by ctime; trust is tested through what look() says.
void set_mtime(const std::string& path, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("a file is news once, and again when its content is another") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::changed);
  CHECK(watch.content() == "one");
  CHECK(watch.look() == FileNews::same);
  folder.write("a.lua", "other");
  CHECK(watch.look() == FileNews::changed);
  CHECK(watch.content() == "other");
  CHECK(watch.look() == FileNews::same);
}

TEST_CASE("two changes within one second are two changes") {
  const Folder folder;
  FileWatch watch(folder / "a.lua", 100);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    folder.write("a.lua", i % 2 == 0 ? "aaaa" : "bbbb");  // the same size every time
    REQUIRE(watch.look() == FileNews::changed);
    REQUIRE(watch.look() == FileNews::same);
  }
}

TEST_CASE("a change that restores size and mtime is noticed") {
  const Folder folder;
  folder.write("a.lua", "aaaa");
  set_mtime(folder / "a.lua", 1'000'000'000);
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::changed);
  folder.write("a.lua", "bbbb");
  set_mtime(folder / "a.lua", 1'000'000'000);
  CHECK(watch.look() == FileNews::changed);
  CHECK(watch.content() == "bbbb");
}

TEST_CASE("a file written again with what it had, or touched, is no news") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::changed);
  folder.write("a.lua", "one");
  CHECK(watch.look() == FileNews::same);
  set_mtime(folder / "a.lua", 1'000'000'000);
  CHECK(watch.look() == FileNews::same);
}

TEST_CASE("a file replaced by another under its name is noticed") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::changed);
  folder.write("b.lua", "two");
  std::filesystem::rename(folder / "b.lua", folder / "a.lua");
  CHECK(watch.look() == FileNews::changed);
  CHECK(watch.content() == "two");
}

TEST_CASE("a file that goes is news once; coming back as it was is none") {
  const Folder folder;
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::gone);
  CHECK(watch.look() == FileNews::same);
  folder.write("a.lua", "one");
  CHECK(watch.look() == FileNews::changed);
  folder.remove("a.lua");
  CHECK(watch.look() == FileNews::gone);
  CHECK(watch.look() == FileNews::same);
  folder.write("a.lua", "one");
  CHECK(watch.look() == FileNews::same);
  folder.remove("a.lua");
  CHECK(watch.look() == FileNews::gone);
  folder.write("a.lua", "two");
  CHECK(watch.look() == FileNews::changed);
}

TEST_CASE("what is no file, or too large a one, is unreadable and says why once") {
  const Folder folder;
  std::filesystem::create_directory(folder / "d.lua");
  FileWatch directory(folder / "d.lua", 100);
  CHECK(directory.look() == FileNews::unreadable);
  CHECK(directory.problem() == "it is not a regular file");
  CHECK(directory.look() == FileNews::same);

  REQUIRE(mkfifo((folder / "p.lua").c_str(), 0600) == 0);
  FileWatch pipe(folder / "p.lua", 100);
  CHECK(pipe.look() == FileNews::unreadable);

  folder.write("a.lua", std::string(101, 'x'));
  FileWatch large(folder / "a.lua", 100);
  CHECK(large.look() == FileNews::unreadable);
  CHECK(large.problem() == "it has 101 bytes; at most 100 are allowed");
  CHECK(large.look() == FileNews::same);
  folder.write("a.lua", std::string(100, 'x'));
  CHECK(large.look() == FileNews::changed);
}

TEST_CASE("a watch that forgot tells everything again") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.look() == FileNews::changed);
  watch.forget();
  CHECK(watch.look() == FileNews::changed);
  CHECK(watch.content() == "one");
}

TEST_CASE("a directory that lost or won a name may have changed") {
  const Folder folder;
  DirectoryWatch watch(folder.path());
  CHECK(watch.may_have_changed());
  folder.write("a.lua", "one");
  CHECK(watch.may_have_changed());
  folder.remove("a.lua");
  CHECK(watch.may_have_changed());
}
