// Remote boards as one or two servers use them: opening, requests, and a remote that does not
// answer.
#include <doctest/doctest.h>

#include "remote/limits.h"
#include "remote/request/spec_codec.h"
#include "servers.h"

namespace laurel {

namespace {

struct Alone {
  SharedTime time;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  GameServer server{time, store};
};

}  // namespace

TEST_CASE("a spec converted to text and back is unchanged") {
  const std::vector<Fields> every = {
      {},
      {{"engine", "sharded"}, {"shards", 16.0}, {"order", "asc"}, {"keep", "sum"}},
      {{"engine", "sharded"}, {"of", "padded"}, {"digits", 12.0}, {"decimals", 2.0}},
      {{"engine", "padded"}, {"ties", "latest"}},
      {{"decimals", 3.0}, {"reset", "0 0 * * 1"}, {"archive", 5.0}, {"join", "required"}},
      {{"opens", 1000000.25},
       {"closes", 2000000.000001},
       {"rule", "season"},
       {"rule_failure", "keep"},
       {"meta", "123"}},
      {{"engine", "capped"}, {"cap", 5.0}, {"reserve", 0.0}},
      {{"engine", "rolling"}, {"days", 3.0}},
      {{"engine", "rolling"}, {"window.buckets", 24.0}, {"window.seconds", 3600.0}},
  };
  for (const Fields& fields : every) {
    Result<Spec> before = spec(fields).create();
    REQUIRE(before);
    before->remote = "main";
    const Result<Spec> after = spec_of(text_of(*before), "main");
    REQUIRE(after);
    CHECK(text_of(*after) == text_of(*before));
    CHECK(after->remote == "main");
    CHECK(after->opens == before->opens);
    CHECK(after->closes == before->closes);
    CHECK(after->window == before->window);
    CHECK(after->meta == before->meta);
  }
}

TEST_CASE("a remote board answers at a later tick, never inside the call") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  int called = 0;
  game.server.boards->ask(world, 0, request::Size{}, [&](Result<Value>) { ++called; });
  CHECK(called == 0);
  game.server.tick(10);
  CHECK(called == 1);
  CHECK(game.server.submit(world, "alice", 10));
  CHECK(game.server.submit(world, "bob", 20));
  CHECK(game.server.table(world) == "1 bob 20, 2 alice 10");
}

TEST_CASE("opening never waits, and requests wait until the board is open") {
  Alone game;
  game.server.remote->stall(true);
  const BoardHandle world = game.server.open("world", {{"order", "asc"}});
  CHECK(game.server.boards->spec(world) == nullptr);
  CHECK(*game.server.boards->name(world) == "world");
  std::optional<std::uint64_t> size;
  game.server.boards->ask(world, 0, request::Size{},
                          [&](Result<Value> value) { size = std::get<std::uint64_t>(*value); });
  game.server.tick(5);
  CHECK_FALSE(size);
  CHECK(game.server.remote->asked<request::Size>() == 0);
  game.server.remote->stall(false);
  game.server.tick(5);
  CHECK(size == 0);
  CHECK(game.server.boards->spec(world)->order == Order::asc);
}

TEST_CASE("two servers that open a board at the same time create it once") {
  Alone game;
  GameServer other(game.time, game.store);
  const BoardHandle here = game.server.open("world", {{"meta", "a"}});
  const BoardHandle there = other.open("world", {{"archive", 7.0}});
  for (int i = 0; i < 10; ++i) {
    game.server.tick();
    other.tick();
  }
  CHECK(game.server.submit(here, "alice", 1));
  CHECK(other.table(there) == "1 alice 1");
  const Result<Spec> kept = spec_of(other.get<KeptSpec>(there, request::ReadSpec{}).spec, "main");
  CHECK(kept->meta == "a");
  CHECK(kept->archive == 7);
}

TEST_CASE("a spec field that may change is written to the remote, and reaches the other server") {
  Alone game;
  GameServer other(game.time, game.store);
  const BoardHandle here = game.server.open("world", {{"meta", "a"}});
  (void)game.server.table(here);
  const BoardHandle there = other.open("world");
  (void)other.table(there);
  CHECK(other.boards->spec(there)->meta == "a");
  (void)game.server.open("world", {{"meta", "b"}});
  (void)game.server.table(here);
  CHECK(game.server.boards->spec(here)->meta == "b");
  for (int i = 0; i < 3; ++i) {
    (void)other.table(there);
    other.tick(1, kRemoteLookEvery);
  }
  CHECK(other.boards->spec(there)->meta == "b");
}

TEST_CASE("if the remote's spec differs, the state says so, reads work and writes are refused") {
  Alone game;
  GameServer other(game.time, game.store);
  const BoardHandle there = other.open("world", {{"order", "asc"}});
  CHECK(other.submit(there, "alice", 1));
  const BoardHandle here = game.server.open("world", {{"order", "desc"}});
  CHECK(game.server.table(here) == "1 alice 1");
  CHECK(game.server.boards->state(here).down ==
        "field 'order' is \"asc\" in the remote and \"desc\" here");
  CHECK(outcome(game.server.submit(here, "bob", 1)) ==
        "unavailable: field 'order' is \"asc\" in the remote and \"desc\" here");
  // The next opening whose spec does not differ ends it.
  (void)game.server.open("world", {{"order", "asc"}});
  CHECK(game.server.submit(here, "bob", 2));
  CHECK(game.server.boards->state(here).down.empty());
}

TEST_CASE("an opening that can never succeed is refused at once") {
  Alone game;
  RemoteBoards& boards = *game.server.boards;
  CHECK(boards.open("a", spec({{"remote", "other"}})).refusal().text() ==
        "invalid: field 'remote' is \"other\": no remote has that name");
  CHECK(verdict(boards.open("a", spec({{"remote", "main"}, {"engine", "capped"}}))) ==
        "unsupported");
  CHECK(verdict(boards.open("a", spec({{"remote", "main"}, {"shards", 3.0}}))) == "invalid");
  CHECK(verdict(boards.open("", spec({{"remote", "main"}}))) == "invalid");
  REQUIRE(game.server.registry->open("local", {}));
  CHECK(verdict(boards.open("local", spec({{"remote", "main"}}))) == "invalid");
  (void)game.server.open("a");
  CHECK(verdict(game.server.registry->open("a", {})) == "invalid");
  CHECK(game.server.registry->names() == std::vector<std::string>{"a", "local"});
}

TEST_CASE("invalid values are refused as by a local board, without a request to the remote") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  CHECK(outcome(game.server.submit(world, "", 1)) == "bad_player: the id is empty");
  CHECK(outcome(game.server.submit(world, "p", NAN)) == "not_finite: the score is nan");
  CHECK(outcome(game.server.ask(world, request::Ban{.player = "", .post = {}})) ==
        "bad_player: the id is empty");
  CHECK(outcome(game.server.ask(world, request::RankOf{INFINITY})) ==
        "not_finite: the score is inf");
  CHECK(game.server.remote->asked<request::Write>() == 0);
}

TEST_CASE("a remote that does not answer is unavailable after the timeout, not before") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  (void)game.server.table(world);
  game.server.remote->stall(true);
  const Time before = *game.time.steady;
  CHECK(outcome(game.server.ask(world, request::Size{})) == "unavailable: no answer came in time");
  CHECK(*game.time.steady - before >= kRemoteTimeout);
  CHECK(*game.time.steady - before < kRemoteTimeout + 100'000);
  CHECK(outcome(game.server.submit(world, "alice", 1)) ==
        "unavailable: outcome unknown: no answer came in time");
}

TEST_CASE("a request to a board that cannot be opened fails at its deadline, unsent") {
  Alone game;
  game.server.remote->down("connection refused");
  const BoardHandle world = game.server.open("world");
  CHECK(outcome(game.server.submit(world, "alice", 1)) ==
        "unavailable: remote \"main\" does not answer: connection refused");
  CHECK(game.server.boards->state(world).down == "connection refused");
  CHECK(game.server.remote->asked<request::Write>() == 0);
  game.server.remote->down("");
  CHECK(game.server.submit(world, "alice", 1));
  CHECK(game.server.boards->state(world).down.empty());
}

TEST_CASE("a write whose answer is lost was applied, and its outcome is unknown") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  (void)game.server.table(world);
  game.server.remote->weather.lose_answer = 1;
  CHECK(outcome(game.server.submit(world, "alice", 1)) ==
        "unavailable: outcome unknown: no answer came in time");
  game.server.remote->weather.lose_answer = 0;
  CHECK(game.server.table(world) == "1 alice 1");
}

TEST_CASE("a cancelled request does not call back") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  int called = 0;
  const auto first =
      game.server.boards->ask(world, 0, request::Size{}, [&](Result<Value>) { ++called; });
  game.server.boards->cancel(first);
  game.server.tick(10);
  const auto second =
      game.server.boards->ask(world, 0, request::Size{}, [&](Result<Value>) { ++called; });
  game.server.boards->cancel(second);
  game.server.boards->cancel(second);
  game.server.tick(10);
  CHECK(called == 0);
}

TEST_CASE("dropping a board deletes it for all servers, and its handle finds nothing") {
  Alone game;
  GameServer other(game.time, game.store);
  const BoardHandle here = game.server.open("world");
  const BoardHandle there = other.open("world");
  CHECK(game.server.submit(here, "alice", 1));
  CHECK(other.table(there) == "1 alice 1");
  CHECK(game.server.get<bool>(here, request::Drop{}));
  CHECK(game.server.boards->name(here) == nullptr);
  CHECK_FALSE(game.server.boards->has("world"));
  CHECK(outcome(game.server.ask(here, request::Size{})) == "unknown: the board was dropped");
  CHECK(outcome(other.ask(there, request::Size{})) == "unknown: no board is called \"world\"");
  // The other server creates the board again, with the spec it knows, when it opens it again.
  other.tick(5);
  (void)other.open("world");
  CHECK(other.get<std::uint64_t>(there, request::Size{}) == 0);
}

TEST_CASE("a callback may ask, cancel, open, and close the registry") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  std::vector<std::string> told;
  RemoteBoards& boards = *game.server.boards;
  boards.ask(world, 0, request::Size{}, [&](Result<Value>) {
    told.push_back("first");
    (void)game.server.open("another");
    boards.ask(world, 0, request::Size{}, [&](Result<Value>) {
      told.push_back("second");
      CHECK(game.server.registry->close());
    });
    boards.ask(world, 0, request::Size{}, [&](Result<Value>) { told.push_back("never"); });
  });
  game.server.tick(10);
  CHECK(told == std::vector<std::string>{"first", "second"});
  CHECK(boards.names().empty());
}

TEST_CASE("closing the registry drops pending requests without calling back") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  (void)game.server.table(world);
  auto held = std::make_shared<int>(0);
  game.server.boards->ask(world, 0, request::Size{}, [held](Result<Value>) { ++*held; });
  CHECK(held.use_count() == 2);
  game.server.registry.reset();
  CHECK(held.use_count() == 1);
  CHECK(*held == 0);
}

TEST_CASE("answers come in any order, each to its own request") {
  Alone game;
  const BoardHandle world = game.server.open("world");
  for (int i = 0; i < 20; ++i) CHECK(game.server.submit(world, fmt::format("p{}", i), i));
  game.server.remote->weather = {.delay_min = 0, .delay_max = 50'000};
  int right = 0;
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    game.server.boards->ask(world, 0, request::Get{fmt::format("p{}", i)},
                            [&, i](Result<Value> value) {
                              const Listed& listed = std::get<Listed>(*value);
                              if (listed.entries.size() == 1 && listed.entries[0].score == i)
                                ++right;
                              order.push_back(i);
                            });
  }
  game.server.tick(200);
  CHECK(right == 20);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace laurel
