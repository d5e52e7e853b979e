// Reads that begin at a place in the order: a position, a share of the players, a score.
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "every_engine.h"
#include "fixture.h"
#include "long_form.h"
#include "naive_places.h"

namespace laurel {

namespace {

std::vector<EngineFields> engines_and_a_small_capped_board() {
  std::vector<EngineFields> engines = every_engine();
  engines.push_back({"small capped", {{"engine", "capped"}, {"cap", 5.0}, {"reserve", 4.0}}});
  return engines;
}

bool is_rolling(const Board& board) { return board.spec().engine == EngineKind::rolling; }

// What the board lists is the oracle's list: other tests compare it with another oracle.
NaivePlaces naive_places(const Standings& standings, const Spec& spec) {
  Entries entries;
  standings.read(0, SIZE_MAX, entries);
  std::vector<NaiveLine> lines;
  for (const Entry& entry : entries) lines.push_back({std::string(entry.player), entry.score});
  return {std::move(lines), spec.order, spec.ties, spec.ranking};
}

class PlacesHistory {
 public:
  PlacesHistory(std::uint64_t seed, const Fields& of_engine) : random_(seed) {
    Fields fields = of_engine;
    fields.push_back({"order", pick({"desc", "asc"})});
    fields.push_back({"ties", pick({"earliest", "latest", "player", "player_desc"})});
    fields.push_back(
        {"ranking", pick({"competition", "modified", "dense", "ordinal", "fractional"})});
    fields.push_back({"decimals", 0.0});
    handle_ = game_.open("b", fields);
  }

  Board& board() { return *game_.registry->get(handle_); }

  void step() {
    *game_.now += static_cast<Time>(random_() % 20) * 3600 * kSecond;
    const std::string player = fmt::format("p{}", random_() % 24);
    switch (random_() % 32) {
      case 0: REQUIRE(board().remove(player)); break;
      case 1: REQUIRE(board().ban(player)); break;
      case 2: REQUIRE(board().unban(player)); break;
      case 3: reset_sometimes(); break;
      default: submit(player); break;
    }
  }

  void compare() {
    naive_places(board(), board().spec()).compare(board(), random_);
    for (const std::uint64_t number : board().seasons()) {
      if (number == board().season().number) continue;
      const ArchivedSeason& past = *board().archived(number);
      naive_places(past, past.spec()).compare(past, random_);
    }
  }

 private:
  std::string_view pick(std::initializer_list<std::string_view> words) {
    return *(words.begin() + random_() % words.size());
  }

  void submit(const std::string& player) {
    const double score = static_cast<double>(random_() % 7) + 1;
    (void)board().submit(is_rolling(board()) ? WriteMode::add : WriteMode::submit,
                         {.player = player, .score = score});
  }

  void reset_sometimes() {
    if (is_rolling(board()) || random_() % 4 != 0) return;
    REQUIRE(board().reset());
  }

  std::mt19937_64 random_;
  Fixture game_;
  BoardHandle handle_;
};

struct Five : Fixture {
  explicit Five(const Fields& fields = {}) : five(board("b", fields)) {
    play(*this, five, {{"a", 90}, {"b", 70}, {"c", 70}, {"d", 50}, {"e", 30}});
  }
  Board& five;
};

std::string around_score(const Board& board, double score, std::size_t n) {
  Entries entries;
  const auto rank = board.around_score(score, n, entries);
  if (!rank) return verdict(rank);
  return fmt::format("{} | {}", static_cast<double>(*rank), table(entries));
}

}  // namespace

TEST_CASE("every engine reads scores at positions, shares and surroundings as their definition") {
  for (const EngineFields& engine : engines_and_a_small_capped_board()) {
    CAPTURE(engine.name);
    for (std::uint64_t seed = 0; seed < short_or_long(12U, 400U); ++seed) {
      CAPTURE(seed);
      PlacesHistory history(seed, engine.fields);
      history.compare();
      for (int i = 0; i < 120; ++i) {
        CAPTURE(i);
        history.step();
        if (i % 12 == 0) history.compare();
      }
      history.compare();
    }
  }
}

TEST_CASE("the score at a position is that of its entry") {
  const Five game;
  CHECK(game.five.score_at(0) == 90);
  CHECK(game.five.score_at(2) == 70);
  CHECK(game.five.score_at(4) == 30);
  CHECK_FALSE(game.five.score_at(5));
}

TEST_CASE("the score at a percentile is the worst whose player has at least that percentile") {
  const Five game;  // percentiles 80, 40, 40, 20, 0
  CHECK(*game.five.score_at_percentile(80) == 90);
  CHECK(*game.five.score_at_percentile(40.001) == 90);
  CHECK(*game.five.score_at_percentile(40) == 70);
  CHECK(*game.five.score_at_percentile(21) == 70);
  CHECK(*game.five.score_at_percentile(0) == 30);
  CHECK(*game.five.score_at_percentile(-5) == 30);
  CHECK_FALSE(*game.five.score_at_percentile(80.1));
  CHECK(verdict(game.five.score_at_percentile(NAN)) == "not_finite");
}

TEST_CASE("equals at the top of a board have no percentile above 0") {
  Fixture game;
  Board& board = game.board("b");
  play(game, board, {{"a", 7}, {"b", 7}});
  CHECK(*board.score_at_percentile(0) == 7);
  CHECK_FALSE(*board.score_at_percentile(0.1));
}

TEST_CASE("the top percent is rounded up to whole entries, at least one") {
  const Five game;
  const auto top = [&](double p, std::size_t limit = SIZE_MAX) {
    Entries entries;
    REQUIRE(game.five.top_percent(p, limit, entries));
    return table(entries);
  };
  CHECK(top(1) == "1 a 90");
  CHECK(top(20) == "1 a 90");
  CHECK(top(20.1) == "1 a 90, 2 b 70");
  CHECK(top(60, 2) == "1 a 90, 2 b 70");
  CHECK(top(100) == table(game.five));
  CHECK(top(1000) == table(game.five));
  CHECK(top(0).empty());
  CHECK(top(-3).empty());
  Entries none;
  CHECK(verdict(game.five.top_percent(NAN, SIZE_MAX, none)) == "not_finite");
}

TEST_CASE("the surroundings of a score are those of a newcomer, who stands behind equals") {
  const Five game;
  CHECK(around_score(game.five, 70, 1) == "2 | 2 c 70, 4 d 50");
  CHECK(around_score(game.five, 60, 2) == "4 | 2 b 70, 2 c 70, 4 d 50, 5 e 30");
  CHECK(around_score(game.five, 100, 1) == "1 | 1 a 90, 2 b 70");
  CHECK(around_score(game.five, 1, 1) == "6 | 4 d 50, 5 e 30");
  CHECK(around_score(game.five, 60, 0) == "4 | ");
  CHECK(around_score(game.five, 60, SIZE_MAX) == "4 | " + table(game.five));
  CHECK(around_score(game.five, NAN, 1) == "not_finite");
  const Five late({{"ties", "latest"}, {"ranking", "ordinal"}});
  CHECK(around_score(late.five, 70, 1) == "2 | 1 a 90, 2 c 70");
}

TEST_CASE("the surroundings of a score on an empty board are empty") {
  Fixture game;
  CHECK(around_score(game.board("b"), 5, 3) == "1 | ");
}

}  // namespace laurel
