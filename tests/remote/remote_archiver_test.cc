// Past seasons of shared boards, copied from a remote that takes no copies to the remote "archive".
#include <doctest/doctest.h>

#include "folder.h"
#include "remote/limits.h"
#include "servers.h"

namespace laurel {

namespace {

constexpr Time kLong = 2 * kCopyTurn;

struct Carried {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();

  GameServer server(std::uint64_t seed = 1, const FakeWeather& weather = {},
                    const std::string& path = "") {
    return GameServer(time, store,
                      {.path = path,
                       .rules = {},
                       .seed = seed,
                       .weather = weather,
                       .players = false,
                       .archive = true,
                       .carried = true});
  }
  // The season's entries in the archive. Nothing if the copy is missing or not complete.
  std::optional<std::string> copy(std::uint64_t season) const {
    const FakeCopies::Copy* const found =
        store->copies().find({"daily", nullptr, season, store->board("daily")->created()});
    if (found == nullptr || !found->whole) return std::nullopt;
    return table(store->copies().board(*found));
  }
  std::string kept(std::uint64_t season) const {
    return table(*store->board("daily")->archived(season));
  }
};

BoardHandle played(GameServer& server, int players, Fields fields = {}) {
  const BoardHandle daily = server.open("daily", std::move(fields));
  for (int i = 0; i < players; ++i) {
    REQUIRE(server.submit(daily, fmt::format("p{}", i), i % 97));
  }
  return daily;
}

// Ticks the servers in turn until the condition holds.
template <typename Until>
void tick_until(const std::vector<GameServer*>& servers, Until until, Time step = 10'000) {
  for (int ticks = 0; !until(); ++ticks) {
    if (ticks == 100'000) FAIL("it never was");
    for (GameServer* const server : servers) server->tick(1, step);
  }
}

}  // namespace

TEST_CASE(
    "a season of a shared board is copied to the archive unchanged, and is read from board or "
    "archive") {
  Carried game;
  GameServer server = game.server();
  const BoardHandle daily =
      played(server, 300, {{"ties", "player"}, {"archive", 1.0}, {"ranking", "modified"}});
  const std::string live = server.table(daily);
  REQUIRE(server.ask(daily, request::Reset{}));
  CHECK_FALSE(game.copy(1));
  tick_until({&server}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == live);

  const auto read = [&](std::uint64_t season) {
    const Result<Value> page = server.ask(daily, request::Page{0, SIZE_MAX}, season);
    return page ? table(std::get<Listed>(*page).entries) : std::string(page.refusal().text());
  };
  CHECK(read(1) == live);
  CHECK(server.archive->asked<request::ReadCopy>() == 0);  // the board still has the season
  REQUIRE(server.submit(daily, "p1", 1));
  REQUIRE(server.ask(daily, request::Reset{}));
  CHECK(game.store->board("daily")->archived(1) == nullptr);
  CHECK(read(1) == live);
  CHECK(server.get<std::uint64_t>(daily, request::Size{}, 1) == 300);
  CHECK(server.get<SeasonFacts>(daily, request::ReadSeason{}, 1).season.number == 1);
  CHECK(read(7) == "unknown: season 7 of board \"daily\" is neither kept nor archived");
  const Result<Value> written = server.ask(daily, request::Remove{"p1"}, 1);
  CHECK_FALSE(written);
}

TEST_CASE("each season is copied once, regardless of the number of servers") {
  Carried game;
  GameServer first = game.server(1, {.delay_min = 500, .delay_max = 30'000});
  GameServer second = game.server(2, {.delay_min = 500, .delay_max = 30'000});
  const BoardHandle daily = played(first, 500, {{"archive", 3.0}});
  second.open("daily");
  constexpr int kSeasons = 2 * static_cast<int>(kCarriedAtOnce) + 2;
  for (int season = 1; season <= kSeasons; ++season) {
    CAPTURE(season);
    const std::string live = first.table(daily);
    REQUIRE(first.ask(daily, request::Reset{}));
    tick_until({&first, &second}, [&] { return game.copy(season).has_value(); });
    CHECK(game.copy(season) == live);
    for (int i = 0; i < 100; ++i) REQUIRE(first.submit(daily, fmt::format("q{}", i), i));
  }
  const std::size_t sent =
      first.archive->asked<request::CopySeason>() + second.archive->asked<request::CopySeason>();
  CHECK(sent == 500 / kCopyTurnRows + 1 + (kSeasons - 1) * (100 / kCopyTurnRows + 1));
  const std::size_t looked = first.archive->asked<request::TakeCopy>();
  first.tick(100, kCarryLookEvery / 10);
  CHECK(first.archive->asked<request::TakeCopy>() <= looked + 3);  // one look each
}

TEST_CASE("when the server that copies a season is lost, another server continues its copy") {
  Carried game;
  GameServer second = game.server(2);
  std::size_t sent = 0;
  std::string live;
  {
    GameServer first = game.server(1);
    const BoardHandle daily = played(first, 500, {{"archive", 3.0}});
    live = first.table(daily);
    REQUIRE(first.ask(daily, request::Reset{}));
    tick_until({&first}, [&] { return first.archive->asked<request::CopySeason>() >= 5; });
    sent = first.archive->asked<request::CopySeason>();
  }
  second.open("daily");
  second.tick(10, 100'000);
  CHECK_FALSE(game.copy(1));
  CHECK(second.archive->asked<request::CopySeason>() ==
        0);  // the other server's turn has not expired
  tick_until({&second}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == live);
  CHECK(second.archive->asked<request::CopySeason>() + sent <= 500 / kCopyTurnRows + 2);
}

TEST_CASE(
    "in bad weather two servers copy the season exactly, without the players that they forget") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Carried game;
    const FakeWeather weather = {
        .delay_min = 1'000, .delay_max = 400'000, .lose_request = 0.05, .lose_answer = 0.05};
    GameServer first = game.server(2 * seed);
    GameServer second = game.server(2 * seed + 1);
    const BoardHandle daily = played(first, 250, {{"archive", 3.0}});
    second.open("daily");
    REQUIRE(first.ask(daily, request::Reset{}));
    for (GameServer* const server : {&first, &second}) {
      server->remote->weather = server->archive->weather = weather;
      if (seed % 2 == 0) server->remote->weather.lose_request = 0.5;
    }
    for (int i = 0; i < 6; ++i) {
      const int ticks = static_cast<int>(random() % 300);
      for (int t = 0; t < ticks; ++t) {
        first.tick(1, 10'000);
        second.tick(1, 10'000);
      }
      GameServer& server = random() % 2 == 0 ? first : second;
      REQUIRE(server.registry->forget(fmt::format("p{}", random() % 250)));
    }
    tick_until(
        {&first, &second}, [&] { return game.copy(1).has_value(); }, 50'000);
    // The last forget may still be on its way.
    for (int t = 0; t < 1000; ++t) {
      first.tick(1, kLong / 1000);
      second.tick(1, kLong / 1000);
    }
    CHECK(game.copy(1) == game.kept(1));
  }
}

TEST_CASE(
    "a player forgotten while the board is unreachable is copied, and erased once it is "
    "reachable") {
  Carried game;
  GameServer first = game.server(1);
  GameServer second = game.server(2);
  const BoardHandle daily = played(first, 100, {{"archive", 3.0}});
  REQUIRE(first.ask(daily, request::Reset{}));
  first.remote->down("connection refused");
  REQUIRE(first.registry->forget("p5"));
  first.tick(10);
  CHECK(first.archive->asked<request::ForgetCopied>() == 1);  // from what the archive already has
  second.open("daily");
  tick_until({&second}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == game.kept(1));
  CHECK(game.kept(1).find("p5 ") != std::string::npos);
  first.remote->down("");
  tick_until({&first}, [&] { return game.kept(1).find("p5 ") == std::string::npos; });
  tick_until({&first}, [&] { return game.copy(1) == game.kept(1); });
}

TEST_CASE("a row that was read before its player was forgotten is not written to the archive") {
  Carried game;
  GameServer first = game.server(1);
  GameServer second = game.server(2);
  const BoardHandle daily = played(first, 100, {{"archive", 3.0}});
  REQUIRE(first.ask(daily, request::Reset{}));
  second.open("daily");
  tick_until({&second}, [&] { return second.archive->asked<request::TakeCopy>() == 1; });
  second.archive->weather = {.delay_min = 5 * kSecond, .delay_max = 5 * kSecond};
  tick_until({&second}, [&] { return second.archive->asked<request::CopySeason>() == 1; });
  for (const char* player : {"p0", "p1", "p10"}) REQUIRE(first.registry->forget(player));
  first.tick(100);  // while the rows are on their way
  second.archive->weather = {};
  tick_until({&second}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == game.kept(1));
  CHECK(game.store->board("daily")->archived(1)->size() == 97);
}

TEST_CASE("a season that the board drops before it was copied is not archived") {
  Carried game;
  GameServer server = game.server(1);
  const BoardHandle daily = played(server, 300, {{"archive", 1.0}});
  REQUIRE(server.ask(daily, request::Reset{}));
  tick_until({&server}, [&] { return server.archive->asked<request::CopySeason>() >= 2; });
  server.archive->down("connection refused");
  REQUIRE(server.submit(daily, "p1", 1));
  REQUIRE(server.ask(daily, request::Reset{}));
  server.archive->down("");
  tick_until({&server}, [&] { return game.copy(2).has_value(); });
  CHECK_FALSE(game.copy(1));
}

TEST_CASE(
    "after a shared board is dropped during a copy, a new board of that name is copied "
    "separately") {
  Carried game;
  GameServer server = game.server(1, {.delay_min = 500, .delay_max = 5'000});
  const BoardHandle daily = played(server, 300, {{"archive", 3.0}});
  REQUIRE(server.ask(daily, request::Reset{}));
  tick_until({&server}, [&] { return server.archive->asked<request::CopySeason>() >= 2; });
  REQUIRE(server.ask(daily, request::Drop{}));
  const BoardHandle again = played(server, 3, {{"archive", 3.0}});
  REQUIRE(server.ask(again, request::Reset{}));
  tick_until({&server}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == "1 p2 2, 2 p1 1, 3 p0 0");
}

TEST_CASE(
    "after another server drops a shared board, a new board of that name has its own seasons") {
  Carried game;
  GameServer first = game.server(1);
  GameServer second = game.server(2);
  const BoardHandle daily = played(first, 3, {{"archive", 3.0}});
  REQUIRE(first.ask(daily, request::Reset{}));
  tick_until({&first}, [&] { return game.copy(1).has_value(); });
  REQUIRE(second.ask(second.open("daily"), request::Drop{}));
  const BoardHandle again = played(second, 2, {{"archive", 3.0}});
  REQUIRE(second.ask(again, request::Reset{}));
  CHECK_FALSE(game.copy(1));
  tick_until({&first}, [&] { return game.copy(1).has_value(); });
  CHECK(game.copy(1) == "1 p1 1, 2 p0 0");

  // The same when the first server has just read the season.
  const Target looked{"daily", nullptr, 2, game.store->board("daily")->created()};
  REQUIRE(second.submit(again, "p1", 1));
  REQUIRE(second.ask(again, request::Reset{}));
  const std::size_t asked = first.remote->asked<request::ReadSeason>();
  tick_until({&first}, [&] { return first.remote->asked<request::ReadSpec>() > 0; });
  first.remote->weather = {.delay_min = kSecond, .delay_max = kSecond};
  tick_until({&first}, [&] { return first.remote->asked<request::ReadSeason>() > asked; });
  REQUIRE(second.ask(again, request::Drop{}));
  const BoardHandle third = played(second, 3, {{"archive", 3.0}});
  for (int season = 1; season <= 2; ++season) {
    REQUIRE(second.submit(third, "p2", season));
    REQUIRE(second.ask(third, request::Reset{}));
  }
  first.remote->weather = {};
  tick_until({&first}, [&] { return game.copy(2).has_value(); });
  CHECK(game.store->copies().find(looked) == nullptr);
}

TEST_CASE("a cancelled read of an archived season does not call back") {
  Carried game;
  GameServer server = game.server(1);
  const BoardHandle daily = played(server, 3, {{"archive", 1.0}});
  for (int season = 1; season <= 2; ++season) {
    REQUIRE(server.submit(daily, "p1", season));
    REQUIRE(server.ask(daily, request::Reset{}));
    tick_until({&server}, [&] { return game.copy(season).has_value(); });
  }
  server.remote->weather = server.archive->weather = {.delay_min = 5'000, .delay_max = 5'000};
  for (int ticks = 0; ticks < 60; ticks += 5) {
    CAPTURE(ticks);
    bool called = false;
    const RemoteBoards::CallId id =
        server.boards->ask(daily, 1, request::Size{}, [&](const Result<Value>&) { called = true; });
    server.tick(ticks);
    const bool was_called = called;
    server.boards->cancel(id);
    server.tick(100);
    CHECK(called == was_called);
  }
}

TEST_CASE("seasons are not copied from a remote that takes copies itself") {
  Carried game;
  GameServer server(
      game.time, game.store,
      {.path = {}, .rules = {}, .seed = 1, .weather = {}, .players = false, .archive = true});
  const BoardHandle daily = played(server, 3, {{"archive", 1.0}});
  REQUIRE(server.ask(daily, request::Reset{}));
  server.tick(100, kCarryLookEvery / 10);
  CHECK(server.archive->asked<request::TakeCopy>() == 0);
  CHECK_FALSE(game.copy(1));
}

}  // namespace laurel
