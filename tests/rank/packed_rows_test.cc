#include "rank/tree/packed_rows.h"

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "rank/tree/row_cursor.h"

namespace laurel {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Packed rows and a sorted list of places. All changes go to both, and their answers must be equal.
// No two rows have the same score and tie, so ids are never compared and handles may be arbitrary.
struct Pair {
  Players players{HashSecret::fixed(1)};
  RowOrder order{players, Ties::earliest};
  PackedRows packed;
  std::vector<Place> sorted;

  static bool before(const Place& a, const Place& b) {
    return std::tie(a.score, a.tie) < std::tie(b.score, b.tie);
  }
  bool has(PlayerHandle player) const { return find(player) != sorted.end(); }
  std::vector<Place>::const_iterator find(PlayerHandle player) const {
    return std::find_if(sorted.begin(), sorted.end(),
                        [player](const Place& each) { return each.player == player; });
  }
  bool is_taken(const Place& place) const {
    return std::any_of(sorted.begin(), sorted.end(), [&place](const Place& each) {
      return each.score == place.score && each.tie == place.tie && each.player != place.player;
    });
  }

  void put(const Place& place) {
    if (is_taken(place) || (!has(place.player) && sorted.size() == PackedRows::kRowsMax)) return;
    const auto old = find(place.player);
    const Put expected = old == sorted.end() ? Put::added
                         : *old == place     ? Put::unchanged
                                             : Put::moved;
    if (old != sorted.end()) sorted.erase(old);
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), place, before), place);
    REQUIRE(packed.put(place, order) == expected);
  }
  void erase(PlayerHandle player) {
    const auto old = find(player);
    REQUIRE(packed.erase(player) == (old != sorted.end()));
    if (old != sorted.end()) sorted.erase(old);
  }

  void compare(ScoreKey score) const {
    const auto better = std::count_if(sorted.begin(), sorted.end(),
                                      [score](const Place& each) { return each.score < score; });
    REQUIRE(packed.count_better(score) == static_cast<std::size_t>(better));
  }
  void compare_all() const {
    packed.check(order);
    REQUIRE(packed.size() == sorted.size());
    std::size_t better = 0;
    std::size_t runs = 0;
    for (std::uint32_t i = 0; i < sorted.size(); ++i) {
      const Place& row = sorted[i];
      if (i > 0 && sorted[i - 1].score != row.score) {
        better = i;
        ++runs;
      }
      REQUIRE(packed.at(i) == row);
      REQUIRE(RowCursor(packed, i).place() == row);
      REQUIRE(RowCursor(packed, i).score() == row.score);
      REQUIRE(RowCursor(packed, i).player() == row.player);
      REQUIRE(RowCursor(packed, i).equals_before() == i - better);
      REQUIRE(packed.find(row.player) == row);
      REQUIRE(packed.position(row.player) == i);
      REQUIRE(packed.better_than(row.player) == better);
      REQUIRE(packed.distinct_better_than(row.player) == runs);
      REQUIRE(packed.distinct_better(row.score) == runs);
      REQUIRE(packed.count_up_to(row, order) == i + 1);
      for (const PlayerHandle near : {row.player + 0x10000U, row.player ^ 0x80000000U}) {
        REQUIRE(packed.has(near) == has(near));
      }
      for (const ScoreKey score : {row.score, row.score - 1, row.score + 1}) compare(score);
    }
    compare(0);
    compare(kMost);
    for (std::uint32_t first = 0; first < sorted.size(); first += 7) {
      const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(5, sorted.size() - first));
      RowCursor(packed, first).take(n, [&](std::uint32_t i, const Place& place) {
        REQUIRE(place == sorted[first + i]);
      });
    }
  }
};

// Numbers near the limits of a width, near the maximum, and near 0.
std::uint64_t edge(std::mt19937_64& random) {
  const std::uint64_t power = std::uint64_t{1} << (random() % 64);
  switch (random() % 6) {
    case 0: return 0;
    case 1: return kMost - random() % 3;
    case 2: return power - 1;
    case 3: return ~power + random() % 3;
    case 4: return random();
    default: return power + random() % 2;
  }
}

std::uint64_t day_of_moments(std::mt19937_64& random) {
  return (std::uint64_t{1} << 63) + 1'700'000'000'000'000 + random() % 86'400'000'000;
}

ScoreKey whole_score(std::mt19937_64& random, std::uint64_t below) {
  return *ScoreForm(Order::desc, {}).key(static_cast<double>(random() % below));
}

void fill_board_of_100(Pair& pair, std::mt19937_64& random) {
  while (pair.sorted.size() < 100) {
    pair.put({whole_score(random, 1'000'000'000), day_of_moments(random),
              static_cast<PlayerHandle>(random() % 1'000'000)});
  }
}

}  // namespace

TEST_CASE("a packed row takes only the bytes that its board's values need") {
  std::mt19937_64 random(1);
  Pair pair;
  fill_board_of_100(pair, random);
  pair.compare_all();
  CHECK(pair.packed.bytes() <= 100 * (5 + 5 + 3) + 100);
}

TEST_CASE("packed rows may have any score, time and handle") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Pair pair;
    // Edge values among usual numbers: many, few or none, depending on the seed.
    const std::uint64_t edges_in = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 50 : 1000;
    const std::uint64_t handles = seed % 2 == 0 ? kMost : 150;
    std::vector<PlayerHandle> known;
    const std::size_t most = seed % 6 == 1 ? PackedRows::kRowsMax + 100 : 150;
    while (known.size() < most) {
      known.push_back(static_cast<PlayerHandle>(random() % 4 == 0 ? random() : random() % handles));
    }
    for (int step = 0; step < 4000; ++step) {
      const PlayerHandle player = known[random() % known.size()];
      const bool shrink = (step / 700) % 3 == 2;
      if (random() % 8 < (shrink ? 6U : 1U)) {
        pair.erase(player);
      } else {
        const bool at_edge = random() % edges_in == 0;
        pair.put({at_edge ? edge(random) : whole_score(random, 1000),
                  random() % edges_in == 0 ? edge(random) : day_of_moments(random), player});
      }
      if (step % 16 == 0) pair.compare_all();
    }
    while (!pair.sorted.empty()) pair.erase(pair.sorted[random() % pair.sorted.size()].player);
    CHECK(pair.packed.bytes() == 0);
  }
}

TEST_CASE("one far row widens all rows, and they become narrow again after it is erased") {
  std::mt19937_64 random(3);
  Pair pair;
  fill_board_of_100(pair, random);
  const std::size_t narrow = pair.packed.bytes();
  const std::vector<Place> far = {{kMost, day_of_moments(random), 7},
                                  {whole_score(random, 1000), 0, 7},
                                  {whole_score(random, 1000), day_of_moments(random), 0xFFFF'FFF0}};
  for (const Place& place : far) {
    pair.put(place);
    pair.compare_all();
    CHECK(pair.packed.bytes() > narrow + 100);
    pair.erase(place.player);
    for (int i = 0; i < 300; ++i) {
      const PlayerHandle player = pair.sorted[random() % 100].player;
      pair.erase(player);
      pair.put({whole_score(random, 1'000'000'000), day_of_moments(random), player});
    }
    pair.compare_all();
    CHECK(pair.packed.bytes() <= narrow + 100);
  }
}

TEST_CASE("a board with increasing times is rarely rewritten") {
  for (const bool falling : {false, true}) {
    Pair pair;
    std::mt19937_64 random(4);
    std::uint64_t tie = std::uint64_t{1} << 63;
    int rewritten = 0;
    ColumnFrame before;
    for (int i = 0; i < 20'000; ++i) {
      tie += (falling ? -1 : 1) * static_cast<std::int64_t>(1 + random() % 2'000'000);
      pair.put({random() % 1000, tie, static_cast<PlayerHandle>(random() % 100)});
      const ColumnFrame frame = pair.packed.tie_frame();
      rewritten += frame.base != before.base || frame.bytes != before.bytes ? 1 : 0;
      before = frame;
    }
    pair.compare_all();
    CHECK(rewritten < 20'000 / 20);
  }
}

TEST_CASE("a frame fits its numbers and a fifth of their span more on the growing side") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> numbers(1 + random() % 20);
    const std::uint64_t finest = random() % 40;
    const std::uint64_t width = random() % 64;
    const std::uint64_t from = edge(random);
    for (std::uint64_t& each : numbers) {
      each = from + (random() >> width >> finest << finest);  // may wrap around
    }
    ColumnExtent extent(numbers.front());
    for (const std::uint64_t each : numbers) extent.add(each);
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    using Growth = ColumnExtent::Growth;
    for (const Growth growth : {Growth::both, Growth::above, Growth::below}) {
      const ColumnFrame frame = extent.frame(growth);
      for (const std::uint64_t each : numbers) {
        REQUIRE(frame.fits(each));
        REQUIRE(frame.number(frame.steps(each)) == each);
      }
      const std::uint64_t fifth = (*most - *least) / 5 >> frame.shift << frame.shift;
      if (growth == Growth::above && *most < kMost - fifth) REQUIRE(frame.fits(*most + fifth));
      if (growth == Growth::below && *least > fifth) REQUIRE(frame.fits(*least - fifth));
      if (frame.base > 0) REQUIRE(!frame.fits(frame.base - 1));
    }
  }
}

}  // namespace laurel
