// A process runs out of descriptors at each point of opening, of a backup, of a commit and of
// opening the file again: each answer is a sentence, nothing is left open, and what was open works.
#include <filesystem>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "crash_fixture.h"
#include "faults.h"
#include "process_limit.h"
#include "transfer/transfer.h"

namespace laurel::crash {

namespace {

namespace fs = std::filesystem;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    count += each.is_symlink() ? 1 : 0;
  }
  return count;
}

// More than any of these calls needs.
constexpr unsigned kDescriptorsEnough = 16;

void is_a_sentence(const Refusal& refusal) {
  CAPTURE(refusal.text());
  CHECK(refusal.code() == Code::unavailable);
  CHECK(refusal.text().find("open files") != std::string_view::npos);
}

// Calls try_it() with more and more descriptors until it returns true. A refusal
// leaves the number of open descriptors as it was.
template <typename TryIt>
void until_enough(TryIt try_it) {
  for (unsigned left = 0; left <= kDescriptorsEnough; ++left) {
    CAPTURE(left);
    const std::size_t before = open_descriptors();
    if (try_it(left)) {
      CHECK(left > 0);
      return;
    }
    CHECK(open_descriptors() == before);
  }
  FAIL("it needs more descriptors than that");
}

// Whether the board has the entries of the twin's. Needs no descriptor.
bool is_as_expected(const Scene& scene, std::string_view name) {
  const auto entries = [name](const Registry& registry) {
    const auto board = registry.find(name);
    return board ? table(*registry.get(*board)) : "none";
  };
  return entries(*scene.registry) == entries(*scene.twin);
}

}  // namespace

TEST_CASE("a new directory opens, or is refused with a sentence, with any number of descriptors") {
  const Scratch scratch;
  const auto now = std::make_shared<Time>(0);
  until_enough([&](unsigned left) {
    const std::string path = scratch.path(fmt::format("boards {}", left));
    const auto open = [&] { return open_registry({.path = path, .now = now}); };
    auto opened = [&] {
      const ProcessLimit limit(RLIMIT_NOFILE, descriptors_left(left));
      return open();
    }();
    if (opened) return true;
    is_a_sentence(opened.refusal());
    const auto again = open();  // nothing half made is in the way
    if (!again) FAIL(again.refusal().text());
    return false;
  });
}

TEST_CASE(
    "a directory with boards opens, or is refused with a sentence, and nothing in it changes") {
  Scene scene(71);
  scene.play(60);
  REQUIRE(scene.registry->close());
  scene.registry.reset();
  until_enough([&](unsigned left) {
    const ProcessLimit limit(RLIMIT_NOFILE, descriptors_left(left));
    const Status opened = scene.reopen();
    if (!opened) is_a_sentence(opened.refusal());
    return static_cast<bool>(opened);
  });
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("a backup is made, or refused with a sentence, and can be repeated; play continues") {
  Scene scene(72);
  scene.play(60);
  until_enough([&](unsigned left) {
    const std::string copy = scene.scratch.path("copy");
    const Status copied = [&] {
      const ProcessLimit limit(RLIMIT_NOFILE, descriptors_left(left));
      return scene.registry->backup(copy);
    }();
    if (!copied) is_a_sentence(copied.refusal());
    CHECK(fs::exists(copy + "/laurel.mdb") == static_cast<bool>(copied));
    scene.play(5);
    REQUIRE(scene.registry->flush());
    return static_cast<bool>(copied);
  });
  CHECK(difference(scene.found(), scene.expected()) == "");
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE("an export is written, or refused with a sentence") {
  Scene scene(73);
  scene.play(20);
  until_enough([&](unsigned left) {
    const std::string file = scene.scratch.path("boards.jsonl");
    const Status written = [&] {
      const ProcessLimit limit(RLIMIT_NOFILE, descriptors_left(left));
      return export_registry(*scene.registry, file);
    }();
    if (!written) is_a_sentence(written.refusal());
    return static_cast<bool>(written);
  });
}

TEST_CASE("writes and commits need no descriptor") {
  Scene scene(74);
  scene.play(20);
  REQUIRE(scene.registry->flush());
  {
    const ProcessLimit none(RLIMIT_NOFILE, descriptors_left(0));
    for (int i = 0; i < 20; ++i) {
      scene.play(5);
      scene.registry->tick();
      REQUIRE(scene.registry->flush());
    }
  }
  CHECK(scene.refused == 0);
  CHECK(difference(scene.found(), scene.expected()) == "");
}

TEST_CASE(
    "a file that must be opened again and cannot be is still read, and written when descriptors "
    "are "
    "free again") {
  Scene scene(75);
  scene.play(60);
  REQUIRE(scene.registry->flush());
  faults::arm({.call = Call::head, .for_ever = true});
  scene.play(2);
  while (scene.registry->flush()) scene.play(1);
  faults::end();
  const std::size_t before = open_descriptors();
  for (const rlim_t limit : {rlim_t{3}, descriptors_left(0), descriptors_left(2)}) {
    const ProcessLimit few(RLIMIT_NOFILE, limit);
    int refused = 0;
    for (int i = 0; i < 10; ++i) {
      const Status flushed = scene.registry->flush();
      REQUIRE_FALSE(flushed);
      is_a_sentence(flushed.refusal());
      scene.registry->tick();
      refused += was_refused_by_disk(scene.step()) ? 1 : 0;
      for (const BoardCase& board : kBoards) CHECK(is_as_expected(scene, board.name));
    }
    CHECK(refused >= 5);
  }
  CHECK(open_descriptors() == before);
  CHECK(scene.registry->flush());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

}  // namespace laurel::crash
