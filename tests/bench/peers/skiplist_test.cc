// Tests the peer of the comparison: the times of a wrong one would mean nothing.
#include "skiplist.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

// The same set in the slowest way: scores by member, and all in order, the worst first.
struct Oracle {
  void put(const std::string& member, double score) {
    const auto [held, is_new] = scores.try_emplace(member, score);
    if (!is_new) order.erase({std::exchange(held->second, score), member});
    order.insert({score, member});
  }
  std::vector<std::pair<double, std::string>> best_first() const {
    return {order.rbegin(), order.rend()};
  }

  std::map<std::string, double> scores;
  std::set<std::pair<double, std::string>> order;
};

void check_alike(const Skiplist& skiplist, const Oracle& oracle, double low, double high) {
  const auto expected = oracle.best_first();
  REQUIRE(skiplist.size() == expected.size());
  std::vector<Skiplist::Entry> all(expected.size() + 1);
  REQUIRE(skiplist.read(0, all) == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [score, member] = expected[i];
    REQUIRE(all[i].member == member);
    REQUIRE(all[i].score == score);
    REQUIRE(skiplist.rank(member) == i);
    REQUIRE(skiplist.score(member) == score);
    Skiplist::Entry page[3];
    REQUIRE(skiplist.read(i, page) == std::min<std::size_t>(3, expected.size() - i));
    REQUIRE(page[0].member == member);
  }
  const auto in_range = std::count_if(expected.begin(), expected.end(), [&](const auto& each) {
    return low <= each.first && each.first <= high;
  });
  REQUIRE(skiplist.count(low, high) == static_cast<std::size_t>(in_range));
}

}  // namespace

TEST_CASE("the skiplist matches a plain ordered set through random histories") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const unsigned members = seed % 2 == 0 ? 40 : 400;
    const int scores = seed > 2 ? 20 : 100'000;  // many ties, or almost none
    std::uniform_int_distribution<int> any_score(0, scores);
    Skiplist skiplist;
    Oracle oracle;
    for (int step = 0; step < 2000; ++step) {
      const std::string member = "player_" + std::to_string(random() % members);
      const double score = any_score(random);
      skiplist.put(member, score);
      oracle.put(member, score);
      if (step % 50 == 0) check_alike(skiplist, oracle, any_score(random), any_score(random));
    }
    CHECK_FALSE(skiplist.rank("nobody"));
    CHECK_FALSE(skiplist.score("nobody"));
  }
}

TEST_CASE("an empty skiplist has no ranks, pages or counts") {
  const Skiplist skiplist;
  Skiplist::Entry page[3];
  CHECK(skiplist.read(0, page) == 0);
  CHECK(skiplist.count(-1e300, 1e300) == 0);
  CHECK_FALSE(skiplist.rank("anybody"));
}

}  // namespace laurel
