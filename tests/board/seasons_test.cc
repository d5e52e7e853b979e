// Seasons: ended by the clock and by hand; kept, read, and forgotten.
#include <doctest/doctest.h>

#include "board/spec/cron.h"
#include "fixture.h"

namespace laurel {

namespace {

// A fixture starts at 1970-01-12 13:46:40; the next Monday is 1970-01-19.
constexpr Time kMonday = 18 * kDay;
constexpr Time kWeek = 7 * kDay;

// A board with a reset each Monday, played in the first week.
struct Weekly : Fixture {
  explicit Weekly(double archive = 4) { open("b", {{"reset", "0 0 * * 1"}, {"archive", archive}}); }
  Board& weekly() { return *registry->get(*registry->find("b")); }
  void submit(std::string_view player, double score) {
    CHECK(weekly().submit(WriteMode::submit, result(player, score)));
  }
};

}  // namespace

TEST_CASE("the first lookup after a reset was due finds the board reset") {
  Weekly game;
  game.submit("ada", 3);
  *game.now = kMonday - 1;
  CHECK(table(game.weekly()) == "1 ada 3");
  CHECK(game.weekly().resets_at() == kMonday);
  *game.now = kMonday;
  CHECK(game.weekly().size() == 0);
  CHECK(game.weekly().season().number == 2);
  CHECK(game.weekly().season().started == kMonday);
  CHECK(game.weekly().resets_at() == kMonday + kWeek);
}

TEST_CASE("a season that no lookup ended in time has ended when it was due") {
  Weekly game;
  game.submit("ada", 3);
  *game.now = kMonday + 40 * kWeek + kSecond;
  const Board& board = game.weekly();
  CHECK(board.season().number == 2);
  CHECK(board.season().started == kMonday + 40 * kWeek);
  const ArchivedSeason* past = board.archived(1);
  REQUIRE(past != nullptr);
  CHECK(past->season().ended == kMonday);
  CHECK(past->season().started == Fixture::kStart);
  CHECK(table(*past) == "1 ada 3");
}

TEST_CASE("a period without a write makes no season") {
  Weekly game;
  *game.now = kMonday + 3 * kWeek;
  CHECK(game.weekly().season().number == 1);
  CHECK(game.weekly().season().started == kMonday + 3 * kWeek);
  game.submit("ada", 1);
  *game.now += 10 * kWeek;
  CHECK(game.weekly().season().number == 2);
  CHECK(game.weekly().seasons() == std::vector<std::uint64_t>{2, 1});
  *game.now += 10 * kWeek;
  CHECK(game.weekly().season().number == 2);
}

TEST_CASE("a manual reset ends a season, even an empty one, and returns its number") {
  Weekly game;
  CHECK(*game.weekly().reset() == 1);
  game.submit("ada", 1);
  CHECK(*game.weekly().reset() == 2);
  CHECK(game.weekly().season().number == 3);
  CHECK(table(*game.weekly().archived(2)) == "1 ada 1");
  CHECK(game.weekly().archived(1)->size() == 0);
  CHECK(game.weekly().archived(3) == nullptr);
}

TEST_CASE("a board keeps its newest past seasons, at most `archive` of them") {
  Weekly game(2);
  for (int i = 0; i < 5; ++i) {
    game.submit("ada", i);
    CHECK(game.weekly().reset());
  }
  CHECK(game.weekly().seasons() == std::vector<std::uint64_t>{6, 5, 4});
  CHECK(game.weekly().archived(3) == nullptr);
  game.board("b", {{"archive", 0.0}});
  CHECK(game.weekly().seasons() == std::vector<std::uint64_t>{6});
}

TEST_CASE("a clock that goes back restores no season, and the next reset is the next one due") {
  Weekly game;
  game.submit("ada", 1);
  *game.now = kMonday + 5 * kWeek;
  CHECK(game.weekly().season().number == 2);
  game.submit("bea", 1);
  *game.now = kMonday + kSecond;
  CHECK(game.weekly().season().number == 2);
  CHECK(table(game.weekly()) == "1 bea 1");
  CHECK(game.weekly().resets_at() == kMonday + kWeek);
  *game.now = kMonday + kWeek;
  CHECK(game.weekly().season().number == 3);
}

TEST_CASE("a write goes to the running season, whatever its moment") {
  Weekly game;
  game.submit("ada", 1);
  *game.now = kMonday + kSecond;
  CHECK(game.weekly().submit(WriteMode::submit, {.player = "bea", .score = 2, .at = 5.0}));
  CHECK(table(game.weekly()) == "1 bea 2");
}

TEST_CASE("joins and bans survive a reset, hidden entries do not") {
  Weekly game;
  Board& board = game.board("b", {{"join", "required"}});
  CHECK(*board.join(result("ada", 5), true));
  CHECK(*board.join(result("bea", 7), true));
  CHECK(*board.ban("bea"));
  *game.now = kMonday;
  CHECK(verdict(game.weekly().submit(WriteMode::submit, result("ada", 1))) == "ok");
  CHECK(verdict(game.weekly().submit(WriteMode::submit, result("bea", 1))) == "banned");
  CHECK(*game.weekly().unban("bea"));
  CHECK(table(game.weekly()) == "1 ada 1");
}

TEST_CASE("forgetting a player removes entries of past seasons") {
  Weekly game;
  game.submit("ada", 3);
  game.submit("bea", 2);
  CHECK(game.weekly().reset());
  game.submit("ada", 4);
  CHECK(*game.registry->forget("ada") == 2);
  CHECK(table(*game.weekly().archived(1)) == "1 bea 2");
}

TEST_CASE("a reset schedule can be set, changed and removed") {
  Fixture game;
  game.board("b");
  CHECK_FALSE(game.board("b").resets_at());
  CHECK(game.board("b", {{"reset", "0 0 * * 1"}}).resets_at() == kMonday);
  CHECK(game.board("b", {{"reset", "0 0 14 * *"}}).resets_at() == 13 * kDay);
  CHECK_FALSE(game.board("b", {{"reset", false}}).resets_at());
  CHECK(verdict(game.registry->open("b", spec({{"ranking", "dense"}}))) == "ok");
}

TEST_CASE("a watch is called at tick when the clock ended a season") {
  Weekly game;
  game.submit("ada", 3);
  std::vector<std::string> heard;
  CHECK(game.registry->watch(*game.registry->find("b"), 10, [&](const WatchEvent& event) {
    heard.push_back(
        fmt::format("{} left, {} on top", event.left.size(), event.top->entries.size()));
  }));
  game.registry->tick();
  CHECK(heard.empty());
  *game.now = kMonday;
  game.registry->tick();
  CHECK(heard == std::vector<std::string>{"1 left, 0 on top"});
}

TEST_CASE("S3-26: the archive of a season equals its last state") {
  Weekly game;
  for (int i = 0; i < 300; ++i) game.submit(fmt::format("p{}", i), (i * 7919) % 100);
  const std::string live = table(game.weekly());
  *game.now = kMonday;
  CHECK(game.weekly().size() == 0);
  CHECK(table(*game.weekly().archived(1)) == live);
}

TEST_CASE("a reset takes constant time, and ticks free the memory of the entries") {
  for (const std::string_view engine : {"ranked", "padded", "paged", "sharded", "capped"}) {
    CAPTURE(engine);
    Fixture game;
    const BoardHandle handle = game.open("b", {{"engine", engine}, {"archive", 0.0}});
    Board& board = *game.registry->get(handle);
    constexpr int kPlayers = 20'000;
    for (int i = 0; i < kPlayers; ++i) {
      const std::string player = fmt::format("player-{}", i);
      CHECK(board.submit(WriteMode::submit, result(player, i)));
    }
    CHECK(board.reset());
    CHECK(board.size() == 0);
    // The reset itself frees a bounded number of rows.
    if (engine != "capped") CHECK(game.registry->stats().reclaiming == 1);
    int ticks = 0;
    while (game.registry->stats().reclaiming > 0) {
      game.registry->tick();
      REQUIRE(++ticks < 100);
    }
    CHECK(game.registry->stats().players == 0);
    CHECK(game.registry->stats().store_entries == 0);
  }
}

}  // namespace laurel
