#include "base/file_watch.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "folder.h"

using namespace laurel;
using laurel::test::Folder;

namespace {

// Makes the file look old, so that a test need not wait for its timestamp to age. Only mtime can be
// set, so a file stays fresh by its ctime; the tests observe trust through look().
void set_mtime(const std::string& path, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_CASE("a file is reported once, and again when its content has changed") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::changed);
  CHECK(watch.content() == "one");
  CHECK(watch.poll() == FileNews::same);
  folder.write("a.lua", "other");
  CHECK(watch.poll() == FileNews::changed);
  CHECK(watch.content() == "other");
  CHECK(watch.poll() == FileNews::same);
}

TEST_CASE("two changes within one second are two changes") {
  const Folder folder;
  FileWatch watch(folder / "a.lua", 100);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    folder.write("a.lua", i % 2 == 0 ? "aaaa" : "bbbb");  // always of the same size
    REQUIRE(watch.poll() == FileNews::changed);
    REQUIRE(watch.poll() == FileNews::same);
  }
}

TEST_CASE("a change that restores size and mtime is noticed") {
  const Folder folder;
  folder.write("a.lua", "aaaa");
  set_mtime(folder / "a.lua", 1'000'000'000);
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::changed);
  folder.write("a.lua", "bbbb");
  set_mtime(folder / "a.lua", 1'000'000'000);
  CHECK(watch.poll() == FileNews::changed);
  CHECK(watch.content() == "bbbb");
}

TEST_CASE("a file rewritten with the same content, or touched, is not reported") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::changed);
  folder.write("a.lua", "one");
  CHECK(watch.poll() == FileNews::same);
  set_mtime(folder / "a.lua", 1'000'000'000);
  CHECK(watch.poll() == FileNews::same);
}

TEST_CASE("a file replaced by another under its name is noticed") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::changed);
  folder.write("b.lua", "two");
  std::filesystem::rename(folder / "b.lua", folder / "a.lua");
  CHECK(watch.poll() == FileNews::changed);
  CHECK(watch.content() == "two");
}

TEST_CASE("a removed file is reported once, and its return only with a new content") {
  const Folder folder;
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::gone);
  CHECK(watch.poll() == FileNews::same);
  folder.write("a.lua", "one");
  CHECK(watch.poll() == FileNews::changed);
  folder.remove("a.lua");
  CHECK(watch.poll() == FileNews::gone);
  CHECK(watch.poll() == FileNews::same);
  folder.write("a.lua", "one");
  CHECK(watch.poll() == FileNews::same);
  folder.remove("a.lua");
  CHECK(watch.poll() == FileNews::gone);
  folder.write("a.lua", "two");
  CHECK(watch.poll() == FileNews::changed);
}

TEST_CASE(
    "a file that is too large or not regular is reported as unreadable once, with the reason") {
  const Folder folder;
  std::filesystem::create_directory(folder / "d.lua");
  FileWatch directory(folder / "d.lua", 100);
  CHECK(directory.poll() == FileNews::unreadable);
  CHECK(directory.problem() == "it is not a regular file");
  CHECK(directory.poll() == FileNews::same);

  REQUIRE(mkfifo((folder / "p.lua").c_str(), 0600) == 0);
  FileWatch pipe(folder / "p.lua", 100);
  CHECK(pipe.poll() == FileNews::unreadable);

  folder.write("a.lua", std::string(101, 'x'));
  FileWatch large(folder / "a.lua", 100);
  CHECK(large.poll() == FileNews::unreadable);
  CHECK(large.problem() == "it has 101 bytes; at most 100 are allowed");
  CHECK(large.poll() == FileNews::same);
  folder.write("a.lua", std::string(100, 'x'));
  CHECK(large.poll() == FileNews::changed);
}

TEST_CASE("after forget() a watch reports everything again") {
  const Folder folder;
  folder.write("a.lua", "one");
  FileWatch watch(folder / "a.lua", 100);
  CHECK(watch.poll() == FileNews::changed);
  watch.forget();
  CHECK(watch.poll() == FileNews::changed);
  CHECK(watch.content() == "one");
}

TEST_CASE("a directory in which a name was added or removed may have changed") {
  const Folder folder;
  DirectoryWatch watch(folder.path());
  CHECK(watch.may_have_changed());
  folder.write("a.lua", "one");
  CHECK(watch.may_have_changed());
  folder.remove("a.lua");
  CHECK(watch.may_have_changed());
}
