// Past seasons of local boards, copied to the remote called "archive".
#include <doctest/doctest.h>

#include "folder.h"
#include "remote/limits.h"
#include "servers.h"

namespace laurel {

namespace {

struct Archived {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();

  GameServer server(const std::string& path = "", bool archive = true,
                    const FakeWeather& weather = {}) {
    return GameServer(time, store,
                      {.path = path,
                       .rules = {},
                       .seed = 1,
                       .weather = weather,
                       .players = false,
                       .archive = archive});
  }
};

Board& here(GameServer& server, const Fields& fields = {}) {
  const Result<BoardHandle> handle = server.registry->open("daily", spec(fields));
  if (!handle) FAIL(handle.refusal().text());
  return *server.registry->get(*handle);
}

void play(Board& board, int players, int from = 0) {
  for (int i = from; i < from + players; ++i) {
    REQUIRE(board.submit(WriteMode::submit, result(fmt::format("p{}", i), i % 97)));
  }
}

bool waits(const GameServer& server) { return server.registry->board_to_copy() != nullptr; }

// Ticks until no season waits to be copied. Returns the number of ticks.
int settle(GameServer& server) {
  int ticks = 0;
  for (; waits(server); ++ticks) {
    if (ticks == 100'000) FAIL("the copies do not end");
    server.tick();
  }
  return ticks;
}

// The season's copy, as a script reads it; nothing if there is none.
std::optional<std::string> copy(GameServer& server, std::uint64_t season, Time created) {
  std::optional<Result<Value>> found;
  server.boards->ask_copy("daily", created, season,
                          [&](Result<Value> value) { found.emplace(std::move(value)); });
  for (int ticks = 0; !found && ticks < 100'000; ++ticks) server.tick();
  REQUIRE(found);
  if (!*found) return std::string((*found).refusal().text());
  const KeptSpec& kept = std::get<KeptSpec>(**found);
  if (!kept.exists) return std::nullopt;
  const Result<BoardHandle> opened = server.boards->open_copy("daily", created, season, kept.spec);
  REQUIRE(opened);
  return table(server.get<Listed>(*opened, request::Page{0, SIZE_MAX}, season).entries);
}

}  // namespace

TEST_CASE(
    "a season that ended is copied to the archive unchanged, then trimmed by the board's own "
    "limit") {
  Archived game;
  GameServer server = game.server();
  Board& board = here(server, {{"archive", 0.0}, {"ties", "player"}});
  play(board, 500);
  const std::string live = table(board);
  CHECK(*board.reset() == 1);
  CHECK(board.archived(1) != nullptr);  // kept until it is archived
  settle(server);
  CHECK(board.archived(1) == nullptr);
  CHECK(copy(server, 1, board.created()) == live);
  CHECK_FALSE(copy(server, 2, board.created()));
  CHECK_FALSE(copy(server, 1, board.created() + 1));
}

TEST_CASE("a season archived before a restart can be read after it") {
  Archived game;
  const test::Folder folder;
  std::string live;
  {
    GameServer server = game.server(folder / "boards");
    Board& board = here(server, {{"archive", 0.0}});
    play(board, 300);
    live = table(board);
    REQUIRE(board.reset());
    settle(server);
    CHECK(server.registry->close());
  }
  GameServer server = game.server(folder / "boards");
  CHECK_FALSE(waits(server));
  CHECK(copy(server, 1, here(server).created()) == live);
  CHECK(server.archive->asked<request::CopySeason>() == 0);
}

TEST_CASE("a copy that a restart interrupts continues from the last row") {
  Archived game;
  const test::Folder folder;
  std::string live;
  std::size_t asked = 0;
  {
    GameServer server = game.server(folder / "boards");
    Board& board = here(server, {{"archive", 0.0}});
    play(board, 3 * static_cast<int>(kCopyRows));
    live = table(board);
    REQUIRE(board.reset());
    while (server.archive->asked<request::CopySeason>() < 3) server.tick();
    asked = server.archive->asked<request::CopySeason>();
    CHECK(waits(server));
    CHECK_FALSE(copy(server, 1, board.created()));  // an incomplete copy cannot be read
    CHECK(server.registry->close());
  }
  GameServer server = game.server(folder / "boards");
  CHECK(waits(server));
  settle(server);
  CHECK(server.archive->asked<request::CopySeason>() + asked <= 6);
  CHECK(copy(server, 1, here(server).created()) == live);
}

TEST_CASE("copies succeed with a remote that is away, is slow, and loses half of the messages") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    Archived game;
    GameServer server(game.time, game.store,
                      {.path = {},
                       .rules = {},
                       .seed = seed,
                       .weather = {.delay_min = 1'000,
                                   .delay_max = 30'000'000,
                                   .lose_request = 0.25,
                                   .lose_answer = 0.25},
                       .players = false,
                       .archive = true});
    Board& board = here(server, {{"archive", 0.0}});
    play(board, 900);
    const std::string live = table(board);
    server.archive->down("connection refused");
    REQUIRE(board.reset());
    server.tick(20, 500'000);
    CHECK(waits(server));
    server.archive->down("");
    for (int ticks = 0; waits(server) && ticks < 50'000; ++ticks) server.tick(1, 400'000);
    REQUIRE_FALSE(waits(server));
    server.archive->weather = {};
    server.tick(1, 60'000'000);  // late requests arrive, too late
    CHECK(copy(server, 1, board.created()) == live);
  }
}

TEST_CASE("a tick reads one batch of a season, and the next only after the answer") {
  Archived game;
  GameServer server = game.server();
  Board& board = here(server);
  play(board, 1000);
  REQUIRE(board.reset());
  server.archive->stall(true);
  server.tick(10);
  CHECK(server.archive->asked<request::CopySeason>() == 1);
  server.archive->stall(false);
  CHECK(settle(server) >= 5);
  CHECK(server.archive->asked<request::CopySeason>() == 1000 / kCopyRows + 1);
}

TEST_CASE("seasons that ended before an archive existed are copied once") {
  Archived game;
  const test::Folder folder;
  std::string live;
  {
    GameServer server = game.server(folder / "boards", false);
    Board& board = here(server, {{"archive", 3.0}});
    play(board, 10);
    live = table(board);
    REQUIRE(board.reset());
    REQUIRE(board.reset());
    CHECK_FALSE(waits(server));
    CHECK(server.registry->close());
  }
  {
    GameServer server = game.server(folder / "boards");
    CHECK(waits(server));
    settle(server);
    CHECK(server.archive->asked<request::CopySeason>() == 2);
    CHECK(copy(server, 1, here(server).created()) == live);
    CHECK(copy(server, 2, here(server).created()) == "");
    CHECK(server.registry->close());
  }
  GameServer server = game.server(folder / "boards");
  CHECK_FALSE(waits(server));
}

TEST_CASE("a forgotten player is erased from archived seasons of all boards") {
  Archived game;
  GameServer server = game.server();
  Board& board = here(server, {{"archive", 0.0}});
  play(board, 3);
  REQUIRE(board.reset());
  play(board, 3);
  REQUIRE(board.reset());
  settle(server);
  const Time created = board.created();
  server.archive->down("connection refused");
  CHECK(server.registry->forget("p1"));
  server.tick(10, 100'000);
  server.archive->down("");
  CHECK(copy(server, 1, created) == "1 p2 2, 2 p1 1, 3 p0 0");
  server.tick(100, 100'000);
  CHECK(copy(server, 1, created) == "1 p2 2, 2 p0 0");
  CHECK(copy(server, 2, created) == "1 p2 2, 2 p0 0");
  const std::size_t asked = server.archive->asked<request::ForgetCopied>();
  server.tick(100, 100'000);
  CHECK(server.archive->asked<request::ForgetCopied>() == asked);
}

TEST_CASE("erasures that wait for the archive survive a restart") {
  Archived game;
  const test::Folder folder;
  {
    GameServer server = game.server(folder / "boards");
    Board& board = here(server, {{"archive", 0.0}});
    play(board, 2);
    REQUIRE(board.reset());
    settle(server);
    server.archive->down("connection refused");
    CHECK(server.registry->forget("p0"));
    server.tick();
    CHECK(server.registry->close());
  }
  {
    GameServer server = game.server(folder / "boards", false);
    CHECK(server.log.back() ==
          "warn: 1 players wait to be forgotten by the archive: no remote is called \"archive\"");
    CHECK(server.registry->close());
  }
  GameServer server = game.server(folder / "boards");
  server.tick(10);
  CHECK(copy(server, 1, here(server).created()) == "1 p1 1");
}

TEST_CASE("a player forgotten during a copy is not in the archived season") {
  for (int copied = 0; copied <= 6; ++copied) {
    CAPTURE(copied);
    Archived game;
    GameServer server =
        game.server("", true, {.delay_min = 2'500, .delay_max = 2'500, .repeat = 0});
    Board& board = here(server, {{"archive", 0.0}});
    play(board, 5 * static_cast<int>(kCopyRows));
    REQUIRE(board.reset());
    server.tick(3 * copied + 2);
    CHECK(server.registry->forget("p96"));
    CHECK(server.registry->forget("p0"));
    const std::string live = table(*board.archived(1));
    settle(server);
    CHECK(copy(server, 1, board.created()) == live);
  }
}

TEST_CASE(
    "after a local board is dropped during a copy, a new board of that name is copied separately") {
  Archived game;
  GameServer server = game.server("", true, {.delay_min = 2'500, .delay_max = 2'500});
  play(here(server), 500);
  const Time before = here(server).created();
  REQUIRE(here(server).reset());
  server.tick(4);
  CHECK(waits(server));
  CHECK(*server.registry->drop("daily"));
  CHECK_FALSE(waits(server));
  play(here(server), 2);
  REQUIRE(here(server).reset());
  settle(server);
  CHECK(here(server).created() != before);
  CHECK(copy(server, 1, here(server).created()) == "1 p1 1, 2 p0 0");
  CHECK_FALSE(copy(server, 1, before));
}

TEST_CASE("a copy's handle reads its season, and is not found as a board") {
  Archived game;
  GameServer server = game.server();
  Board& board = here(server, {{"archive", 0.0}});
  play(board, 5);
  REQUIRE(board.reset());
  settle(server);
  CHECK(copy(server, 1, board.created()));
  const SpecText kept = [&] {
    const Target target{"daily", nullptr, 1, board.created()};
    return game.store->copies().find(target)->spec;
  }();
  const BoardHandle handle = *server.boards->open_copy("daily", board.created(), 1, kept);
  CHECK(server.boards->is_copy(handle));
  CHECK(*server.boards->copied(handle) == *server.registry->find("daily"));
  CHECK(*server.boards->open_copy("daily", board.created(), 1, kept) == handle);
  CHECK_FALSE(server.boards->find("daily"));
  CHECK_FALSE(server.boards->has("daily"));
  CHECK(server.registry->names() == std::vector<std::string>{"daily"});
  CHECK(server.registry->ban("p1"));  // does not change the season
  server.tick(10);
  CHECK(server.get<std::uint64_t>(handle, request::Size{}, 1) == 5);
  CHECK(server.remote->asked<request::Ban>() + server.archive->asked<request::Ban>() == 0);
  CHECK(*server.registry->drop("daily"));
  CHECK_FALSE(server.boards->copied(handle));
  CHECK(server.get<std::uint64_t>(handle, request::Size{}, 1) == 5);
  const BoardHandle another = server.open("daily");  // the name is free for another board
  CHECK(server.boards->find("daily") == another);
  CHECK(server.get<std::uint64_t>(handle, request::Size{}, 1) == 5);
}

TEST_CASE("opening more copies than the limit closes the least recently requested one") {
  Archived game;
  GameServer server = game.server();
  const SpecText kept = {{"engine", "ranked"}};
  const BoardHandle first = *server.boards->open_copy("daily", 0, 1, kept);
  const BoardHandle second = *server.boards->open_copy("daily", 0, 2, kept);
  CHECK(*server.boards->open_copy("daily", 0, 1, kept) == first);
  for (std::uint64_t season = 3; season <= kCopiesOpenMax + 1; ++season) {
    REQUIRE(server.boards->open_copy("daily", 0, season, kept));
  }
  CHECK(server.boards->name(first) != nullptr);
  CHECK(server.boards->name(second) == nullptr);
  CHECK_FALSE(*server.boards->open_copy("daily", 0, 2, kept) == second);
  CHECK(server.boards->name(first) == nullptr);
}

TEST_CASE("a remote called \"archive\" that takes no copies is refused, with the reason") {
  const auto opened = RemoteBoards::open({.urls = {{"archive", "redis://127.0.0.1:1"}}});
  REQUIRE_FALSE(opened);
  CHECK(opened.refusal().text() ==
        "invalid: remote \"archive\" cannot archive seasons: unsupported: ended seasons "
        "are archived in DynamoDB, not in Redis");
}

}  // namespace laurel
