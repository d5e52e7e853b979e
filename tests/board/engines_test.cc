// Boards of each engine, as their users see them.
#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {

namespace {

std::string outcome(const Result<Outcome>& result) {
  if (!result) return std::string(word(result.refusal().code()));
  return fmt::format("{} {}", result->score ? fmt::format("{}", *result->score) : "nil",
                     result->changed);
}

std::string submit(Board& board, std::string_view player, double score) {
  return outcome(board.submit(WriteMode::submit, result(player, score)));
}

// The sample of S4: 100 down to 90, without 99.
void fill_with_sample(Fixture& game, Board& board) {
  play(game, board,
       {{"vader", 99},
        {"yoda", 98},
        {"boba", 97},
        {"luke", 96},
        {"leia", 95},
        {"palpatine", 94},
        {"obi-wan", 93},
        {"jabba", 92},
        {"han", 91},
        {"chewbacca", 90}});
}

}  // namespace

TEST_SUITE("capped") {
  TEST_CASE("S4-1, S4-2, S4-3: a full set takes only scores that beat its lowest") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}, {"reserve", 0.0}});
    CHECK_FALSE(board.lowest()->has_value());
    fill_with_sample(game, board);
    CHECK(*board.lowest() == 90);
    CHECK(submit(board, "late", 90) == "nil false");
    CHECK(submit(board, "lando", 91) == "91 true");
    CHECK(*board.lowest() == 91);
    CHECK_FALSE(board.get("chewbacca"));
    CHECK(board.size() == 10);
  }

  TEST_CASE("S4-4: a better score replaces the player's own") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}});
    fill_with_sample(game, board);
    CHECK(submit(board, "yoda", 101) == "101 true");
    CHECK(board.size() == 10);
    CHECK(*board.lowest() == 90);
    CHECK(board.position("yoda") == 0);
  }

  TEST_CASE("a player below the cap has no entry, and comes back from the reserve") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}, {"cap", 2.0}});
    play(game, board, {{"a", 3}, {"b", 2}});
    CHECK(submit(board, "c", 1) == "nil false");
    CHECK_FALSE(board.score("c"));
    CHECK_FALSE(board.rank("c", {}));
    CHECK(*board.remove("a"));
    CHECK(table(board) == "1 b 2, 2 c 1");
  }

  TEST_CASE("S4-7: a ban is refilled at once, and merging an old copy does not undo it") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}, {"cap", 2.0}});
    play(game, board, {{"a", 3}, {"b", 2}, {"c", 1}});
    Entries copy;
    board.read(0, 10, copy);
    Entries sibling;
    for (const Entry& entry : copy) {
      Entry& kept = sibling.add();
      kept = entry;
      kept.player = sibling.arena().keep(entry.player);
    }
    CHECK(*board.ban("a"));
    CHECK(table(board) == "1 b 2, 2 c 1");
    CHECK(*board.merge(sibling) == 0);
    CHECK(table(board) == "1 b 2, 2 c 1");
    CHECK(*board.unban("a"));
    CHECK(table(board) == "1 a 3, 2 b 2");
  }

  TEST_CASE("a capped board refuses sums") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}});
    CHECK(outcome(board.submit(WriteMode::add, result("a", 1))) == "unsupported");
    Board& latest = game.board("l", {{"engine", "capped"}, {"keep", "latest"}});
    CHECK(latest.merge({}).refusal().code() == Code::unsupported);
  }

  TEST_CASE("the memory of a capped board does not grow with the number of players who submitted") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}});
    for (int i = 0; i < 50'000; ++i) {
      const std::string player = fmt::format("p{}", i);
      CHECK(board.submit(WriteMode::submit, result(player, (i * 7919) % 1000)));
    }
    CHECK(game.registry->stats().players == 20);
    CHECK(board.size() == 10);
  }

  TEST_CASE("a report about a player below the cap has no rank") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "capped"}, {"cap", 1.0}});
    play(game, board, {{"a", 3}});
    const Result<Change> hidden = board.submit_report(result("b", 2));
    REQUIRE(hidden);
    CHECK_FALSE(hidden->score);
    CHECK_FALSE(hidden->rank);
    CHECK(hidden->passed == 0);
    const Result<Change> shown = board.submit_report(result("b", 4));
    CHECK(shown->rank == 1);
    CHECK(shown->passed == 1);
    CHECK_FALSE(shown->previous);
  }
}

TEST_SUITE("padded") {
  TEST_CASE("S3-14, S3-15: scores that do not fit the key are refused") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "padded"}});
    CHECK(submit(board, "a", 9'999'999'999.0) == "9999999999 true");
    CHECK(submit(board, "b", 10'000'000'000.0) == "out_of_range");
    CHECK(submit(board, "b", -1) == "out_of_range");
    CHECK(outcome(board.submit(WriteMode::add, result("a", 1))) == "out_of_range");
    CHECK(outcome(board.set(result("a", -1))) == "out_of_range");
    CHECK(table(board) == "1 a 9999999999");
  }

  TEST_CASE("S3-17: the key is returned by key() only") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "padded"}});
    play(game, board, {{"p_alice", 8420}});
    CHECK(**board.key("p_alice") == "SCORE#0000008420#p_alice");
    CHECK_FALSE(*board.key("p_bob"));
    CHECK(board.score("p_alice") == 8420);
    CHECK(game.board("r").key("x").refusal().code() == Code::unsupported);
  }
}

TEST_SUITE("paged") {
  TEST_CASE("layout() describes the pages") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "paged"}});
    CHECK_FALSE(board.layout()->lowest);
    for (int i = 0; i < 2500; ++i) {
      const std::string player = fmt::format("p{}", i);
      CHECK(board.submit(WriteMode::submit, result(player, i)));
    }
    const Result<Board::Layout> layout = board.layout();
    CHECK(layout->pages.layers == 2);
    CHECK(layout->pages.entry_sets >= 3);
    CHECK(layout->lowest == 0);
  }

  TEST_CASE("S4-15: a rank reads one object per layer, and one more") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "paged"}});
    for (int i = 0; i < 2500; ++i) {
      const std::string player = fmt::format("p{}", i);
      CHECK(board.submit(WriteMode::submit, result(player, i)));
    }
    const std::uint64_t layers = board.layout()->pages.layers;
    const std::uint64_t before = game.registry->stats().reads.objects;
    CHECK(board.rank("p1234", {})->rank == 2500 - 1234);
    CHECK(game.registry->stats().reads.objects - before == layers + 1);
  }
}

TEST_SUITE("sharded") {
  TEST_CASE("S1-9: a read with a confidence says whether it is certain") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "sharded"}, {"shards", 4.0}});
    for (int i = 0; i < 1000; ++i) {
      const std::string player = fmt::format("p{}", i);
      CHECK(board.submit(WriteMode::submit, result(player, i)));
    }
    Entries exact;
    board.read(0, 10, exact);
    Entries once;
    const Result<bool> certain = board.top_once(10, 0.999999999, once);
    REQUIRE(certain);
    CHECK(*certain);
    CHECK(table(once) == table(exact));
    CHECK(*board.fetch_size(10, 0.999) == 8);
  }
}

TEST_SUITE("rolling") {
  TEST_CASE("S2-3, S2-15: sums fall without a write and without a timer") {
    Fixture game;
    *game.now = 18281 * kDay + kSecond;
    const BoardHandle handle = game.open("b", {{"engine", "rolling"}, {"days", 7.0}});
    const auto board = [&]() -> Board& { return *game.registry->get(handle); };
    const std::vector<double> counts = {4, 2, 1, 0, 3, 3, 5};
    for (std::size_t day = 0; day < counts.size(); ++day) {
      if (counts[day] == 0) continue;
      CHECK(board().submit(WriteMode::add, {.player = "alice",
                                            .score = counts[day],
                                            .at = (18275.0 + static_cast<double>(day)) * 86400}));
    }
    std::vector<double> seen;
    for (Time day = 18281; day < 18288; ++day) {
      *game.now = day * kDay + kSecond;
      seen.push_back(*board().score("alice"));
    }
    CHECK(seen == std::vector<double>{18, 14, 12, 11, 11, 8, 5});
    *game.now = 18288 * kDay;
    CHECK_FALSE(board().score("alice"));
    CHECK(board().size() == 0);
  }

  TEST_CASE("S2-11, S2-14: writes outside the window are refused, and a later day can be read") {
    Fixture game;
    *game.now = 18281 * kDay;
    Board& board = game.board("b", {{"engine", "rolling"}, {"days", 7.0}});
    const auto add_at = [&](double day, double amount) {
      return outcome(
          board.submit(WriteMode::add, {.player = "p", .score = amount, .at = day * 86400}));
    };
    CHECK(add_at(18274, 1) == "outside_window");
    CHECK(add_at(18282, 1) == "outside_window");
    CHECK(add_at(18275, 1) == "1 true");
    CHECK(add_at(18281, 2) == "3 true");
    CHECK((*board.at(18282 * 86400.0))->score("p") == 2);
    CHECK((*board.at(18288 * 86400.0))->size() == 0);
    CHECK(verdict(board.at(18280 * 86400.0)) == "outside_window");
    CHECK(verdict(game.board("r").at(0)) == "unsupported");
  }

  TEST_CASE("a rolling board refuses set, and drops an entry whose sum is zero") {
    Fixture game;
    Board& board = game.board("b", {{"engine", "rolling"}});
    CHECK(outcome(board.set(result("p", 1))) == "unsupported");
    CHECK(submit(board, "p", 4) == "4 true");
    CHECK(submit(board, "p", -4) == "0 true");
    CHECK(board.size() == 0);
    CHECK(submit(board, "p", 2) == "2 true");
    CHECK(table(board) == "1 p 2");
  }

  TEST_CASE("a ban hides activity, and unbanning restores what is still in the window") {
    Fixture game;
    const BoardHandle handle = game.open("b", {{"engine", "rolling"}, {"days", 2.0}});
    const auto board = [&]() -> Board& { return *game.registry->get(handle); };
    CHECK(submit(board(), "p", 4) == "4 true");
    *game.now += kDay;
    CHECK(submit(board(), "p", 1) == "5 true");
    CHECK(*board().ban("p"));
    CHECK(board().size() == 0);
    *game.now += kDay;
    CHECK(*board().unban("p"));
    CHECK(table(board()) == "1 p 1");
  }

  TEST_CASE("a watch is called at tick when the clock moved the window") {
    Fixture game;
    const BoardHandle handle = game.open("b", {{"engine", "rolling"}, {"days", 1.0}});
    CHECK(submit(*game.registry->get(handle), "p", 4) == "4 true");
    int heard = 0;
    CHECK(game.registry->watch(handle, 3, [&](const WatchEvent&) { ++heard; }));
    *game.now += kDay;
    game.registry->tick();
    CHECK(heard == 1);
  }
}

}  // namespace laurel
