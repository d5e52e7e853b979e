// A backup is the registry at the time of the call, regardless of concurrent and later writes.
#include <filesystem>

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

}  // namespace laurel::crash
