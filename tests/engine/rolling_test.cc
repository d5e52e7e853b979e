// The board of the last N days, by its requirements.
#include <array>

#include <doctest/doctest.h>

#include "rolling_fixture.h"

namespace laurel {

namespace {

// The activity of one player on the days from 18275 to 18281.
constexpr std::array<double, 7> kWeek = {4, 2, 1, 0, 3, 3, 5};

void play_week(Rolling& board) {
  for (std::size_t i = 0; i < kWeek.size(); ++i) {
    const Bucket day = 18275 + static_cast<Bucket>(i);
    board.turn(day);
    board.add("alice", day, kWeek[i]);
  }
}

}  // namespace

TEST_CASE("S2-1: activity counts in each bucket of the following window") {
  Rolling board(7, 18275);
  play_week(board);
  CHECK(board.forward("alice", 8) == "18 14 12 11 11 8 5 -");
}

TEST_CASE("S2-2: a day whose amounts cancel out counts like a day without activity") {
  Rolling recorded(7, 18278);
  recorded.add("alice", 18278, 3);
  recorded.add("alice", 18278, -3);
  recorded.turn(18279);
  recorded.add("alice", 18279, 2);
  Rolling missing(7, 18279);
  missing.add("alice", 18279, 2);
  CHECK(recorded.forward("alice", 8) == "2 2 2 2 2 2 2 -");
  CHECK(missing.forward("alice", 8) == recorded.forward("alice", 8));
}

TEST_CASE("S2-3: the board is right on each day although no player plays") {
  Rolling board(7, 18275);
  play_week(board);
  board.add("bob", 18276, 12);
  const char* expected[] = {"alice 18, bob 12", "alice 14, bob 12", "alice 12", "alice 11",
                            "alice 11",         "alice 8",          "alice 5",  ""};
  for (Bucket day = 18281; day <= 18288; ++day) {
    CAPTURE(day);
    board.turn(day);
    CHECK(board.table() == expected[day - 18281]);
    CHECK(board.engine.rank(board.player("alice"), Ranking::competition).has_value() ==
          (day < 18288));
  }
}

TEST_CASE("S2-4: a player without activity falls in the ranking") {
  Rolling board(7, 100);
  for (int i = 0; i < 10; ++i) board.add(fmt::format("p{}", i), 100, 100 - i);
  CHECK(board.engine.position(board.player("p0")) == 0);
  for (Bucket day = 101; day < 130; ++day) {
    CAPTURE(day);
    board.turn(day);
    for (int i = 2; i < 10; ++i) board.add(fmt::format("p{}", i), day, 20);
    const std::size_t idle = day < 107 ? 2 : 0;
    CHECK(board.engine.size() == 8 + idle);
    // The others pass the two idle players on the first day. From day 107 on they have seven days
    // of 20.
    if (idle > 0) CHECK(board.engine.position(board.player("p0")) == 8);
    CHECK(board.forward("p2", 1) == (day < 107 ? fmt::format("{}", 98 + 20 * (day - 100)) : "140"));
  }
}

TEST_CASE("S2-5: activity on the next day counts on all following days") {
  Rolling board(7, 18275);
  play_week(board);
  board.turn(18282);
  board.add("alice", 18282, 2);
  CHECK(board.forward("alice", 8) == "16 14 13 13 10 7 2 -");
}

TEST_CASE("S2-6: two amounts of one day count like their sum") {
  Rolling twice(7, 18275);
  play_week(twice);
  twice.add("alice", 18281, 4);
  twice.add("alice", 18281, 6);
  Rolling once(7, 18275);
  play_week(once);
  once.add("alice", 18281, 10);
  CHECK(twice.forward("alice", 8) == "28 24 22 21 21 18 15 -");
  CHECK(once.forward("alice", 8) == twice.forward("alice", 8));
}

TEST_CASE("S2-7: the window has the requested length") {
  Rolling three(3, 18275);
  play_week(three);
  CHECK(three.forward("alice", 4) == "11 8 5 -");
  Rolling one(1, 18275);
  play_week(one);
  CHECK(one.forward("alice", 2) == "5 -");
}

TEST_CASE("S2-8: a day is a UTC day since 1970") {
  const Rolling board(7);
  const RollingEngine& engine = board.engine;
  const Time midnight = 1'579'478'400 * kSecond;  // 2020-01-20T00:00:00Z
  CHECK(engine.bucket_of(midnight) == 18281);
  CHECK(engine.bucket_of(midnight - 1) == 18280);
  CHECK(engine.bucket_of(midnight + kDay - 1) == 18281);
  CHECK(engine.bucket_of(midnight - kSecond / 1000) == 18280);
  CHECK(engine.bucket_of(0) == 0);
  CHECK(engine.bucket_of(-1) == -1);
  CHECK(engine.bucket_of(-kDay) == -1);
  CHECK(engine.bucket_of(-kDay - 1) == -2);
}

TEST_CASE("S2-8: days before 1970 work") {
  Rolling board(7, -3);
  board.add("alice", -3, 5);
  board.add("alice", -9, 2);
  CHECK(board.forward("alice", 8) == "7 5 5 5 5 5 5 -");
  board.turn(3);
  CHECK(board.table() == "alice 5");
  board.turn(4);
  CHECK(board.table().empty());
}

TEST_CASE("S2-9: an amount is visible at once") {
  Rolling board(30);
  board.add("alice", 18281, 5);
  CHECK(board.table() == "alice 5");
  board.add("bob", 18281, 6);
  CHECK(board.table() == "bob 6, alice 5");
  CHECK(board.engine.rank(board.player("alice"), Ranking::competition) == 2);
}

TEST_CASE("S2-10: an amount that is taken back counts in no bucket") {
  Rolling board(7, 18275);
  play_week(board);
  board.add("alice", 18279, -3);
  CHECK(board.forward("alice", 8) == "15 11 9 8 8 8 5 -");
}

TEST_CASE(
    "S2-11: late activity counts for its own bucket, and none is accepted before the window") {
  Rolling board(7, 18275);
  play_week(board);
  board.add("alice", 18276, 4);
  CHECK(board.forward("alice", 8) == "22 18 12 11 11 8 5 -");
  CHECK(board.engine.in_window(18275));
  CHECK(!board.engine.in_window(18274));
  CHECK(!board.engine.in_window(18282));
}

TEST_CASE("S2-12: a rank reads few rows of a large board") {
  Rolling board(30);
  for (int i = 0; i < 20'000; ++i) board.add(fmt::format("p{}", i), 18281 - i % 30, i % 7919 + 1);
  const std::uint64_t steps = board.engine.steps();
  const std::uint64_t read = board.reads.entries;
  for (int i = 0; i < 20'000; i += 500) {
    const Player player = board.player(fmt::format("p{}", i));
    for (const Ranking ranking : {Ranking::competition, Ranking::modified, Ranking::ordinal}) {
      REQUIRE(board.engine.rank(player, ranking).has_value());
    }
  }
  CHECK(board.reads.entries == read);
  CHECK(board.engine.steps() == steps);
  Arena arena;
  std::vector<EngineRow> rows;
  board.engine.read(0, 10, arena, rows);
  CHECK(rows.size() == 10);
  CHECK(board.reads.entries - read < 200);
}

TEST_CASE("S2-13: the earliest board that can be read is that of the running bucket") {
  Rolling board(7, 18275);
  play_week(board);
  board.add("idle", 18276, 1);
  const Time start = board.engine.running() * kDay;
  CHECK(board.engine.bucket_of(start - 1) < board.engine.running());
  CHECK(board.table(*board.engine.at_bucket(board.engine.bucket_of(start))) == "alice 18, idle 1");
}

TEST_CASE("S2-14: the board of a future day is the one that results if no player plays") {
  Rolling board(7, 18275);
  play_week(board);
  board.add("bob", 18278, 12);
  board.add("carol", 18281, 12);
  std::vector<std::string> foretold;
  for (Bucket day = 18281; day < 18291; ++day) {
    foretold.push_back(board.table(*board.engine.at_bucket(day)));
  }
  CHECK(foretold[3] == "bob 12, carol 12, alice 11");
  for (Bucket day = 18281; day < 18291; ++day) {
    board.turn(day);
    CHECK(board.table() == foretold[static_cast<std::size_t>(day - 18281)]);
  }
  CHECK(board.engine.at_bucket(1'000'000)->size() == 0);
}

TEST_CASE("S2-17: a player with a sum of 0 or less is not listed, but is remembered") {
  Rolling board(7);
  board.add("alice", 18281, 5);
  board.add("alice", 18281, -5);
  CHECK(board.table().empty());
  CHECK(!board.engine.rank(board.player("alice"), Ranking::competition));
  CHECK(board.engine.sum(board.player("alice")) == board.key(0));
  board.add("alice", 18281, -2);
  CHECK(board.engine.sum(board.player("alice")) == board.key(-2));
  board.add("alice", 18280, 3);
  CHECK(board.table() == "alice 1");
  // From 18287 on the 3 of 18280 have fallen out of the window, and the sum is negative.
  CHECK(board.forward("alice", 8) == "1 1 1 1 1 1 - -");
  CHECK(!board.engine.sum(board.player("nobody")));
}

TEST_CASE("S2-17: if low sums win, the lowest positive sum is the best") {
  EngineSpec spec = rolling_spec(7);
  spec.order = Order::asc;
  Rolling board(spec);
  board.add("alice", 18281, 5);
  board.add("bob", 18280, 2);
  board.add("carol", 18281, -1);
  CHECK(board.table() == "bob 2, alice 5");
  board.add("bob", 18281, -2);
  CHECK(board.table() == "alice 5");
}

TEST_CASE("equal sums are ordered by the latest activity") {
  for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
    CAPTURE(static_cast<int>(ties));
    EngineSpec spec = rolling_spec(7);
    spec.ties = ties;
    Rolling board(spec);
    board.add("bob", 18281, 3);
    board.add("alice", 18281, 4);
    board.add("carol", 18280, 4);
    board.add("bob", 18281, 1);  // the last player that reaches 4
    const char* expected = ties == Ties::earliest ? "carol 4, alice 4, bob 4"
                           : ties == Ties::latest ? "bob 4, alice 4, carol 4"
                           : ties == Ties::player ? "alice 4, bob 4, carol 4"
                                                  : "carol 4, bob 4, alice 4";
    CHECK(board.table() == expected);
  }
}

TEST_CASE("an amount of 0 is not activity, but updates the data") {
  Rolling board(7);
  board.add("alice", 18281, 0, "ignored");
  CHECK(board.players.size() == 0);
  board.add("alice", 18281, 5, "first");
  Arena arena;
  const EngineRow before = board.engine.find(board.player("alice"), arena).value();
  board.add("alice", 18281, 0);
  CHECK(board.engine.find(board.player("alice"), arena)->data == "first");
  board.add("alice", 18281, 0, "second");
  const EngineRow after = board.engine.find(board.player("alice"), arena).value();
  CHECK(after.at == before.at);
  CHECK(after.data == "second");
}

TEST_CASE("a player's data is kept until none of the player's activity counts") {
  Rolling board(2);
  board.add("alice", 18281, 5, "gold");
  board.turn(18282);
  board.add("alice", 18282, 5);
  board.turn(18283);
  Arena arena;
  std::vector<EngineRow> rows;
  board.engine.read(0, 1, arena, rows);
  CHECK(rows.at(0).data == "gold");
  board.turn(18284);
  board.add("alice", 18284, 5);
  CHECK(!board.engine.find(board.player("alice"), arena)->data);
}

TEST_CASE("unpacked activity is restored as far as it still counts") {
  Rolling board(7, 18275);
  play_week(board);
  const std::string hidden = board.engine.pack(board.player("alice")).value();
  CHECK(board.engine.erase(board.player("alice")));
  CHECK(!board.engine.erase(board.player("alice")));
  CHECK(board.players.size() == 0);
  CHECK(!board.engine.pack(board.player("alice")));

  SUBCASE("immediately, all activity is restored") {
    board.engine.unpack(board.player("alice"), hidden);
    CHECK(board.forward("alice", 8) == "18 14 12 11 11 8 5 -");
  }
  SUBCASE("three days later, the rest is restored") {
    board.turn(18284);
    board.engine.unpack(board.player("alice"), hidden);
    CHECK(board.forward("alice", 5) == "11 11 8 5 -");
  }
  SUBCASE("a year later, nothing is restored") {
    board.turn(18646);
    board.engine.unpack(board.player("alice"), hidden);
    CHECK(board.players.size() == 0);
  }
  SUBCASE("with a clock that was set back, nothing is restored") {
    board.turn(18000);
    board.engine.unpack(board.player("alice"), hidden);
    CHECK(board.players.size() == 0);
  }
  board.engine.check();
}

}  // namespace laurel
