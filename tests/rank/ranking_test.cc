#include "rank/tree/ranking.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "rank_text.h"

namespace laurel {

namespace {

// The ranks of a board with the scores 9, 7, 7 and 5, as digits; then the ranks that new rows with
// 10, 7 and 1 would have.
std::string ranks(Ranking ranking, Ties ties = Ties::earliest) {
  const ScoreForm form(Order::desc, std::nullopt);
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, ties);
  std::string digits;
  Time at = 0;
  PlayerHandle held[4] = {};
  const double scores[4] = {9, 7, 7, 5};
  for (int i = 0; i < 4; ++i) {
    held[i] = players.hold(std::string(1, static_cast<char>('a' + i)));
    tree.put({*form.key(scores[i]), at++, held[i]});
  }
  for (const PlayerHandle player : held) {
    digits += fmt::format("{}", rank_of_row(ranking, tree, player));
  }
  digits += ' ';
  for (const double score : {10, 7, 1}) {
    digits += fmt::format("{}", rank_of_newcomer(ranking, ties, tree, *form.key(score)));
  }
  return digits;
}

}  // namespace

TEST_CASE("the modes rank a tie as 1224, 1334, 1223 and 1234") {
  CHECK(ranks(Ranking::competition) == "1224 125");
  CHECK(ranks(Ranking::modified) == "1334 145");
  CHECK(ranks(Ranking::dense) == "1223 124");
  CHECK(ranks(Ranking::ordinal) == "1234 145");
}

TEST_CASE("the fractional mode gives equals the mean of their positions") {
  CHECK(ranks(Ranking::fractional) == "12.52.54 135");
  CHECK(ranks(Ranking::fractional, Ties::latest) == "12.52.54 135");
}

TEST_CASE("a new row is before its equals only with ties = latest") {
  CHECK(ranks(Ranking::ordinal, Ties::latest) == "1324 125");
  CHECK(ranks(Ranking::ordinal, Ties::player) == "1234 145");
  CHECK(ranks(Ranking::competition, Ties::latest) == "1224 125");
}

TEST_CASE("ranks depend only on the counts") {
  const RankCounts counts{.better = 3, .not_worse = 9, .distinct_better = 2, .position = 5};
  CHECK(rank_of_row(Ranking::competition, counts) == 4);
  CHECK(rank_of_row(Ranking::modified, counts) == 9);
  CHECK(rank_of_row(Ranking::dense, counts) == 3);
  CHECK(rank_of_row(Ranking::ordinal, counts) == 6);
  CHECK(rank_of_row(Ranking::fractional, counts) == Rank::mean(6, 7));
  CHECK(rank_of_newcomer(Ranking::modified, Ties::earliest, counts) == 10);
  CHECK(rank_of_newcomer(Ranking::fractional, Ties::earliest, counts) == 7);
}

TEST_CASE("players with equal scores share a rank, whatever their ids") {
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, Ties::player);
  for (const char* id : {"p1", "zzzz", "~x", "\xc3\xa9mile", "{a"}) {
    tree.put({100, 0, players.hold(id)});
  }
  for (const char* id : {"p1", "zzzz", "~x", "\xc3\xa9mile", "{a"}) {
    CHECK(rank_of_row(Ranking::competition, tree, players.find(id)) == 1);
  }
}

TEST_CASE("a player below 210 others of 1539 has rank 211") {
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, Ties::earliest);
  const ScoreForm form(Order::desc, 1);
  for (int i = 0; i < 1539; ++i) {
    tree.put({*form.key(2000.0 - i), i, players.hold(fmt::format("u{}", i))});
  }
  CHECK(rank_of_row(Ranking::competition, tree, players.find("u210")) == 211);
  CHECK(tree.size() == 1539);
}

}  // namespace laurel
