// A process forked while a store is open: in the child the registry is closed, and nothing that the
// child does reaches the parent's file.
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "crash_fixture.h"

namespace laurel::crash {

namespace {

// The child's return value, or 128 plus the signal that ended it.
int in_child(const std::function<int()>& act) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(act());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void goes_on_unharmed(Scene& scene) {
  scene.play(20);
  scene.registry->tick();
  REQUIRE(scene.registry->flush());
  REQUIRE(scene.reopen());
  CHECK(difference(scene.found(), scene.expected()) == "");
}

}  // namespace

TEST_CASE("in a forked process the registry is closed") {
  Scene scene(31);
  scene.play(40);
  CHECK(in_child([&] { return scene.registry->closed() ? 0 : 1; }) == 0);
  CHECK_FALSE(scene.registry->closed());
  goes_on_unharmed(scene);
}

TEST_CASE("nothing that a forked process does reaches the parent's file") {
  Scene scene(32);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    scene.play(3);
    scene.registry->tick();  // the writer thread works during the fork
    const BoardHandle board = *scene.registry->find(kBoards[0].name);
    CHECK(in_child([&] {
            Registry& registry = *scene.registry;
            if (registry.get(board) != nullptr || registry.peek(board) != nullptr) return 1;
            if (registry.ban("anybody") || registry.writable()) return 2;
            if (registry.profiles().save({"anybody", "name", std::nullopt}, 0)) return 3;
            registry.tick();
            if (registry.flush()) return 4;
            if (registry.backup(scene.scratch.path("copy"))) return 5;
            return registry.stats().disk.file_bytes == 0 ? 0 : 6;
          }) == 0);
  }
  goes_on_unharmed(scene);
}

TEST_CASE("a forked process may close, destroy or just end while the parent continues") {
  Scene scene(33);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    scene.play(10);
    scene.registry->tick();
    CHECK(in_child([&] {
            if (round % 3 == 0) (void)scene.registry->close();
            if (round % 3 <= 1) scene.registry.reset();
            return 0;
          }) == 0);
    scene.play(5);
    REQUIRE(scene.registry->flush());
    CHECK(difference(scene.found(), scene.expected()) == "");
  }
  goes_on_unharmed(scene);
}

TEST_CASE("the parent keeps the lock when a forked process ends") {
  Scene scene(34);
  CHECK(in_child([&] {
          scene.registry.reset();
          return 0;
        }) == 0);
  const auto again = open_registry({.path = scene.path(), .now = scene.now});
  REQUIRE_FALSE(again);
  CHECK(again.refusal().code() == Code::taken);
}

}  // namespace laurel::crash
