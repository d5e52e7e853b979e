// Ends of seasons of remote boards, told by one of several servers.
#include <functional>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "folder.h"
#include "long_form.h"
#include "servers.h"

namespace laurel {

namespace {

// A name's calls, "<board> <season>" each, in the order of the calls of all servers.
using Calls = std::vector<std::string>;

struct Game {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();

  std::unique_ptr<GameServer> server(std::uint64_t seed = 1, const FakeWeather& weather = {},
                                     const std::string& path = "") {
    return std::make_unique<GameServer>(
        time, store,
        GameServer::Options{.path = path, .rules = {}, .seed = seed, .weather = weather});
  }
};

using Servers = std::vector<GameServer*>;

std::string shown(const EndedSeason& ended) {
  return fmt::format("{} {}", ended.board, ended.season.number);
}

SeasonEndHandler recorder(Calls& calls) {
  return [&calls](const EndedSeason& ended, std::string&) {
    calls.push_back(shown(ended));
    return Hearing::returned;
  };
}

void listen(GameServer& server, std::string_view name, SeasonEndHandler handler) {
  REQUIRE(server.registry->season_ends().listen(name, &server, std::move(handler)));
}

SpaceNumber space_of_new_board(Registry& registry, std::string_view name) {
  return registry.get(*registry.open(name, {}))->space();
}

// Ticks the servers in turn for that time.
void pass(const Servers& servers, Time time, Time step = 50 * kMillisecond) {
  for (Time passed = 0; passed < time; passed += step * static_cast<Time>(servers.size())) {
    for (GameServer* const server : servers) server->tick(1, step);
  }
}

// The same until the condition holds; FAILs after an hour.
void pass_until(const Servers& servers, const std::function<bool()>& until,
                Time step = 50 * kMillisecond) {
  for (Time passed = 0; !until(); passed += step) {
    if (passed > 3600 * kSecond) FAIL("it never was");
    for (GameServer* const server : servers) server->tick(1, step);
  }
}

// The last season that the name has heard of; UINT64_MAX: the board does not know the name.
std::uint64_t heard(const Game& game, const std::string& board, const std::string& name) {
  const SentRequest read{.id = 1,
                         .target = {.board = board, .spec = nullptr},
                         .what = request::ReadHearing{name},
                         .now = *game.time.wall};
  const Result<Value> value = game.store->apply(read);
  if (!value) return UINT64_MAX;
  const SeasonsHeard& seasons = std::get<SeasonsHeard>(*value);
  return seasons.hearing ? seasons.hearing->heard : UINT64_MAX;
}

}  // namespace

TEST_CASE("of all servers one tells a name of a remote season's end, once and in order") {
  Game game;
  const auto a = game.server(1);
  const auto b = game.server(2);
  Calls calls;
  Calls others;
  const BoardHandle board = a->open("cup", {{"archive", 5.0}});
  (void)b->open("cup");
  listen(*a, "rewards", recorder(calls));
  listen(*b, "rewards", recorder(calls));
  listen(*b, "table", recorder(others));
  pass({a.get(), b.get()}, kSecond);
  for (int season = 1; season <= 3; ++season) {
    REQUIRE(a->submit(board, "anna", season));
    REQUIRE(a->ask(board, request::Reset{}));
  }
  pass({a.get(), b.get()}, 60 * kSecond);
  CHECK(calls == Calls{"cup 1", "cup 2", "cup 3"});
  CHECK(others == calls);
  CHECK(heard(game, "cup", "rewards") == 3);
}

TEST_CASE("what is told of a remote season is the same on all servers, and of no other season") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup", {{"archive", 5.0}});
  const BoardHandle league = a->open("league", {{"archive", 5.0}});
  std::vector<EndedSeason> told;
  listen(*a, "rewards", [&](const EndedSeason& ended, std::string& error) {
    told.push_back(ended);
    error = "not yet";
    return told.size() == 1 ? Hearing::raised : Hearing::returned;
  });
  pass({a.get()}, kSecond);
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->submit(board, "bert", 2));
  REQUIRE(a->ask(board, request::Reset{}));
  const auto b = game.server(2);
  (void)b->open("cup");
  listen(*b, "rewards", [&](const EndedSeason& ended, std::string&) {
    told.push_back(ended);
    return Hearing::returned;
  });
  pass_until({a.get()}, [&] { return told.size() == 1; });
  // The server that failed is silent from now on.
  pass_until({b.get()}, [&] { return heard(game, "cup", "rewards") == 1; });
  REQUIRE(told.size() == 2);
  CHECK(told[0].id == told[1].id);
  CHECK(told[1].size == 2);
  CHECK(told[1].season.number == 1);
  CHECK(told[1].season.ended.has_value());
  REQUIRE(a->submit(league, "anna", 1));
  REQUIRE(a->ask(league, request::Reset{}));
  REQUIRE(a->ask(board, request::Reset{}));
  pass_until({a.get()}, [&] { return told.size() == 4; });
  CHECK(told[2].id != told[3].id);
  CHECK(told[2].id != told[0].id);
  CHECK(told[3].id != told[0].id);
}

TEST_CASE("a name hears of the seasons that end after it was first registered on any server") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup", {{"archive", 5.0}});
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->ask(board, request::Reset{}));
  Calls calls;
  listen(*a, "rewards", recorder(calls));
  pass({a.get()}, 10 * kSecond);
  CHECK(calls.empty());
  a->boards->close();  // its server ends; the season ends while none runs that has a handler
  const auto b = game.server(2);
  const BoardHandle again = b->open("cup");
  REQUIRE(b->submit(again, "anna", 1));
  REQUIRE(b->ask(again, request::Reset{}));
  REQUIRE(b->ask(again, request::Reset{}));
  listen(*b, "rewards", recorder(calls));
  pass({b.get()}, 10 * kSecond);
  CHECK(calls == Calls{"cup 2", "cup 3"});
}

TEST_CASE("a handler that raises is called again after 1 s, then 2, up to 60") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup");
  std::vector<Time> at;
  listen(*a, "rewards", [&](const EndedSeason&, std::string& error) {
    at.push_back(*game.time.wall);
    error = "no prizes left";
    return at.size() < 10 ? Hearing::raised : Hearing::returned;
  });
  pass({a.get()}, kSecond);
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->ask(board, request::Reset{}));
  pass_until({a.get()}, [&] { return at.size() == 3; });
  const std::vector<UnheardEnd> unheard = a->boards->unheard_ends();
  REQUIRE(unheard.size() == 1);
  CHECK(unheard[0].name == "rewards");
  CHECK(unheard[0].season == 1);
  CHECK(unheard[0].tries == 3);
  CHECK(unheard[0].error == "no prizes left");
  pass_until({a.get()}, [&] { return at.size() == 10; });
  for (std::size_t i = 1; i < at.size(); ++i) {
    CAPTURE(i);
    const Time due = std::min<Time>(kSecond << (i - 1), 60 * kSecond);
    CHECK(at[i] - at[i - 1] >= due);
    CHECK(at[i] - at[i - 1] < due + 2 * kSecond);
  }
  pass({a.get()}, 10 * kSecond);
  CHECK(at.size() == 10);
  CHECK(a->boards->unheard_ends().empty());
}

TEST_CASE("if the server that tells an end dies, another tells it within 60 seconds") {
  Game game;
  auto a = game.server(1);
  const auto b = game.server(2);
  const BoardHandle board = a->open("cup");
  (void)b->open("cup");
  int begun = 0;
  Calls calls;
  std::vector<std::function<void(Hearing, std::string)>> waiting;
  listen(*a, "rewards", [&](const EndedSeason& ended, std::string&) {
    ++begun;
    waiting.push_back(ended.done);
    return Hearing::waits;
  });
  pass({a.get()}, kSecond);
  listen(*b, "rewards", recorder(calls));
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->ask(board, request::Reset{}));
  pass_until({a.get()}, [&] { return begun == 1; });
  // A handler that waits for minutes keeps its turn.
  pass({a.get(), b.get()}, 300 * kSecond);
  CHECK(begun == 1);
  CHECK(calls.empty());
  const Time died = *game.time.wall;
  a->remote->arrive_all();
  pass_until({b.get()}, [&] { return !calls.empty(); });
  CHECK(*game.time.wall - died <= 60 * kSecond);
  CHECK(calls == Calls{"cup 1"});
  a.reset();
  waiting.front()(Hearing::returned, "");  // too late for anything
}

TEST_CASE("a handler that waited and returned is done, and one that was dropped is called again") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup");
  std::vector<std::function<void(Hearing, std::string)>> waiting;
  int begun = 0;
  listen(*a, "rewards", [&](const EndedSeason& ended, std::string&) {
    ++begun;
    waiting.push_back(ended.done);
    return Hearing::waits;
  });
  pass({a.get()}, kSecond);
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->ask(board, request::Reset{}));
  pass_until({a.get()}, [&] { return begun == 1; });
  waiting.clear();  // as if its script ended
  pass_until({a.get()}, [&] { return begun == 2; });
  pass({a.get()}, 100 * kSecond);
  CHECK(begun == 2);
  CHECK(heard(game, "cup", "rewards") == 0);
  CHECK(a->boards->unheard_ends().size() == 1);
  waiting.front()(Hearing::returned, "");
  pass({a.get()}, 10 * kSecond);
  CHECK(begun == 2);
  CHECK(heard(game, "cup", "rewards") == 1);
  CHECK(a->boards->unheard_ends().empty());
}

TEST_CASE("a server that ends after a handler returned does not call it again for that season") {
  Game game;
  const test::Folder folder;
  Calls calls;
  SpaceNumber space = 0;
  {
    const auto a = game.server(1, {}, folder.path());
    const BoardHandle board = a->open("cup");
    listen(*a, "rewards", [&](const EndedSeason& ended, std::string&) {
      a->remote->down("the cable");  // the board does not learn of it
      calls.push_back(shown(ended));
      return Hearing::returned;
    });
    pass({a.get()}, kSecond);
    REQUIRE(a->submit(board, "anna", 1));
    REQUIRE(a->ask(board, request::Reset{}));
    pass_until({a.get()}, [&] { return !calls.empty(); });
    space = space_of_new_board(*a->registry, "before");
    REQUIRE(a->registry->close());
  }
  CHECK(heard(game, "cup", "rewards") == 0);
  const auto a = game.server(1, {}, folder.path());
  // What the directory notes of the end is not taken for its last space number.
  CHECK(space_of_new_board(*a->registry, "after") < space + 100);
  (void)a->open("cup");
  listen(*a, "rewards", recorder(calls));
  pass({a.get()}, 60 * kSecond);
  CHECK(calls == Calls{"cup 1"});
  CHECK(heard(game, "cup", "rewards") == 1);
}

TEST_CASE("a name that is forgotten leaves the remote board, and begins again if it comes back") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup", {{"archive", 5.0}});
  Calls calls;
  listen(*a, "rewards", recorder(calls));
  pass({a.get()}, 10 * kSecond);
  CHECK(heard(game, "cup", "rewards") == 0);
  REQUIRE(*a->registry->season_ends().forget("rewards"));
  pass({a.get()}, 20 * kSecond);
  CHECK(heard(game, "cup", "rewards") == UINT64_MAX);
  REQUIRE(a->submit(board, "anna", 1));
  REQUIRE(a->ask(board, request::Reset{}));
  listen(*a, "rewards", recorder(calls));
  pass({a.get()}, 20 * kSecond);
  CHECK(calls.empty());
  REQUIRE(a->ask(board, request::Reset{}));
  pass({a.get()}, 20 * kSecond);
  CHECK(calls == Calls{"cup 2"});
}

TEST_CASE("seasons that the remote does not keep are counted as lost, and the next ones are told") {
  Game game;
  const auto a = game.server(1);
  const BoardHandle board = a->open("cup", {{"archive", 1.0}});
  Calls calls;
  listen(*a, "rewards", recorder(calls));
  pass({a.get()}, 10 * kSecond);
  REQUIRE(a->submit(board, "anna", 1));
  // The fake keeps `archive` seasons only, as a remote does with more than it may keep.
  const auto b = game.server(2);
  const BoardHandle same = b->open("cup");
  for (int i = 0; i < 3; ++i) REQUIRE(b->ask(same, request::Reset{}));
  pass({a.get()}, 20 * kSecond);
  CHECK(calls == Calls{"cup 3"});
  CHECK(a->registry->season_ends().stats().lost == 2);
}

TEST_CASE("a server without a handler asks a remote board nothing about seasons' ends") {
  Game game;
  const auto a = game.server(1);
  (void)a->open("cup");
  pass({a.get()}, 60 * kSecond);
  CHECK(a->remote->asked<request::ReadHearing>() == 0);
}

TEST_CASE("in any weather each end is told once if no server dies, and never skipped if some do") {
  for (std::uint64_t seed = 1; seed <= short_or_long<std::uint64_t>(20, 400); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const bool deaths = seed % 2 == 0;
    Game game;
    const FakeWeather weather{
        .delay_min = 0, .delay_max = 200 * kMillisecond, .lose_request = 0.05, .lose_answer = 0.05};
    std::map<std::string, int> calls;
    std::vector<std::unique_ptr<GameServer>> servers;
    std::uint64_t started = 0;
    const auto start = [&] {
      servers.push_back(game.server(seed * 100 + ++started, weather));
      (void)servers.back()->open("cup", {{"archive", 50.0}});
      listen(*servers.back(), "rewards", [&](const EndedSeason& ended, std::string& error) {
        error = "unlucky";
        if (random() % 3 == 0) return Hearing::raised;
        ++calls[shown(ended)];
        return Hearing::returned;
      });
    };
    for (int i = 0; i < 3; ++i) start();
    const auto all = [&] {
      Servers list;
      for (const auto& server : servers) list.push_back(server.get());
      return list;
    };
    pass_until(all(), [&] { return heard(game, "cup", "rewards") == 0; });
    Board& board = *game.store->board("cup");
    for (int season = 1; season <= 6; ++season) {
      REQUIRE(board.set({.player = "anna", .score = 1.0 * season}));
      REQUIRE(board.reset());
      pass(all(), static_cast<Time>(random() % 20) * kSecond);
      if (deaths && random() % 2 == 0) {
        servers.erase(servers.begin() + static_cast<std::ptrdiff_t>(random() % servers.size()));
        start();
      }
    }
    pass_until(all(), [&] { return heard(game, "cup", "rewards") == 6; });
    CHECK(calls.size() == 6);
    for (const auto& [end, count] : calls) {
      CAPTURE(end);
      if (!deaths) CHECK(count == 1);
    }
  }
}

}  // namespace laurel
