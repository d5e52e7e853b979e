// When a game server writes what it last knew of the top of a remote board.
#include <set>

#include <doctest/doctest.h>

#include "folder.h"
#include "two_servers.h"

namespace laurel {

namespace {

struct Directory {
  test::Folder folder{"boards"};
};

// The server has a directory.
struct Kept : Directory, TwoServers {
  Kept() : TwoServers(folder.path()) {}

  void watch(std::size_t n = 10) {
    REQUIRE(here.boards->watch(ours, n, [](const WatchEvent&) {}));
    settle();
  }
  void wait(Time passed) {
    time.pass(passed);
    settle();
  }
  // "1 bob 20, 2 ada 10", or "none"
  std::string kept() const {
    const std::optional<KnownTop> known = here.registry->known_tops().find("world");
    if (!known) return "none";
    std::string text;
    for (const WindowEntry& entry : known->top.entries) {
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", static_cast<double>(entry.rank),
                          entry.player, entry.score);
    }
    return text;
  }
  Time kept_at() const { return here.registry->known_tops().find("world")->known; }
};

}  // namespace

TEST_CASE("the top of a watched board is kept, with the remote and the moment") {
  Kept game;
  game.submit("ada", 10);
  CHECK(game.kept() == "none");
  game.watch();
  CHECK(game.kept() == "1 ada 10");
  const std::optional<KnownTop> known = game.here.registry->known_tops().find("world");
  CHECK(known->remote == "main");
  CHECK(known->top.size == 1);
  CHECK(known->known <= game.here.registry->now());
  CHECK(known->known > game.here.registry->now() - kSecond);
}

TEST_CASE("a top that changes all the time is written once in ten seconds") {
  Kept game;
  game.watch();
  std::set<Time> moments;
  for (int second = 0; second < 60; ++second) {
    game.submit("ada", second);
    game.wait(kSecond);
    moments.insert(game.kept_at());
  }
  CHECK(moments.size() >= 5);
  CHECK(moments.size() <= 7);
  game.wait(kKnownTopEvery);
  CHECK(game.kept() == "1 ada 59");
}

TEST_CASE("a top that does not change is written each ten minutes, for its moment alone") {
  Kept game;
  game.submit("ada", 10);
  game.watch();
  std::set<Time> moments;
  for (int minute = 0; minute < 60; ++minute) {
    moments.insert(game.kept_at());
    game.wait(60 * kSecond);
  }
  CHECK(moments.size() >= 5);
  CHECK(moments.size() <= 7);
  CHECK(game.kept() == "1 ada 10");
}

TEST_CASE("while a remote is down the moment is that of the last answer") {
  Kept game;
  game.submit("ada", 10);
  game.watch();
  const Time before = game.kept_at();
  game.here.remote->down("gone");
  for (int minute = 0; minute < 30; ++minute) game.wait(60 * kSecond);
  REQUIRE(game.here.registry->close());
  GameServer again(game.time, game.store,
                   {.path = game.folder.path(), .rules = nullptr, .weather = {}});
  CHECK(again.registry->known_tops().find("world")->known == before);
}

TEST_CASE("the first entries that a script reads are kept, and no other page") {
  Kept game;
  for (const char* player : {"ada", "bob", "cleo"}) game.submit(player, player[0]);
  (void)game.here.ask(game.ours, request::Page{1, 2});
  game.settle();
  CHECK(game.kept() == "none");
  (void)game.here.ask(game.ours, request::Page{0, 2});
  game.settle();
  CHECK(game.kept() == "1 cleo 99, 2 bob 98");
}

TEST_CASE("a shorter list replaces a longer one only after a minute") {
  Kept game;
  for (const char* player : {"ada", "bob", "cleo"}) game.submit(player, player[0]);
  (void)game.here.ask(game.ours, request::Page{0, 3});
  game.wait(20 * kSecond);
  game.submit("ada", 200);
  (void)game.here.ask(game.ours, request::Page{0, 1});
  game.wait(20 * kSecond);
  CHECK(game.kept() == "1 cleo 99, 2 bob 98, 3 ada 97");
  game.wait(kKnownTopLonger);
  (void)game.here.ask(game.ours, request::Page{0, 1});
  game.settle();
  CHECK(game.kept() == "1 ada 200");
}

TEST_CASE("a server that closes writes the newest top, and the next one has it") {
  Kept game;
  game.watch();
  game.submit("ada", 10);
  game.wait(kKnownTopEvery);
  game.submit("bob", 20);
  game.submit("ada", 30);
  REQUIRE(game.here.registry->close());
  GameServer again(game.time, game.store,
                   {.path = game.folder.path(), .rules = nullptr, .weather = {}});
  const std::optional<KnownTop> known = again.registry->known_tops().find("world");
  REQUIRE(known);
  CHECK(known->top.entries[0].player == "ada");
  CHECK(known->top.entries[0].score == 30);
  CHECK(known->top.entries[1].player == "bob");
  CHECK(known->known == *game.time.wall);
}

TEST_CASE("a board that is dropped, or is in another remote now, loses its last known top") {
  Kept game;
  game.submit("ada", 10);
  game.watch();
  CHECK(game.kept() == "1 ada 10");
  CHECK(game.here.get<bool>(game.ours, request::Drop{}));
  CHECK(game.kept() == "none");

  const std::string row = pack_known_top({.remote = "former", .known = 0, .top = {}}, 1, 1000);
  game.here.registry->known_tops().put("moved", row, 0);
  (void)game.here.open("moved");
  CHECK_FALSE(game.here.registry->known_tops().has("moved"));
}

TEST_CASE("a player who is forgotten or banned leaves the last known top at once") {
  Kept game;
  game.submit("ada", 10);
  game.submit("bob", 20);
  game.submit("cleo", 30);
  game.watch();
  game.here.remote->down("gone");  // the remote cannot be told yet
  CHECK(game.here.registry->forget("ada"));
  CHECK(game.here.registry->ban("bob"));
  CHECK(game.kept() == "1 cleo 30");
  game.here.remote->down("");
  game.wait(kKnownTopEvery);
  game.submit("dora", 5);
  game.wait(kKnownTopEvery);
  CHECK(game.kept() == "1 cleo 30, 2 dora 5");
  CHECK(game.here.get<bool>(game.ours, request::Ban{.player = "dora"}));
  CHECK(game.kept() == "1 cleo 30");
}

TEST_CASE("an answer that was on its way does not bring back a player who was forgotten") {
  Kept game;
  game.submit("ada", 10);
  game.submit("bob", 20);
  game.here.remote->weather = {.delay_min = 100'000, .delay_max = 100'000};
  bool answered = false;
  game.here.boards->ask(game.ours, 0, request::Page{0, 10}, [&](Result<Value> value) {
    answered = true;
    CHECK(std::get<Listed>(*value).entries.size() == 2);
  });
  game.here.tick(150);  // the store has answered, and the answer is on its way
  REQUIRE_FALSE(answered);
  CHECK(game.here.registry->forget("ada"));
  game.here.tick(60);
  REQUIRE(answered);
  game.wait(kKnownTopEvery);
  CHECK(game.kept() == "1 bob 20");
  game.here.tick(300);
  game.submit("ada", 30);  // a new player of the same id
  game.wait(kKnownTopEvery);
  (void)game.here.ask(game.ours, request::Page{0, 10});
  game.settle();
  CHECK(game.kept() == "1 ada 30, 2 bob 20");
}

TEST_CASE("a server that was restarted still has to tell the remote, and keeps the player out") {
  Kept game;
  game.submit("ada", 10);
  game.submit("bob", 20);
  game.here.remote->down("gone");
  CHECK(game.here.registry->forget("ada"));
  REQUIRE(game.here.registry->close());
  GameServer again(game.time, game.store,
                   {.path = game.folder.path(),
                    .rules = nullptr,
                    .weather = {.delay_min = 10'000, .delay_max = 10'000}});
  const BoardHandle board = again.open("world");
  again.boards->ask(board, 0, request::Page{0, 10}, [](const Result<Value>&) {});
  again.tick(15);
  CHECK(again.boards->state(board).pending == 1);
  for (int i = 0; i < 1000; ++i) {
    again.tick();
    const std::optional<KnownTop> known = again.registry->known_tops().find("world");
    if (known) REQUIRE(known->top.entries.size() == 1);
  }
  CHECK(again.registry->known_tops().has("world"));
}

TEST_CASE("a tick writes a few tops, and the next ones write the others") {
  Kept game;
  constexpr std::size_t kBoards = 5 * kKnownTopsPerTick;
  for (std::size_t i = 0; i < kBoards; ++i) {
    const BoardHandle board = game.here.open("board" + std::to_string(i));
    REQUIRE(game.here.boards->watch(board, 3, [](const WatchEvent&) {}));
  }
  std::size_t before = 0;
  for (int ticks = 0; ticks < 100 && before < kBoards; ++ticks) {
    game.here.tick();
    const std::size_t now = game.here.registry->known_tops().size();
    CHECK(now <= before + kKnownTopsPerTick);
    before = now;
  }
  CHECK(before == kBoards);
}

TEST_CASE("if a directory has the most tops, that of a board that is not open makes room") {
  Kept game;
  KnownTops& tops = game.here.registry->known_tops();
  for (std::size_t i = 0; i < kKnownTopsMax; ++i) {
    const std::string row =
        pack_known_top({.remote = "main", .known = static_cast<Time>(i), .top = {}}, 1, 1000);
    tops.put("former" + std::to_string(i), row, 0);
  }
  game.submit("ada", 10);
  game.watch();
  CHECK(tops.size() == kKnownTopsMax);
  CHECK_FALSE(tops.has("former0"));
  CHECK(tops.has("former1"));
  CHECK(game.kept() == "1 ada 10");
}

}  // namespace laurel
