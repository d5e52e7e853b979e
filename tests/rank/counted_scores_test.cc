#include "rank/tree/counted_scores.h"

#include <iterator>
#include <random>
#include <set>

#include <doctest/doctest.h>

namespace laurel {

namespace {

std::size_t naive_better(const std::multiset<ScoreKey>& scores, ScoreKey score) {
  return static_cast<std::size_t>(std::distance(scores.begin(), scores.lower_bound(score)));
}

}  // namespace

TEST_CASE("counted scores agree with a multiset, whether few or many scores are equal") {
  for (const ScoreKey distinct : {ScoreKey{1}, ScoreKey{7}, ScoreKey{3000}, kWorstScore}) {
    CAPTURE(distinct);
    std::mt19937_64 random(distinct);
    CountedScores scores;
    std::multiset<ScoreKey> naive;
    int wrong = 0;
    for (int step = 0; step < 40'000; ++step) {
      const ScoreKey score = random() % distinct;
      // The number rises, falls and rises again.
      if (random() % 8 < ((step / 10'000) % 2 == 0 ? 6U : 2U)) {
        scores.add(score);
        naive.insert(score);
      } else if (const auto some = naive.lower_bound(score); some != naive.end()) {
        scores.remove(*some);
        naive.erase(some);
      }
      if (step % 64 != 0) continue;
      const ScoreKey asked = random() % distinct;
      wrong += scores.count_better(asked) != naive_better(naive, asked) ? 1 : 0;
      wrong += scores.count_equal(asked) != naive.count(asked) ? 1 : 0;
      wrong += scores.has(asked) != naive.contains(asked) ? 1 : 0;
      scores.prefetch(asked);
    }
    scores.check();
    CHECK(wrong == 0);
    CHECK(scores.size() == naive.size());
    auto expected = naive.begin();
    scores.each([&](ScoreKey score) { wrong += score != *expected++ ? 1 : 0; });
    CHECK(wrong == 0);
    while (!naive.empty()) {
      scores.remove(*naive.begin());
      naive.erase(naive.begin());
    }
    CHECK(scores.size() == 0);
    CHECK(scores.bytes() == 0);
  }
}

TEST_CASE("counted scores that only rise or only fall stay in order") {
  for (const bool rises : {true, false}) {
    CountedScores scores;
    for (ScoreKey i = 0; i < 20'000; ++i) scores.add(rises ? i : 20'000 - i);
    scores.check();
    CHECK(scores.count_better(10'000) == (rises ? 10'000 : 9'999));
    for (ScoreKey i = 0; i < 15'000; ++i) scores.remove(rises ? i : 20'000 - i);
    scores.check();
    CHECK(scores.size() == 5'000);
    CHECK(scores.count_better(16'000) == (rises ? 1'000 : 5'000));
  }
}

TEST_CASE("counted scores in any order take at most 12 bytes each, also after many changes") {
  std::mt19937_64 random(3);
  CountedScores scores;
  std::multiset<ScoreKey> naive;
  const auto add = [&] {
    const ScoreKey score = random() >> 11;
    scores.add(score);
    naive.insert(score);
  };
  for (int i = 0; i < 100'000; ++i) add();
  CHECK(scores.bytes() < std::size_t{12} * 100'000);
  for (int i = 0; i < 300'000; ++i) {
    auto some = naive.lower_bound(random() >> 11);
    if (some == naive.end()) some = naive.begin();
    scores.remove(*some);
    naive.erase(some);
    add();
  }
  scores.check();
  CHECK(scores.bytes() < std::size_t{12} * 100'000);
}

TEST_CASE("counted scores are taken apart in steps, the worst first") {
  CountedScores scores;
  for (ScoreKey i = 0; i < 10'000; ++i) scores.add(i * 7919 % 10'007);
  int steps = 0;
  std::size_t before = scores.size();
  while (scores.take_apart(200)) {
    ++steps;
    scores.check();
    CHECK(before - scores.size() < 300);
    before = scores.size();
    if (scores.count_better(100) != 100 && scores.size() >= 100) FAIL("the best scores have gone");
  }
  CHECK(steps > 30);
  CHECK(scores.bytes() == 0);
  CHECK_FALSE(scores.take_apart(1));
}

}  // namespace laurel
