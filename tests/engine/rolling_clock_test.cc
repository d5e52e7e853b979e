// The effect of the clock on a rolling board, and its cost.
#include <algorithm>

#include <doctest/doctest.h>

#include "rolling_fixture.h"

namespace laurel {

TEST_CASE("the first call in a new bucket has a bounded cost for any board size") {
  constexpr std::size_t kPlayers = 105'000;
  Rolling board(7);
  for (std::size_t i = 0; i < kPlayers; ++i) {
    board.add(fmt::format("p{}", i), 18281 - static_cast<Bucket>(i % 7),
              static_cast<double>(i % 977 + 1));
  }
  for (Bucket day = 18282; day <= 18289; ++day) {
    CAPTURE(day);
    const std::uint64_t steps = board.engine.steps();
    const std::size_t held = board.players.size();
    CHECK(board.turn(day) == Advance::next);
    CHECK(board.engine.steps() - steps <= kReclaimStepsPerCall);
    CHECK(held - board.players.size() <= kReclaimStepsPerCall);
    // A seventh of the players falls out each day.
    CHECK(board.engine.size() ==
          kPlayers / 7 * static_cast<std::size_t>(std::max<Bucket>(18288 - day, 0)));
  }
}

TEST_CASE("S2-15: an unused engine does nothing, and one call catches up with any time") {
  Rolling board(30);
  board.add("alice", 18281, 5);
  board.add("bob", 18281, 6);
  const std::uint64_t steps = board.engine.steps();
  CHECK(board.turn(18281) == Advance::none);
  CHECK(board.turn(18300) == Advance::next);
  CHECK(board.table() == "bob 6, alice 5");
  CHECK(board.engine.steps() - steps <= kReclaimStepsPerCall);
}

TEST_CASE("S2-16: after a year without activity the board is empty at once, and memory is freed") {
  constexpr std::size_t kPlayers = 5000;
  for (const int buckets : {1, 7, 366}) {
    CAPTURE(buckets);
    Rolling board(buckets);
    const std::size_t empty = board.engine.bytes();
    for (std::size_t i = 0; i < kPlayers; ++i) {
      board.add(fmt::format("p{}", i), 18281, 5,
                i % 50 == 0 ? std::optional("data") : std::nullopt);
    }
    CHECK(board.engine.bytes() > empty + kPlayers * 80);
    CHECK(board.turn(18281 + 400) == Advance::next);
    CHECK(board.engine.size() == 0);
    CHECK(!board.engine.find(board.player("p7"), *std::make_unique<Arena>()));
    CHECK(!board.engine.sum(board.player("p7")));
    CHECK(board.players.size() >= kPlayers - kReclaimStepsPerCall);
    board.engine.check();

    // Reads alone free the memory, a bounded part at each call.
    const std::size_t rows_a_player = board.engine.steps() / kPlayers + 1;
    std::size_t calls = 0;
    for (; board.players.size() > 0; ++calls) {
      const std::uint64_t steps = board.engine.steps();
      REQUIRE(board.turn(18281 + 400) == Advance::none);
      REQUIRE(board.engine.steps() - steps <= kReclaimStepsPerCall);
    }
    CHECK(calls <= kPlayers * (rows_a_player + 1) / kReclaimStepsPerCall + 2);
    CHECK(board.engine.bytes() < empty + 10'000);
    board.engine.check();
  }
}

TEST_CASE("S2-16: players may return before their old rows are freed") {
  Rolling board(7);
  for (int i = 0; i < 2000; ++i) board.add(fmt::format("p{}", i), 18281, 5, "old");
  board.turn(18281 + 400);
  for (int i = 0; i < 2000; i += 2) board.add(fmt::format("p{}", i), 18681, i + 1);
  board.engine.check();
  CHECK(board.engine.size() == 1000);
  for (int call = 0; call < 1000; ++call) board.turn(18681);
  CHECK(board.players.size() == 1000);
  CHECK(board.engine.erase(board.player("p0")));
  CHECK(!board.engine.erase(board.player("p1")));
  CHECK(board.forward("p2", 8) == "3 3 3 3 3 3 3 -");
  Arena arena;
  CHECK(!board.engine.find(board.player("p2"), arena)->data);
}

TEST_CASE("memory to be freed does not accumulate while all players play every day") {
  Rolling board(30);
  std::size_t most = 0;
  for (Bucket day = 18281; day < 18281 + 120; ++day) {
    board.turn(day);
    for (int i = 0; i < 50; ++i) board.add(fmt::format("p{}", i), day, 1 + i % 3);
    if (day == 18281 + 60) most = board.engine.bytes();
  }
  CHECK(board.engine.bytes() <= most + most / 4);
  board.engine.check();
}

TEST_CASE("S2-18: a clock that goes back by less than a window changes nothing") {
  Rolling board(7, 18275);
  board.turn(18281);
  board.add("alice", 18281, 5);
  board.add("bob", 18276, 6);
  for (const Bucket day : {18280, 18276, 18274}) {
    CAPTURE(day);
    CHECK(board.turn(day) == Advance::behind);
    CHECK(board.engine.running() == 18281);
    CHECK(board.table() == "bob 6, alice 5");
    CHECK(board.engine.in_window(18275));
    CHECK(!board.engine.in_window(18274));
  }
  CHECK(board.turn(18281) == Advance::none);
  CHECK(board.turn(18283) == Advance::next);
  CHECK(board.table() == "alice 5");
}

TEST_CASE("S2-18: a clock that steps back over midnight does not change a board of one day") {
  Rolling board(1);
  board.add("alice", 18281, 5);
  CHECK(board.turn(18280) == Advance::behind);
  board.add("alice", 18281, 1);
  CHECK(board.table() == "alice 6");
}

TEST_CASE("S2-18: a clock that was years ahead begins an empty board when it is corrected") {
  Rolling board(7, 47'000);  // a clock in 2098
  for (int i = 0; i < 1000; ++i) board.add(fmt::format("p{}", i), 47'000, 5);
  CHECK(board.turn(18281) == Advance::restart);
  CHECK(board.engine.running() == 18281);
  CHECK(board.engine.size() == 0);
  CHECK(!board.engine.sum(board.player("p7")));
  board.add("p7", 18281, 2);
  CHECK(board.forward("p7", 8) == "2 2 2 2 2 2 2 -");
  board.engine.check();
  // When that year comes, activity recorded in it by mistake does not return.
  CHECK(board.turn(47'000) == Advance::next);
  CHECK(board.engine.size() == 0);
  for (int call = 0; call < 200; ++call) board.turn(47'000);
  CHECK(board.players.size() == 0);
}

TEST_CASE("a first call before 1970 does not count as a clock that goes back") {
  const EngineSpec spec = rolling_spec(7);
  Players players(HashSecret::fixed(1));
  NoStore store;
  SpaceNumber last_space = 0;
  EngineReads reads;
  RollingEngine engine(spec, {players, store, last_space, reads}, ++last_space);
  CHECK(engine.size() == 0);
  CHECK(!engine.in_window(0));
  CHECK(engine.advance(-kDay * 19'000) == Advance::next);
  CHECK(engine.running() == -19'000);
}

TEST_CASE("a rolling engine is dismantled in steps, and releases all players") {
  Rolling board(30);
  for (int i = 0; i < 300; ++i) board.add(fmt::format("p{}", i), 18281 - i % 3, i - 10);
  int calls = 1;
  while (board.engine.dismantle(100)) ++calls;
  CHECK(calls > 3);
  CHECK(board.players.size() == 0);
  CHECK(board.engine.bytes() < 5000);
}

TEST_CASE(
    "the destructor of a rolling engine releases all players, including discarded and expired "
    "ones") {
  Players players(HashSecret::fixed(1));
  NoStore store;
  SpaceNumber last_space = 0;
  EngineReads reads;
  {
    const EngineSpec spec = rolling_spec(2);
    const ScoreForm form(spec.order, spec.decimals);
    RollingEngine engine(spec, {players, store, last_space, reads}, ++last_space);
    for (const Bucket start : {50'000, 100}) {
      engine.advance(start * kDay);
      for (int i = 0; i < 500; ++i) {
        const std::string id = fmt::format("p{}", i);
        engine.add({id, players.find(id)}, {start, *form.key(1), 0, {}});
      }
    }
    engine.advance(105 * kDay);
    CHECK(players.size() > 300);
  }
  CHECK(players.size() == 0);
}

}  // namespace laurel
