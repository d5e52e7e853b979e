// The file for node_exporter.
#include "registry/metrics_file.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

#include "folder.h"

using laurel::Family;
using laurel::MetricSet;
using laurel::MetricsFile;
using laurel::test::Folder;

namespace {

// Metrics with one value that tells them apart.
MetricSet season(int number) {
  MetricSet set;
  set.add(Family::board_season, {"b"}, number);
  return set;
}

bool has_season(const Folder& folder, int number) {
  return folder.read("laurel.prom") == season(number).text();
}

bool waits_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

TEST_CASE("metrics are in the file soon, in mode 0644 whatever the umask, and nothing beside it") {
  const Folder folder;
  const std::string file = folder.path() + "/laurel.prom";
  const mode_t before = ::umask(0077);
  {
    auto metrics = MetricsFile::open(file);
    REQUIRE(metrics);
    (*metrics)->post(season(1));
    CHECK(waits_for([&] { return has_season(folder, 1); }));
    struct stat facts {};
    CHECK(::stat(file.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 07777) == 0644);
    (*metrics)->post(season(2));
  }
  ::umask(before);
  CHECK(has_season(folder, 2));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a directory that does not exist is refused, with its name") {
  const Folder folder;
  const auto metrics = MetricsFile::open(folder.path() + "/none/laurel.prom");
  REQUIRE(!metrics);
  CHECK(metrics.refusal().text().find("/none\"") != std::string_view::npos);
}

TEST_CASE("a file that cannot be written stays as it was, and that is told once") {
  const Folder folder;
  const std::string file = folder.path() + "/laurel.prom";
  auto metrics = MetricsFile::open(file);
  REQUIRE(metrics);
  (*metrics)->post(season(1));
  REQUIRE(waits_for([&] { return has_season(folder, 1); }));
  std::filesystem::create_directory(file + ".new");
  (*metrics)->post(season(2));
  std::optional<laurel::Refusal> failure;
  CHECK(waits_for([&] { return (failure = (*metrics)->take_failure()).has_value(); }));
  CHECK(has_season(folder, 1));
  (*metrics)->post(season(3));
  std::filesystem::remove(file + ".new");
  (*metrics)->post(season(4));
  CHECK(waits_for([&] { return has_season(folder, 4); }));
  CHECK(!(*metrics)->take_failure());
}

TEST_CASE("a forked child writes nothing, and does not wait for its parent's thread") {
  const Folder folder;
  const std::string file = folder / "laurel.prom";
  auto metrics = MetricsFile::open(file);
  REQUIRE(metrics);
  (*metrics)->post(season(1));
  REQUIRE(waits_for([&] { return has_season(folder, 1); }));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(10);
    (*metrics)->post(season(2));
    metrics->reset();
    ::_exit(0);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  metrics->reset();
  CHECK(has_season(folder, 1));
}
