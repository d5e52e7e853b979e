// Names of players who live in a remote: in lists, in watches and on the live channel.
#include <functional>
#include <poll.h>

#include <doctest/doctest.h>

#include "base/limits.h"
#include "live/client/client.h"
#include "live/server/publisher.h"
#include "servers.h"

namespace laurel {

namespace {

std::string with_names(const WindowPtr& window) {
  std::string text;
  if (!window) return text;
  for (const WindowEntry& entry : window->entries) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", entry.player, entry.name.value_or("-"));
  }
  return text;
}

// Two servers: the board is in one remote, and the players are in another one.
struct Named {
  Named() { tick(); }

  // Fewer than a name stays fresh.
  void tick(int times = 20, Time step = 1'000) {
    for (int i = 0; i < times; ++i) {
      here.tick(1, step);
      there.tick(1, step);
    }
  }
  static void save(GameServer& server, std::string id, std::string name) {
    REQUIRE(server.ask(
        {}, request::SavePlayer{.id = std::move(id), .name = std::move(name), .email = {}}));
  }
  void submit(const std::string& player, double score) {
    REQUIRE(there.submit(theirs, player, score));
    tick();
  }
  std::string name(std::string_view player) {
    return std::string(here.registry->names_of_players().find(player));
  }
  std::size_t requests() const { return here.keeper->asked<request::ReadNames>(); }

  static GameServer::Options apart(std::uint64_t seed) {
    GameServer::Options options;
    options.seed = seed;
    options.apart = true;
    return options;
  }

  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer here{time, store, apart(10)};
  GameServer there{time, store, apart(20)};
  BoardHandle ours = here.open("world");
  BoardHandle theirs = there.open("world");
};

}  // namespace

TEST_CASE("a name is asked for once, and a player without one is not asked for again at once") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  CHECK(game.name("ada").empty());
  CHECK(game.name("bob").empty());
  game.tick();
  CHECK(game.name("ada") == "Ada");
  CHECK(game.name("bob").empty());
  CHECK(game.requests() == 1);
  for (int i = 0; i < 100; ++i) {
    (void)game.name("ada");
    (void)game.name("bob");
    game.tick(1);
  }
  CHECK(game.requests() == 1);
}

TEST_CASE("a hundred players are asked for in one request, and one request at a time") {
  Named game;
  game.here.keeper->weather = {.delay_min = 10'000, .delay_max = 10'000};
  for (int i = 0; i < 250; ++i) (void)game.name(fmt::format("p{}", i));
  game.here.tick(1);
  CHECK(game.requests() == 1);
  game.here.tick(10);
  CHECK(game.requests() == 1);
  game.here.tick(200);
  CHECK(game.requests() == 3);
}

TEST_CASE(
    "a name that another server saves is known within half a minute, and at once if it is ours") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  (void)game.name("ada");
  game.tick();
  Named::save(game.here, "ada", "Eva");
  CHECK(game.name("ada") == "Eva");
  Named::save(game.there, "ada", "Ida");
  CHECK(game.name("ada") == "Eva");
  for (Time passed = 0; passed < kRemoteNameFresh; passed += kSecond) {
    game.here.tick(1, kSecond);
    (void)game.name("ada");
  }
  game.here.tick(5);
  CHECK(game.name("ada") == "Ida");
}

TEST_CASE("a name that this server saves is not replaced by an answer that was under way") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  game.here.keeper->weather = {.delay_min = 20'000, .delay_max = 20'000};
  (void)game.name("ada");
  game.here.tick(25);  // the request has been applied, and its answer is under way
  REQUIRE(game.requests() == 1);
  game.here.keeper->weather = {};
  Named::save(game.here, "ada", "Eva");
  REQUIRE(game.name("ada") == "Eva");
  game.here.tick(40);
  CHECK(game.name("ada") == "Eva");
}

TEST_CASE("a name of a list that never changes is read again, ever more rarely") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  (void)game.name("ada");
  const auto renames = [&] { return game.here.registry->names_of_players().renames(); };
  game.here.tick(5);
  const std::uint64_t before = renames();
  Named::save(game.there, "ada", "Eva");
  game.here.tick(40, kSecond);
  CHECK(renames() == before + 1);
  game.here.tick(3600, kSecond);
  const std::size_t requests = game.requests();
  CHECK(requests <= 13);  // 30, 60, 120, 240, 480 s, and then each 600 s
  Named::save(game.there, "ada", "Ida");
  game.here.tick(610, kSecond);
  CHECK(renames() == before + 2);
  CHECK(game.requests() - requests <= 2);
}

TEST_CASE("while the remote of the players is down, the last known names stay, and tops come") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  game.here.boards->show(game.ours, true);
  game.submit("ada", 10);
  (void)game.name("ada");
  game.tick();
  REQUIRE(game.name("ada") == "Ada");
  game.here.keeper->down("gone");
  game.submit("bob", 20);
  CHECK(game.here.boards->top(game.ours)->entries.size() == 2);
  CHECK(game.name("bob").empty());
  game.here.tick(60, kSecond);
  CHECK(game.name("ada") == "Ada");
  Named::save(game.there, "bob", "Bob");
  game.here.keeper->down("");
  game.here.tick(10, kSecond);
  CHECK(game.name("bob") == "Bob");
}

TEST_CASE("a forgotten player has no name at once, whatever the remote still says") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  (void)game.name("ada");
  game.tick();
  REQUIRE(game.name("ada") == "Ada");
  game.here.keeper->down("gone");
  REQUIRE(game.here.registry->forget("ada"));
  CHECK(game.name("ada").empty());
  game.here.tick(60, kSecond);
  game.here.keeper->down("");
  for (int i = 0; i < 200; ++i) {
    game.here.tick(1, 20'000);
    CHECK(game.name("ada").empty());
  }
  CHECK(game.here.keeper->asked<request::ForgetPlayer>() > 0);
  Named::save(game.here, "ada", "Eva");
  game.here.tick(40, kSecond);
  CHECK(game.name("ada") == "Eva");
}

TEST_CASE("more players in use than fit have no names, and take none away from the others") {
  Named game;
  for (std::size_t i = 0; i < kNamesKept; ++i) (void)game.name(fmt::format("p{}", i));
  Named::save(game.there, "p0", "First");
  Named::save(game.there, "late", "Late");
  (void)game.name("late");
  game.here.tick(2000);
  CHECK(game.name("p0") == "First");
  CHECK(game.name("late").empty());
  game.here.tick(1000, kSecond);  // the others are no longer in use
  (void)game.name("late");
  game.here.tick(5);
  CHECK(game.name("late") == "Late");
}

TEST_CASE("a caller that can wait is called when the names are known, or after a quarter second") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  const auto wait = [&](std::string_view player, bool& called) {
    Entries entries;
    entries.add().player = player;
    return game.here.boards->wait_for_names(entries, [&] { called = true; });
  };
  bool known = false, late = false, cancelled = false, down = false;
  REQUIRE(wait("ada", known) != 0);
  CHECK_FALSE(known);
  game.here.tick(3);
  CHECK(known);
  CHECK(game.name("ada") == "Ada");
  CHECK(wait("ada", known) == 0);

  game.here.keeper->stall(true);
  const Time asked = *game.time.steady;
  REQUIRE(wait("bob", late) != 0);
  const auto id = wait("bob", cancelled);
  game.here.boards->cancel_names(id);
  while (!late) game.here.tick(1);
  CHECK(*game.time.steady - asked <= kRemoteNamesWithin + 2'000);
  game.here.tick(5000);
  CHECK_FALSE(cancelled);
  CHECK(wait("cleo", down) == 0);  // the last request has failed
  game.here.keeper->stall(false);
  game.here.tick(5000);
  REQUIRE(wait("dora", down) != 0);
  game.here.keeper->down("gone");
  game.here.tick(2);
  CHECK(down);
}

TEST_CASE("a watch tells of names of players in a remote, when they come and when they change") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  Named::save(game.there, "bob", "Bob");
  std::vector<std::string> told;
  REQUIRE(game.here.boards->watch(
      game.ours, 2, [&](const WatchEvent& event) { told.push_back(with_names(event.top)); }));
  game.tick();
  game.submit("ada", 10);
  REQUIRE_FALSE(told.empty());
  CHECK(told.back() == "ada=Ada");
  game.submit("bob", 20);
  CHECK(told.back() == "bob=Bob ada=Ada");
  Named::save(game.there, "ada", "Eva");
  game.tick(40, kSecond);
  CHECK(told.back() == "bob=Bob ada=Eva");
  const std::size_t count = told.size();
  game.tick(100, kSecond);
  CHECK(told.size() == count);
}

TEST_CASE("the live channel shows names of players in a remote, also of local boards") {
  Named game;
  Named::save(game.there, "ada", "Ada");
  Named::save(game.there, "bob", "Bob");
  Result<std::unique_ptr<Publisher>> started = Publisher::start({});
  REQUIRE_MESSAGE(started, started.refusal().text());
  Publisher& live = **started;
  (void)game.here.registry->attach(std::move(*started));
  REQUIRE(live.publish_remote(*game.here.registry, game.ours, {}));
  const Result<BoardHandle> room = game.here.registry->open("room", spec({}));
  REQUIRE(room);
  REQUIRE(live.publish(*game.here.registry, *room, {}));
  auto client = Client::connect({"127.0.0.1", live.port(), "", false, {}});
  REQUIRE(client);
  std::map<std::string, std::string> heard;
  for (const std::string board : {"world", "room"}) {
    REQUIRE((*client)->subscribe(board, 10, [&heard, board](const Result<WindowPtr>& top) {
      heard[board] = top ? with_names(*top) : std::string(top.refusal().text());
    }));
  }
  const auto until = [&](const std::function<bool()>& holds) {
    const Time end = steady_now() + 10 * kSecond;
    while (steady_now() < end) {
      game.tick(1);
      (*client)->tick();
      if (holds()) return true;
      poll(nullptr, 0, 1);  // the pace of a game loop, not a wait for an event
    }
    return false;
  };
  game.submit("ada", 10);
  REQUIRE(game.here.registry->get(*room)->submit(WriteMode::submit, {.player = "bob", .score = 5}));
  CHECK(until([&] { return heard["world"] == "ada=Ada" && heard["room"] == "bob=Bob"; }));
  CAPTURE(heard["world"]);
  CAPTURE(heard["room"]);
  Named::save(game.there, "bob", "Rob");
  game.here.tick(40, kSecond);
  CHECK(until([&] { return heard["room"] == "bob=Rob"; }));

  game.here.keeper->down("gone");
  game.submit("carol", 20);
  CHECK(until([&] { return heard["world"] == "carol=- ada=Ada"; }));
  Named::save(game.there, "carol", "Carol");
  game.here.keeper->down("");
  game.here.tick(5, kSecond);
  CHECK(until([&] { return heard["world"] == "carol=Carol ada=Ada"; }));
  CHECK(game.here.registry->forget("ada"));
  CHECK(until([&] { return heard["world"] == "carol=Carol"; }));
}

}  // namespace laurel
