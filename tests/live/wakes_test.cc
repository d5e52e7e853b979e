// The publisher wakes the live thread once a tick. This program's write() counts the wakes: the
// only writes of eight bytes are those to the thread's eventfd.
#include <algorithm>
#include <atomic>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "live/auth/token.h"
#include "live/client/client.h"
#include "live/server/publisher.h"
#include "registry/registry.h"
#include "remote/servers.h"

namespace {
std::atomic<int> wakes{0};
}

extern "C" ssize_t write(int fd, const void* bytes, size_t size) {
  if (size == sizeof(std::uint64_t)) ++wakes;
  return syscall(SYS_write, fd, bytes, size);
}

namespace laurel {

TEST_CASE("a tick that posts many changed boards wakes the live thread once, an idle one never") {
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
    int ticks = 0;
    std::uint64_t put_off = 0;
    do {  // a slow machine needs several ticks
      put_off = registry.stats().slices_put_off;
      wakes = 0;
      registry.tick();
      CHECK(wakes == 1);
      ++ticks;
    } while (registry.stats().slices_put_off > put_off);
    CHECK(ticks < kBoards / 4);
    wakes = 0;
    registry.tick();
    CHECK(wakes == 0);
  }
}

TEST_CASE("the answers about followed players of a remote board wake the live thread once a tick") {
  constexpr int kPlayers = 8;
  const SharedTime time;
  const auto store = std::make_shared<FakeStore>();
  GameServer game(time, store);
  const BoardHandle board = game.open("world");
  auto started = Publisher::start({});
  REQUIRE_MESSAGE(started, started.refusal().text());
  Publisher& publisher = **started;
  game.registry->attach(std::move(*started));
  REQUIRE(publisher.publish_remote(*game.registry, board, {}));
  std::vector<std::unique_ptr<Client>> clients;
  int windows = 0;
  for (int i = 0; i < kPlayers; ++i) {
    const std::string player = "player " + std::to_string(i);
    REQUIRE(game.submit(board, player, i));
    const Result<Token> token = publisher.token(*game.registry, player, 60, 1);
    REQUIRE(token);
    auto client = Client::connect({"127.0.0.1", publisher.port(), to_text(*token), false, {}});
    REQUIRE(client);
    const auto count = [&windows](const Result<WindowPtr>& top) { windows += top ? 1 : 0; };
    REQUIRE((*client)->follow("world", 1, count));
    clients.push_back(std::move(*client));
  }
  const Time end = steady_now() + 10 * kSecond;
  int most = 0;
  while (windows < kPlayers && steady_now() < end) {
    wakes = 0;
    game.tick();
    most = std::max(most, wakes.load());
    for (const auto& client : clients) client->tick();
    poll(nullptr, 0, 1);  // the pace of a game loop, not a wait for an event
  }
  CHECK(windows == kPlayers);
  CHECK(most == 1);
}

}  // namespace laurel
