#include "engine/rolling/window_sums.h"

#include <algorithm>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "rolling_fixture.h"

namespace laurel {

namespace {

std::vector<BucketSpan> cover_of(Bucket first, Bucket last) {
  std::vector<BucketSpan> spans;
  cover(first, last, [&](BucketSpan span) { spans.push_back(span); });
  return spans;
}

}  // namespace

TEST_CASE("a cover consists of disjoint aligned spans, the latest first, and is minimal") {
  for (Bucket first = -70; first < 70; ++first) {
    for (Bucket length = 0; length < 140; ++length) {
      CAPTURE(first);
      CAPTURE(length);
      const std::vector<BucketSpan> spans = cover_of(first, first + length - 1);
      Bucket last = first + length - 1;
      for (const BucketSpan& span : spans) {
        REQUIRE(span.last() == last);
        REQUIRE(span_around(span.first(), span.level) == span);
        last = span.first() - 1;
      }
      REQUIRE(last == first - 1);
      // At most two spans of one level.
      REQUIRE(std::all_of(spans.begin(), spans.end(), [&](const BucketSpan& span) {
        return std::count_if(spans.begin(), spans.end(), [&](const BucketSpan& other) {
                 return other.level == span.level;
               }) <= 2;
      }));
    }
  }
}

TEST_CASE("the steps of amounts match the sums of all future buckets") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int buckets = std::array{1, 2, 3, 7, 30, 366}[seed % 6];
    const EngineSpec spec = rolling_spec(buckets);
    const ScoreForm form(spec.order, spec.decimals);
    const WindowSums sums(spec);
    std::set<Bucket> days;
    for (int i = 0; i < buckets; ++i) {
      if (random() % 3 != 0)
        days.insert(100 - static_cast<Bucket>(random() % static_cast<unsigned>(buckets)));
    }
    std::vector<Amount> amounts;
    for (const Bucket day : days) {
      amounts.push_back({day, *form.key(static_cast<double>(random() % 5) - 2)});
    }
    Bucket next = amounts.empty() ? 0 : amounts.back().bucket + buckets;
    std::optional<ScoreKey> later;
    sums.steps(amounts, [&](Bucket first, Bucket last, ScoreKey sum) {
      REQUIRE(last == next - 1);
      REQUIRE(first <= last);
      REQUIRE(sum != later);
      for (Bucket day = first; day <= last; ++day) REQUIRE(sums.sum(amounts, day) == sum);
      next = first;
      later = sum;
    });
    if (!amounts.empty()) REQUIRE(next == amounts.back().bucket);
  }
}

TEST_CASE("the order in which buckets are filled does not change sums of fractions") {
  const EngineSpec spec = rolling_spec(7);
  const ScoreForm form(spec.order, spec.decimals);
  const WindowSums sums(spec);
  std::vector<Amount> parts;
  const double values[] = {0.1, 0.2, 0.3, 1e16, -0.7, 3e-9, 1.1};
  for (Bucket day = 0; day < 7; ++day) parts.push_back({day, *form.key(values[day])});
  std::optional<std::vector<Amount>> expected;
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    std::shuffle(parts.begin(), parts.end(), random);
    std::vector<Amount> amounts;
    for (const Amount& part : parts) amounts = sums.with(amounts, part).value();
    if (!expected) expected = amounts;
    REQUIRE(amounts == *expected);
    for (Bucket day = 6; day < 13; ++day) {
      REQUIRE(sums.sum(amounts, day) == sums.sum(*expected, day));
    }
  }
}

TEST_CASE("sums are exact with decimals") {
  Rolling board(rolling_spec(30, 1));
  for (Bucket day = 18272; day <= 18281; ++day) board.add("alice", day, 0.1);
  CHECK(board.table() == "alice 1");
  for (Bucket day = 18272; day <= 18281; ++day) board.add("alice", day, -0.1);
  CHECK(board.engine.sum(board.player("alice")) == board.key(0));
  CHECK(board.table().empty());
}

TEST_CASE("activity that makes the sum of a future bucket out of range is refused") {
  Rolling board(rolling_spec(3, 0));
  const double most = static_cast<double>(kScaledMax);
  board.add("alice", 18279, -most);
  board.add("alice", 18280, most);
  const Player alice = board.player("alice");
  // Today the sum would be 1. Tomorrow, when the negative amount has fallen out, it would exceed
  // the limit.
  CHECK(!board.engine.sum_with(alice, {18281, board.key(1), 0, {}}));
  CHECK(!board.engine.sum_with(alice, {18280, board.key(1), 0, {}}));
  CHECK(!board.engine.sum_with(alice, {18279, board.key(-1), 0, {}}));
  CHECK(board.engine.sum_with(alice, {18279, board.key(1), 0, {}}) == board.key(1));
  CHECK(board.engine.sum_with(alice, {18281, board.key(-1), 0, {}}) == board.key(-1));
  CHECK(board.forward("alice", 3) == fmt::format("- {} -", most));
  board.engine.check();
}

TEST_CASE("sums without decimals are refused if they overflow a double") {
  Rolling board(rolling_spec(3));
  board.add("alice", 18280, 1.7e308);
  CHECK(!board.engine.sum_with(board.player("alice"), {18281, board.key(1.7e308), 0, {}}));
  board.turn(18283);
  CHECK(board.engine.sum_with(board.player("alice"), {18283, board.key(1.7e308), 0, {}}) ==
        board.key(1.7e308));
}

}  // namespace laurel
