// Watching and showing the top of a board to which other servers write.
#include <doctest/doctest.h>

#include "two_servers.h"

namespace laurel {

namespace {

struct Watched : TwoServers {
  std::vector<std::string> told;

  WatchCallback teller() {
    return [this](const WatchEvent& event) {
      std::string text = fmt::format("{} of {}:", event.top->entries.size(), event.top->size);
      for (const WindowEntry& entry : event.entered) text += fmt::format(" +{}", entry.player);
      for (const WindowEntry& entry : event.left) text += fmt::format(" -{}", entry.player);
      for (const Moved& moved : event.moved) text += fmt::format(" ~{}", moved.entry.player);
      told.push_back(text);
    };
  }
};

}  // namespace

TEST_CASE("a watch reports what another server wrote") {
  Watched game;
  REQUIRE(game.here.boards->watch(game.ours, 2, game.teller()));
  game.settle();
  CHECK(game.told.empty());
  game.submit("alice", 10);
  game.submit("bob", 20);
  game.submit("carol", 5);  // not in the top 2
  game.submit("carol", 15);
  CHECK(game.told ==
        std::vector<std::string>{"1 of 1: +alice", "2 of 2: +bob ~alice", "2 of 3: +carol -alice"});
}

TEST_CASE("the top is read only if it is watched and the board has changed") {
  Watched game;
  game.submit("alice", 10);
  CHECK(game.here.remote->asked<request::Page>() == 0);
  const Result<WatchId> watch = game.here.boards->watch(game.ours, 2, game.teller());
  game.settle();
  CHECK(game.here.remote->asked<request::Page>() == 1);
  game.settle();
  CHECK(game.here.remote->asked<request::Page>() == 1);
  game.submit("bob", 5);
  CHECK(game.here.remote->asked<request::Page>() == 2);
  game.here.boards->unwatch(*watch);
  CHECK_FALSE(game.here.remote->follows("world"));
  game.submit("bob", 50);
  CHECK(game.here.remote->asked<request::Page>() == 2);
  CHECK(game.told.size() == 1);
}

TEST_CASE(
    "the last top that was read stays while the remote is away, and is read again after that") {
  Watched game;
  game.here.boards->show(game.ours, true);
  CHECK(game.here.boards->top(game.ours) == nullptr);
  game.submit("alice", 10);
  const WindowPtr before = game.here.boards->top(game.ours);
  REQUIRE(before);
  CHECK(before->entries.size() == 1);
  game.here.remote->down("gone");
  game.submit("bob", 20);
  CHECK(game.here.boards->top(game.ours) == before);
  game.here.remote->down("");
  for (int i = 0; i < 100; ++i) game.settle();
  const WindowPtr after = game.here.boards->top(game.ours);
  CHECK(after->entries.size() == 2);
  CHECK(after->epoch == before->epoch);
  CHECK(after->version > before->version);
}

TEST_CASE("the end of a season by the clock empties a watched top without a write") {
  Watched game;
  (void)game.here.open("world", {{"reset", "0 * * * *"}});
  game.settle();
  game.submit("alice", 10);
  REQUIRE(game.here.boards->watch(game.ours, 2, game.teller()));
  game.settle();
  game.time.pass(3600 * kSecond);
  game.settle();
  CHECK(game.told == std::vector<std::string>{"0 of 0: -alice"});
}

TEST_CASE("a watch callback may end watches, including its own, and close the registry") {
  Watched game;
  RemoteBoards& boards = *game.here.boards;
  WatchId second = 0;
  const WatchId first = *boards.watch(game.ours, 2, [&](const WatchEvent&) {
    game.told.push_back("first");
    boards.unwatch(second);
  });
  second = *boards.watch(game.ours, 2, [&](const WatchEvent&) { game.told.push_back("second"); });
  game.settle();
  game.submit("alice", 1);
  CHECK(game.told == std::vector<std::string>{"first"});
  boards.unwatch(first);
  (void)boards.watch(game.ours, 2, [&](const WatchEvent&) {
    game.told.push_back("third");
    CHECK(game.here.registry->close());
  });
  (void)boards.watch(game.ours, 2, [&](const WatchEvent&) { game.told.push_back("never"); });
  game.settle();
  game.submit("alice", 2);
  CHECK(game.told == std::vector<std::string>{"first", "third"});
}

TEST_CASE("the number of watches is limited, and dropping the board ends them") {
  Watched game;
  for (std::size_t i = 0; i < kWatchesMax; ++i) {
    REQUIRE(game.here.boards->watch(game.ours, 1, game.teller()));
  }
  CHECK(verdict(game.here.boards->watch(game.ours, 1, game.teller())) == "unavailable");
  CHECK(game.here.get<bool>(game.ours, request::Drop{}));
  CHECK_FALSE(game.here.remote->follows("world"));
  CHECK(verdict(game.here.boards->watch(game.ours, 1, game.teller())) == "unknown");
}

}  // namespace laurel
