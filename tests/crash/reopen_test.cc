// What a registry knows beyond its boards and must restore on opening: the last timestamp, the last
// key space, and the time of the clock.
#include <chrono>

#include <doctest/doctest.h>

#include "board/fixture.h"
#include "board/spec/spec_change.h"
#include "crash_fixture.h"
#include "faults.h"

namespace laurel::crash {

namespace {

// A registry that a test can close and open, with a clock.
struct Reopened {
  Scratch scratch;
  std::shared_ptr<Time> now = std::make_shared<Time>(1'000'000 * kSecond);
  std::unique_ptr<Registry> registry;
  faults::Cure cure;

  Reopened() { reopen(); }
  void reopen() {
    registry.reset();
    auto opened = open_registry({.path = scratch.path("boards"), .now = now});
    if (!opened) FAIL(opened.refusal().text());
    registry = std::move(*opened);
  }
  Board& board(const Fields& fields = {}) {
    Fields all = {{"engine", "padded"}, {"decimals", 0.0}, {"ties", "earliest"}};
    all.insert(all.end(), fields.begin(), fields.end());
    const auto handle = registry->open("arena", spec(all));
    if (!handle) FAIL(handle.refusal().text());
    return *registry->get(*handle);
  }
};

}  // namespace

TEST_CASE("equal scores keep their order over a reopening, even if the clock went back") {
  Reopened game;
  REQUIRE(game.board().submit(WriteMode::submit, result("alice", 5)));
  game.reopen();
  REQUIRE(game.board().submit(WriteMode::submit, result("bob", 5)));
  *game.now -= kDay;
  game.reopen();
  REQUIRE(game.board().submit(WriteMode::submit, result("carol", 5)));
  CHECK(table(game.board()) == "1 alice 5, 1 bob 5, 1 carol 5");
}

TEST_CASE("if the clock is set back between runs, the next season end is computed from it") {
  Reopened game;
  const Fields weekly = {{"reset", "0 0 * * 1"}};
  REQUIRE(game.board(weekly).submit(WriteMode::submit, result("alice", 5)));
  const std::optional<Time> due = game.board().resets_at();
  *game.now += 3'650 * kDay;  // the clock is set wrong
  REQUIRE(game.board().submit(WriteMode::submit, result("alice", 6)));
  CHECK(*game.board().resets_at() > *due);
  REQUIRE(game.registry->close());
  *game.now -= 3'650 * kDay;
  game.reopen();
  CHECK(game.board().resets_at() == due);
}

TEST_CASE("a rolling window keeps its position over a reopening, even if the clock went back") {
  Reopened game;
  const SpecChange hours =
      spec({{"engine", "rolling"}, {"window.buckets", 3.0}, {"window.seconds", 3600.0}});
  const auto board = [&]() -> Board& {
    return *game.registry->get(*game.registry->open("hours", hours));
  };
  (void)board();
  *game.now += 7200 * kSecond;
  CHECK(board().size() == 0);  // the window has moved on and is empty
  *game.now -= 3600 * kSecond;
  game.reopen();
  REQUIRE(board().submit(WriteMode::submit, result("alice", 5)));
  *game.now += 3 * 3600 * kSecond;  // two buckets after the current one
  CHECK(board().score("alice") == 5);
  *game.now += 3600 * kSecond;
  CHECK_FALSE(board().score("alice"));
}

TEST_CASE("a board created after a reopening never finds rows of a dropped or cleared board") {
  Reopened game;
  for (int round = 0; round < 10; ++round) {
    CAPTURE(round);
    CHECK(game.board().size() == 0);
    REQUIRE(game.board().submit(WriteMode::submit, result("alice", round)));
    game.reopen();
    CHECK(table(game.board()) == fmt::format("1 alice {}", round));
    REQUIRE(game.registry->drop("arena"));
    CHECK(game.board().size() == 0);
    game.reopen();
    CHECK(game.board().size() == 0);
    REQUIRE(game.board().submit(WriteMode::submit, result("bob", round)));
    REQUIRE(game.board().clear());
    game.reopen();
  }
}

TEST_CASE("rows that were being freed when the registry closed are freed after the reopening") {
  Reopened game;
  constexpr std::size_t kPlayers = kReclaimRowsPerTransaction * 2 / 3;  // two rows each
  std::vector<std::string> players;
  std::vector<Submission> results;
  for (std::size_t i = 0; i < kPlayers; ++i) players.push_back(fmt::format("p{}", i));
  for (const std::string& player : players) results.push_back(result(player, 5));
  CHECK(game.board().submit_all(results, [](std::size_t, const Refusal&) {}) == kPlayers);
  REQUIRE(game.registry->flush());

  faults::arm({.call = Call::head, .nth = 2, .for_ever = true});  // the first frees a part
  REQUIRE(game.registry->drop("arena"));
  REQUIRE(game.registry->flush());
  (void)game.registry->close();
  faults::end();
  game.reopen();
  CHECK(game.registry->stats().store_entries > kPlayers / 4);

  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (game.registry->stats().store_entries > 100 && std::chrono::steady_clock::now() < give_up) {
    REQUIRE(game.board().submit(WriteMode::add, result("alice", 1)));
    REQUIRE(game.registry->flush());
  }
  CHECK(game.registry->stats().store_entries <= 100);
}

}  // namespace laurel::crash
