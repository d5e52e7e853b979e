// The publisher wakes the live thread once a tick. This program's write() counts the wakes: the
// only writes of eight bytes are those to the thread's eventfd.
#include <atomic>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "live/server/publisher.h"
#include "registry/registry.h"

namespace {
std::atomic<int> wakes{0};
}

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  if (size == sizeof(std::uint64_t)) ++wakes;
  return syscall(SYS_write, fd, bytes, size);
}

namespace laurel {

TEST_CASE("a tick that changes a thousand boards wakes the live thread once, an idle one never") {
  constexpr int kBoards = 1000;
  Registry registry{RegistryOptions{}};
  auto started = Publisher::start({});
  REQUIRE_MESSAGE(started, started.refusal().text());
  Publisher& publisher = **started;
  registry.attach(std::move(*started));
  std::vector<BoardHandle> boards;
  for (int i = 0; i < kBoards; ++i) {
    boards.push_back(*registry.open("board " + std::to_string(i), SpecChange()));
    REQUIRE(publisher.publish(registry, boards.back(), PublishOptions{}));
  }
  registry.tick();

  for (int round = 1; round <= 3; ++round) {
    for (const BoardHandle board : boards) {
      REQUIRE(registry.get(board)->submit(WriteMode::submit, {"ada", static_cast<double>(round)}));
    }
    wakes = 0;
    registry.tick();
    CHECK(wakes == 1);
    wakes = 0;
    registry.tick();
    CHECK(wakes == 0);
  }
}

}  // namespace laurel
