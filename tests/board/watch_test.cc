#include "registry/watch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {

// An event as one line: "v2: a 9 b 7 | entered a | left c(2) | moved b(1)".
std::string story(const WatchEvent& event) {
  std::string text;
  for (const WindowEntry& entry : event.top->entries) {
    text += fmt::format("{} {} ", entry.player, entry.score);
  }
  for (const WindowEntry& entry : event.entered) text += fmt::format("+{} ", entry.player);
  for (const WindowEntry& entry : event.left)
    text += fmt::format("-{}({}) ", entry.player, entry.rank);
  for (const Moved& moved : event.moved) {
    text += fmt::format("~{}({}:{}) ", moved.entry.player, moved.previous_rank, moved.previous);
  }
  return text;
}

struct Watched : Fixture {
  Watched() : season(board("season_3")), handle(*registry->find("season_3")) {}

  Result<WatchId> watch(std::size_t n) {
    return registry->watch(handle, n,
                           [this](const WatchEvent& event) { told.push_back(story(event)); });
  }

  Board& season;
  BoardHandle handle;
  std::vector<std::string> told;
};

TEST_CASE("a watch reports at tick which players entered, left and moved") {
  Watched game;
  REQUIRE(game.watch(2));
  play(game, game.season, {{"a", 5}, {"b", 3}});
  CHECK(game.told.empty());
  game.registry->tick();
  play(game, game.season, {{"c", 9}});
  game.registry->tick();
  play(game, game.season, {{"a", 10}, {"a", 11}});
  game.registry->tick();
  CHECK(game.told == std::vector<std::string>{"a 5 b 3 +a +b ", "c 9 a 5 +c -b(2) ~a(1:5) ",
                                              "a 11 c 9 ~a(2:5) ~c(1:9) "});
}

TEST_CASE("changes below the top are not reported, nor a top that changed back") {
  Watched game;
  play(game, game.season, {{"a", 5}, {"b", 3}});
  REQUIRE(game.watch(1));
  play(game, game.season, {{"b", 4}, {"c", 1}});
  game.registry->tick();
  play(game, game.season, {{"d", 9}});
  CHECK(*game.season.remove("d"));
  game.registry->tick();
  CHECK(game.told.empty());
}

TEST_CASE("a watch that ended is not called") {
  Watched game;
  const WatchId watch = *game.watch(1);
  play(game, game.season, {{"a", 5}});
  game.registry->unwatch(watch);
  game.registry->tick();
  CHECK(game.told.empty());
}

TEST_CASE("a watch ends with its board, and a new board of that name has none") {
  Watched game;
  REQUIRE(game.watch(1));
  CHECK(game.registry->drop("season_3"));
  CHECK(game.registry->stats().watches == 0);
  play(game, game.board("season_3"), {{"a", 5}});
  game.registry->tick();
  CHECK(game.told.empty());
}

TEST_CASE("a callback may do anything to the registry") {
  Watched game;
  WatchId other = 0;
  REQUIRE(game.registry->watch(game.handle, 1, [&](const WatchEvent&) {
    game.told.emplace_back("first");
    game.registry->tick();
    game.registry->unwatch(other);
    CHECK(game.registry->drop("season_3"));
    game.open("another");
    CHECK(game.registry->close());
  }));
  other = *game.watch(1);
  play(game, game.season, {{"a", 5}});
  game.registry->tick();
  CHECK(game.told == std::vector<std::string>{"first"});
  CHECK(game.registry->closed());
}

TEST_CASE("a change of the ranking mode is reported to a watch") {
  Watched game;
  play(game, game.season, {{"a", 5}, {"b", 5}});
  REQUIRE(game.watch(2));
  game.open("season_3", {{"ranking", "ordinal"}});
  game.registry->tick();
  CHECK(game.told == std::vector<std::string>{"a 5 b 5 ~b(1:5) "});
}

TEST_CASE("a registry has 100,000 watches, and its refusal of one more names the limit") {
  Watched game;
  WatchId last = 0;
  for (std::size_t i = 0; i < 100'000; ++i) {
    const Result<WatchId> watch = game.watch(1);
    REQUIRE(watch);
    last = *watch;
  }
  const Result<WatchId> one_more = game.watch(1);
  REQUIRE(!one_more);
  CHECK(one_more.refusal().text() ==
        "unavailable: 100000 watches are registered, the most allowed");
  game.registry->unwatch(last);
  CHECK(game.watch(1));
}

TEST_CASE("a tick looks at the watches of boards that changed, and at no others") {
  Watched game;
  Board& quiet = game.board("quiet");
  Watches watches;
  Names& names = game.registry->names_of_players();
  const auto ignore = [](const WatchEvent&) {};
  for (int i = 0; i < 1000; ++i) watches.add(1, 0, quiet, std::nullopt, 1, names, ignore);
  for (int i = 0; i < 3; ++i) watches.add(0, 0, game.season, std::nullopt, 1, names, ignore);
  int looked = 0;
  const auto find_board = [&](std::uint32_t slot, std::uint32_t) {
    ++looked;
    return slot == 0 ? &game.season : &quiet;
  };
  const auto tick = [&] {
    TickSlice time(kSecond * 1000);
    watches.tick(find_board, names, *game.now, time);
    return std::exchange(looked, 0);
  };
  CHECK(tick() == 0);
  play(game, game.season, {{"p", 1}});
  watches.outdate(game.season);
  CHECK(tick() == 3);
  CHECK(tick() == 0);
}

TEST_CASE("a change that a callback makes on a board that was told is told at the next tick") {
  Watched game;
  REQUIRE(game.watch(1));
  bool once = true;
  REQUIRE(game.registry->watch(game.handle, 1, [&](const WatchEvent&) {
    if (std::exchange(once, false)) play(game, game.season, {{"b", 9}});
  }));
  play(game, game.season, {{"a", 5}});
  game.registry->tick();
  CHECK(game.told == std::vector<std::string>{"a 5 +a "});
  game.registry->tick();
  CHECK(game.told == std::vector<std::string>{"a 5 +a ", "b 9 +b -a(1) "});
}

TEST_CASE("a new name is told to each of many watches once, over several ticks") {
  Watched game;
  play(game, game.season, {{"p", 1}});
  Watches watches;
  std::vector<int> told(1000, 0);
  const auto names = [&]() -> Names& { return game.registry->names_of_players(); };
  for (int& count : told) {
    watches.add(0, 0, game.season, std::nullopt, 1, names(), [&](const WatchEvent&) { ++count; });
  }
  const auto find_board = [&](std::uint32_t, std::uint32_t) { return &game.season; };
  REQUIRE(game.registry->profiles().save({.id = "p", .name = "Pat", .email = {}}, *game.now));
  int ticks = 0;
  for (bool put_off = true; put_off; ++ticks) {
    TickSlice no_time(0);
    watches.tick(find_board, names(), *game.now, no_time);
    put_off = no_time.has_put_off();
  }
  CHECK(ticks >= 1000);
  CHECK(told == std::vector<int>(1000, 1));
}

TEST_CASE("boards that follow the clock are looked at over several ticks") {
  constexpr std::size_t kBoards = 1000;
  Fixture game;
  Watches watches;
  Names& names = game.registry->names_of_players();
  std::vector<Board*> boards;
  std::vector<int> told(kBoards, 0);
  for (std::uint32_t i = 0; i < kBoards; ++i) {
    Board& board = game.board(fmt::format("rolling {}", i), {{"engine", "rolling"}, {"days", 1.0}});
    REQUIRE(board.submit(WriteMode::add, {.player = "p", .score = 1}));
    boards.push_back(&board);
    watches.add(i, 0, board, std::nullopt, 1, names, [&told, i](const WatchEvent&) { ++told[i]; });
  }
  std::size_t looked = 0;
  const auto find_board = [&](std::uint32_t slot, std::uint32_t) {
    ++looked;
    boards[slot]->present(*game.now);
    return boards[slot];
  };
  *game.now += 2 * 86'400 * kSecond;  // the tops are empty now
  std::size_t most = 0;
  for (std::size_t ticks = 0; ticks < 2 * kBoards; ++ticks) {
    TickSlice no_time(0);
    looked = 0;
    watches.tick(find_board, names, *game.now, no_time);
    most = std::max(most, looked);
  }
  CHECK(most < kBoards / 2);
  CHECK(told == std::vector<int>(kBoards, 1));
}

TEST_CASE("a tick without time tells one watch, and the next tick continues with the next one") {
  Watched game;
  Watches watches;
  Names& names = game.registry->names_of_players();
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    watches.add(0, 0, game.season, std::nullopt, 1, names,
                [&order, name](const WatchEvent&) { order += name; });
  }
  const auto find_board = [&](std::uint32_t, std::uint32_t) { return &game.season; };
  double score = 0;
  for (int i = 0; i < 4; ++i) {
    play(game, game.season, {{"p", ++score}});
    watches.outdate(game.season);
    TickSlice no_time(0);
    watches.tick(find_board, names, *game.now, no_time);
    CHECK(no_time.has_put_off());
  }
  CHECK(order == "abca");

  TickSlice time(kSecond * 1000);
  watches.tick(find_board, names, *game.now, time);
  CHECK(order == "abcabc");
  CHECK(!time.has_put_off());
}

TEST_CASE("the time of a watch's callback is not the tick's") {
  TickSlice slice(1'000'000'000);
  slice.outside([] {
    const std::int64_t until = processor_ns_now() + 20'000'000;
    while (processor_ns_now() < until) {
    }
  });
  CHECK(slice.used_ns() < 20'000'000);
}

}  // namespace laurel
