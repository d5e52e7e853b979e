#include "engine/gather/gather.h"

#include <random>

#include "base/limits.h"
#include "parts.h"

namespace laurel {

namespace {

void compare_counts(Parts& parts, ScoreKey score) {
  CAPTURE(score);
  const Gather gather = parts.gather();
  REQUIRE(gather.count_better(score) == parts.naive.count_better(score));
  REQUIRE(gather.count_not_worse(score) == parts.naive.count_not_worse(score));
  REQUIRE(gather.distinct_better(score) == parts.naive.distinct_better(score));
}

void compare_newcomer(Parts& parts, ScoreKey score, Ties ties) {
  const RankCounts counts{.better = parts.naive.count_better(score),
                          .not_worse = parts.naive.count_not_worse(score),
                          .distinct_better = parts.naive.distinct_better(score)};
  for (const Ranking ranking : kEveryRanking) {
    REQUIRE(parts.gather().rank_of_newcomer(score, ranking) ==
            rank_of_newcomer(ranking, ties, counts));
  }
}

void compare_place(Parts& parts, std::size_t position) {
  CAPTURE(position);
  const NaiveRow& expected = parts.naive.rows[position];
  const EngineRow row{.player = expected.id, .score = expected.score, .at = expected.at};
  REQUIRE(parts.gather().count_before(row) == position);
  for (const Ranking ranking : kEveryRanking) {
    REQUIRE(parts.gather().rank(row, ranking) == parts.naive.rank(position, ranking));
  }
}

using Deal = std::pair<std::size_t, ScoreKey>;

// Deals the players to random parts, each with a random score.
void deal_by_chance(Parts& parts, PlayerHandle players, std::mt19937_64& random) {
  parts.deal(players, [&](PlayerHandle) { return Deal(random() % parts.views.size(), random()); });
}

}  // namespace

TEST_CASE("S1-9d, S1-9e, S1-9f: a gather matches one order of all rows") {
  for (const Ties ties : kAllTies) {
    CAPTURE(static_cast<int>(ties));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const std::size_t counts[] = {1, 2, 3, 16, 64};
      Parts parts(counts[seed % 5], ties);
      // From equal scores and moments to distinct ones; from even parts to a few parts that have
      // all rows.
      const std::uint64_t scores = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 20 : 100'000;
      const std::uint64_t moments = seed % 2 == 0 ? 2 : 100'000;
      const std::size_t used = seed % 4 == 0 ? (parts.views.size() + 3) / 4 : parts.views.size();
      std::vector<std::size_t> part_of(500);
      for (std::size_t& part : part_of) part = random() % used;
      for (int step = 0; step < 1000; ++step) {
        const auto player = static_cast<PlayerHandle>(random() % part_of.size());
        parts.put(part_of[player], player, 10 + random() % scores,
                  static_cast<Time>(random() % moments));
        if (step % 20 != 0) continue;
        parts.compare_page(0, random() % 40);
        parts.compare_page(random() % (parts.naive.rows.size() + 3), random() % 80);
        compare_place(parts, random() % parts.naive.rows.size());
        compare_counts(parts, 9 + random() % (scores + 2));
        compare_newcomer(parts, 9 + random() % (scores + 2), ties);
      }
      const std::size_t size = parts.naive.rows.size();
      for (std::size_t first = 0; first <= size; first += 7) parts.compare_page(first, 9);
      parts.compare_page(0, size);
      parts.compare_page(0, SIZE_MAX);
      parts.compare_page(SIZE_MAX, SIZE_MAX);
      parts.compare_page(size, 1);
      CHECK(parts.gather().size() == size);
    }
  }
}

TEST_CASE("a gather of empty parts is empty") {
  Parts parts(5, Ties::earliest);
  parts.compare_page(0, 10);
  parts.compare_page(3, 10);
  compare_counts(parts, 7);
  compare_newcomer(parts, 7, Ties::earliest);
  CHECK(parts.gather().size() == 0);
}

TEST_CASE("S1-4: the top 3 of three parts takes at most nine reads for any placement") {
  for (const PlayerHandle best_in_one : {0U, 3U, 10U}) {
    Parts parts(3, Ties::earliest);
    parts.deal(30, [&](PlayerHandle i) { return Deal(i < best_in_one ? 0 : i % 3, i); });
    parts.compare_page(0, 3);
    CHECK(parts.reads.entries <= 9);
  }
}

TEST_CASE("the top 1,000 of ten parts takes at most 1,500 reads on average") {
  std::uint64_t entries = 0;
  std::uint64_t most_rounds = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Parts parts(10, Ties::earliest);
    deal_by_chance(parts, 4000, random);
    parts.compare_page(0, 1000);
    entries += parts.reads.entries;
    most_rounds = std::max(most_rounds, parts.reads.rounds);
  }
  CHECK(entries <= 1500 * 20);
  CHECK(most_rounds <= 4);
}

TEST_CASE("S1-9c: a top 1,000 that is all in one part is found, in more than one round") {
  Parts parts(10, Ties::earliest);
  parts.deal(3000, [](PlayerHandle i) { return Deal(i < 1000 ? 0 : i % 10, i); });
  parts.compare_page(0, 1000);
  CHECK(parts.reads.rounds >= 2);
  CHECK(parts.reads.entries <= 10 * 110 + 1000);
}

TEST_CASE("the reads of a page far down do not grow with its position") {
  std::mt19937_64 random(5);
  Parts parts(16, Ties::earliest);
  deal_by_chance(parts, 40'000, random);
  for (const std::size_t first : {1000U, 10'000U, 20'000U, 39'000U, 39'995U}) {
    CAPTURE(first);
    parts.compare_page(first, 10);
    CHECK(parts.reads.entries <= 16 * (kGatherSkipMax + 20));
  }
}

TEST_CASE("a page far down is correct for very uneven parts") {
  Parts parts(4, Ties::earliest);
  // Runs of 5,000 rows that are each in one part; the last part has a single row.
  parts.deal(20'000, [](PlayerHandle i) { return Deal(i == 12'000 ? 3 : i / 5000 % 3, i); });
  for (std::size_t first = 1; first < 20'000; first += 997) {
    parts.compare_page(first, 10);
    CHECK(parts.reads.entries <= 1000);
  }
}

TEST_CASE("read_once reports if better rows may be missing") {
  Parts parts(4, Ties::earliest);
  parts.deal(100, [](PlayerHandle i) { return Deal(i % 4, i); });
  Arena arena;
  const auto exact = [&](std::size_t n, std::size_t each, std::vector<EngineRow>& rows) {
    rows.clear();
    parts.reads = {};
    const bool certain = parts.gather().read_once(n, each, arena, rows);
    CHECK(parts.reads.rounds == 1);
    CHECK(parts.reads.entries <= 4 * each);
    return certain;
  };
  std::vector<EngineRow> rows;
  CHECK(exact(10, 5, rows));
  parts.compare(rows, 0, 10);
  CHECK(exact(9, 3, rows));  // the last row read of one part is the last one listed
  parts.compare(rows, 0, 9);
  CHECK_FALSE(exact(10, 3, rows));
  CHECK_FALSE(exact(13, 3, rows));
  CHECK(rows.size() == 12);
  CHECK(exact(200, 25, rows));  // a part without further rows misses nothing
  parts.compare(rows, 0, 200);
  CHECK(exact(200, 26, rows));
}

TEST_CASE("dense ranks count a long run of one score without reading all of it") {
  Parts parts(3, Ties::earliest);
  parts.deal(6000, [](PlayerHandle i) { return Deal(i % 3, i / 1500); });
  parts.reads = {};
  CHECK(parts.gather().distinct_better(4) == 4);
  CHECK(parts.reads.entries <= 3 * 4 * 16);
}

}  // namespace laurel
