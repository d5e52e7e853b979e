#include "rank/tree/counted_tree.h"

#include <limits>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "naive_board.h"
#include "naive_order.h"
#include "rank/tree/ranking.h"

namespace laurel {

namespace {

constexpr ScoreKey kWorst = std::numeric_limits<ScoreKey>::max();

// A registry, a tree and the oracle. All changes go to both, and their answers must be equal.
struct Twins {
  Players players{HashSecret::fixed(1)};
  CountedTree tree;
  NaiveBoard naive;

  explicit Twins(Ties ties) : tree(players, ties), naive(ties) {}

  void put(const std::string& id, ScoreKey score, Time at) {
    const PlayerHandle player = players.hold(id);
    const bool is_new = tree.put({score, at, player}) == Put::added;
    REQUIRE(is_new == naive.put({score, at, id, player}));
    if (!is_new) players.release(player);
  }

  void erase(const std::string& id) {
    const PlayerHandle player = players.find(id);
    const bool erased = player != kNoPlayer && tree.erase(player);
    REQUIRE(erased == (player != kNoPlayer && naive.erase(player)));
    if (erased) players.release(player);
  }

  // Prefetch hints: correct ones here, wrong ones below. No answer may depend on them.
  void expect(const std::string& id, ScoreKey score) {
    const PlayerHandle player = players.find(id);
    if (player != kNoPlayer) tree.find(player);
    expect(player, player, score);
  }
  void expect(std::uint64_t player, std::uint64_t other, ScoreKey score) {
    const std::array both{static_cast<PlayerHandle>(other), static_cast<PlayerHandle>(player)};
    const std::array scores{score + 1, score, score};
    tree.prefetch_player(both[1]);
    tree.prefetch_paths(std::span(scores).subspan(other % 3));
    tree.prefetch_players(both);
    tree.prefetch_rows(both);
  }

  bool same(const Row& row, const NaiveRow& expected) const {
    return row.score == expected.score && row.at == expected.at && row.player == expected.player;
  }

  // Compares all reads, for each row and for the scores next to it.
  void compare_all() const {
    tree.check();
    const std::size_t size = naive.rows.size();
    REQUIRE(tree.size() == size);
    std::vector<Row> all(size + 1);
    REQUIRE(tree.read(0, all) == size);
    for (std::size_t i = 0; i < size; ++i) {
      CAPTURE(i);
      const NaiveRow& row = naive.rows[i];
      REQUIRE(same(all[i], row));
      REQUIRE(same(tree.find(row.player).value(), row));
      REQUIRE(tree.position(row.player) == i);
      REQUIRE(tree.better_than(row.player) == naive.count_better(row.score));
      REQUIRE(tree.not_worse_than(row.player) == naive.count_not_worse(row.score));
      REQUIRE(tree.distinct_better_than(row.player) == naive.distinct_better(row.score));
      REQUIRE(tree.count_up_to(all[i]) == i + 1);
      for (const Ranking ranking : kEveryRanking) {
        REQUIRE(rank_of_row(ranking, tree, row.player) == naive.rank(i, ranking));
      }
      compare_counts(row.score);
      compare_counts(row.score - 1);
      compare_counts(row.score + 1);
    }
    compare_counts(0);
    compare_counts(kWorst);
  }

  void compare_counts(ScoreKey score) const {
    CAPTURE(score);
    REQUIRE(tree.count_better(score) == naive.count_better(score));
    REQUIRE(tree.count_not_worse(score) == naive.count_not_worse(score));
    for (const ScoreKey worst : {score, score + 1, 2 * score, ~ScoreKey{0}}) {
      if (worst < score) continue;
      CAPTURE(worst);
      REQUIRE(tree.count_between(score, worst) ==
              naive.count_not_worse(worst) - naive.count_better(score));
    }
    REQUIRE(tree.distinct_better(score) == naive.distinct_better(score));
  }

  void compare_page(std::size_t first, std::size_t count) const {
    std::vector<Row> page(count);
    const std::size_t expected =
        first >= naive.rows.size() ? 0 : std::min(count, naive.rows.size() - first);
    REQUIRE(tree.read(first, page) == expected);
    for (std::size_t i = 0; i < expected; ++i) REQUIRE(same(page[i], naive.rows[first + i]));
  }

  // Compares the position that an absent player would have.
  void compare_newcomer(const std::string& id, ScoreKey score, Time at) {
    const PlayerHandle player = players.hold(id);
    REQUIRE(tree.count_up_to({score, at, player}) == naive.count_up_to({score, at, id, player}));
    players.release(player);
  }
};

// Ids that are easily confused: common prefixes, all byte values, the maximum length.
std::string tricky_id(std::uint64_t number) {
  switch (number % 5) {
    case 0: return fmt::format("p{}", number);
    case 1: return fmt::format("{}{}", std::string(number % 40 + 1, 'a'), number);
    case 2:
      return fmt::format("{}{}", std::string(kPlayerBytesMax - 8, '\xff'), 10'000'000 + number);
    case 3: return fmt::format("\x80{}\x7f", number);
    default: return fmt::format("{}{}", static_cast<char>(number % 255 + 1), number);
  }
}

const char* name_of(Ties ties) {
  switch (ties) {
    case Ties::earliest: return "earliest";
    case Ties::latest: return "latest";
    case Ties::player: return "player";
    default: return "player_desc";
  }
}

}  // namespace

TEST_CASE("a counted tree agrees with the oracle over random histories with many ties") {
  for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc}) {
    CAPTURE(name_of(ties));
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      Twins twins(ties);
      // From packed boards to trees of two levels, and from few scores to almost unique ones.
      const std::uint64_t ids = seed % 2 == 0 ? 900 : 20 + seed * 40;
      const std::uint64_t scores = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 12 : 5000;
      const std::uint64_t moments = seed % 2 == 0 ? 3 : 100'000;
      for (int step = 0; step < 3000; ++step) {
        const std::string id = tricky_id(random() % ids);
        const ScoreKey score =
            random() % 50 == 0 ? (random() % 2 == 0 ? 0 : kWorst) : 1000 + random() % scores;
        const Time at = static_cast<Time>(random() % moments) - 1;
        const bool shrink = (step / 500) % 3 == 2;
        twins.expect(random(), random(), 1000 + random() % scores);
        if (random() % 2 == 0) twins.expect(id, score);
        if (random() % 8 < (shrink ? 6U : 1U)) {
          twins.erase(id);
        } else {
          twins.put(id, score, at);
        }
        if (step % 20 == 0) {
          twins.tree.check();
          twins.compare_page(random() % (twins.tree.size() + 3), random() % 80);
          twins.compare_newcomer(fmt::format("newcomer{}", step), score, at);
        }
        if (step % 1000 == 0) twins.compare_all();
      }
      twins.compare_all();
      while (!twins.naive.rows.empty()) {
        twins.erase(twins.naive.rows[random() % twins.naive.rows.size()].id);
        if (twins.naive.rows.size() % 50 == 0) twins.compare_all();
      }
      CHECK(twins.players.size() == 0);
    }
  }
}

TEST_CASE("rows may be added in any order of scores") {
  constexpr std::uint64_t kRows = 2000;
  enum class Arrival { rising, falling, equal, inward, sawtooth };
  for (const Arrival arrival :
       {Arrival::rising, Arrival::falling, Arrival::equal, Arrival::inward, Arrival::sawtooth}) {
    CAPTURE(static_cast<int>(arrival));
    for (const Ties ties : {Ties::earliest, Ties::latest, Ties::player}) {
      Twins twins(ties);
      for (std::uint64_t i = 0; i < kRows; ++i) {
        ScoreKey score = 7;
        if (arrival == Arrival::rising) score = i;
        if (arrival == Arrival::falling) score = kRows - i;
        if (arrival == Arrival::inward) score = i % 2 == 0 ? i : 2 * kRows - i;
        if (arrival == Arrival::sawtooth) score = i % 10;
        twins.put(fmt::format("p{}", i), score, static_cast<Time>(i));
        if (i % 250 == 0) twins.tree.check();
      }
      twins.compare_all();
    }
  }
}

// Rows that need different leaf forms are mixed: some puts are of another kind than their
// neighbours.
TEST_CASE("a counted tree agrees with the oracle over rows of all leaf forms") {
  constexpr Time kYear = 365 * 86'400 * kSecond;
  const auto any_score = [](std::mt19937_64& random, int kind) -> ScoreKey {
    switch (kind) {
      case 0: return (std::uint64_t{1} << 62) + random() % 5000;
      case 1: return (std::uint64_t{1} << 62) + (random() % 5000 << 20);
      case 2: return (std::uint64_t{1} << 62) + random() % (std::uint64_t{1} << 45);
      case 3: return random();
      default: return random() % 2 == 0 ? kWorst - random() % 3 : random() % 3;
    }
  };
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Twins twins(seed % 2 == 0 ? Ties::earliest : Ties::latest);
    const std::uint64_t ids = 600 + seed * 150;
    for (int step = 0; step < 12'000; ++step) {
      const int usual = static_cast<int>(seed + static_cast<std::uint64_t>(step) / 2500) % 4;
      const int kind = random() % 16 == 0 ? static_cast<int>(random() % 5) : usual;
      const Time at = random() % 64 == 0 ? static_cast<Time>(random() % 8) * kYear
                                         : static_cast<Time>(random() % 1000);
      const std::string id = tricky_id(random() % ids);
      const ScoreKey score = any_score(random, kind);
      if (random() % 2 == 0) twins.expect(id, score);
      const bool shrink = step / 1500 % 4 == 3;
      if (random() % 8 < (shrink ? 6U : 1U)) {
        twins.erase(id);
      } else {
        twins.put(id, score, at);
      }
      if (step % 50 == 0) {
        twins.tree.check();
        twins.compare_page(random() % (twins.tree.size() + 3), random() % 80);
      }
    }
    twins.compare_all();
    std::vector<Row> sorted(twins.tree.size());
    twins.tree.read(0, sorted);
    twins.tree.clear();
    twins.tree.build(sorted.size(), [&](std::size_t i) { return sorted[i]; });
    twins.compare_all();
    while (!twins.naive.rows.empty()) {
      twins.erase(twins.naive.rows[random() % twins.naive.rows.size()].id);
      if (twins.naive.rows.size() % 50 == 0) twins.tree.check();
    }
  }
}

TEST_CASE("a counted tree accepts handles above 26 bits") {
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, Ties::earliest);
  std::mt19937_64 random(3);
  std::map<PlayerHandle, Row> rows;
  for (int step = 0; step < 5000; ++step) {
    // Handles around 2^26, or far above.
    const auto player = static_cast<PlayerHandle>(
        (step % 3 == 0 ? 0xF000'0000U : (1U << 26) - 1000) + random() % 2000);
    // Scores for narrow and crowded leaves, and for middle and wide ones.
    const Row row{random() % 1'000'000'000 << (step % 4 == 0 ? 30 : 0), step, player};
    tree.put(row);
    rows[player] = row;
    if (step % 5 == 0) {
      const auto gone = std::next(rows.begin(), static_cast<long>(random() % rows.size()));
      REQUIRE(tree.erase(gone->first));
      rows.erase(gone);
    }
    if (step % 100 == 0) tree.check();
  }
  tree.check();
  REQUIRE(tree.size() == rows.size());
  for (const auto& [player, row] : rows) {
    const Row held = tree.find(player).value();
    REQUIRE(held.score == row.score);
    REQUIRE(held.at == row.at);
  }
}

TEST_CASE("a row takes at most 23.5 bytes for whole scores, 26.5 for 53-bit ones, 32 for others") {
  constexpr std::uint32_t kRows = 100'000;
  const auto bytes_of = [](auto score) {
    Players players(HashSecret::fixed(1));
    CountedTree tree(players, Ties::earliest);
    std::mt19937_64 random(3);
    for (int step = 0; step < 300'000; ++step) {
      tree.put({score(random), step, static_cast<PlayerHandle>(random() % kRows)});
    }
    return static_cast<double>(tree.bytes()) / static_cast<double>(tree.size());
  };
  const ScoreForm form(Order::desc, std::nullopt);
  const auto key = [&form](std::uint64_t score) {
    return form.key(static_cast<double>(score)).value_or(0);
  };
  CHECK(bytes_of([&](auto& random) { return key(random() % 10'000'000'000); }) < 23.5);
  CHECK(bytes_of([&](auto& random) { return key(random() >> 11); }) < 26.5);
  CHECK(bytes_of([](auto& random) { return random(); }) < 32);
}

TEST_CASE("rows that are added in order leave full leaves behind") {
  Players players(HashSecret::fixed(1));
  for (const bool rising : {true, false}) {
    CountedTree tree(players, Ties::earliest);
    constexpr std::uint32_t kRows = 100'000;
    for (std::uint32_t i = 0; i < kRows; ++i) tree.put({rising ? i : kRows - i, 0, i});
    tree.check();
    CHECK(tree.bytes() < kRows * 21);
  }
}

TEST_CASE("moving a player slightly or not at all changes no other player") {
  Twins twins(Ties::earliest);
  for (std::uint64_t i = 0; i < 1000; ++i) twins.put(fmt::format("p{}", i), 10 * i, 5);
  for (std::uint64_t i = 0; i < 1000; i += 3) {
    const std::string id = fmt::format("p{}", i);
    twins.put(id, 10 * i, 5);
    twins.put(id, 10 * i + 11, 5);
    twins.put(id, 10 * i, 4);
    twins.put(id, 10 * i, 6);
  }
  twins.compare_all();
}

TEST_CASE("a tree made by build equals one made by put") {
  for (const std::size_t rows : {0U, 1U, 63U, 200U, 512U, 513U, 4000U, 5000U}) {
    CAPTURE(rows);
    Twins twins(Ties::latest);
    for (std::size_t i = 0; i < rows; ++i) {
      twins.put(fmt::format("p{}", i), i * 7919 % 500, static_cast<Time>(i % 50));
    }
    std::vector<Row> sorted(rows);
    twins.tree.read(0, sorted);
    twins.tree.clear();
    CHECK(twins.tree.size() == 0);
    twins.tree.build(rows, [&](std::size_t i) { return sorted[i]; });
    twins.compare_all();
    for (std::size_t i = 0; i < rows; i += 2) twins.put(fmt::format("p{}", i), i % 30, 3);
    twins.compare_all();
  }
}

TEST_CASE("an empty board answers all reads") {
  Twins twins(Ties::earliest);
  const PlayerHandle stranger = twins.players.hold("stranger");
  CHECK(!twins.tree.find(stranger));
  CHECK(!twins.tree.erase(stranger));
  CHECK(twins.tree.count_up_to({5, 0, stranger}) == 0);
  twins.compare_all();
  twins.compare_page(0, 10);
  twins.tree.clear();
  twins.compare_all();
}

TEST_CASE("a small board is packed, and erased rows give their memory back") {
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, Ties::earliest);
  for (PlayerHandle player = 0; player < 3; ++player) tree.put({player, player, player});
  CHECK(tree.bytes() < 300);
  for (PlayerHandle player = 0; player < 100; ++player) tree.put({player, player, player});
  CHECK(tree.bytes() < 1000);
  for (PlayerHandle player = 0; player < 100'000; ++player)
    tree.put({player % 777, player, player});
  tree.check();
  for (PlayerHandle player = 99'999; player >= 1000; --player) tree.erase(player);
  tree.check();
  CHECK(tree.bytes() < 120'000);
  for (PlayerHandle player = 10; player < 1000; ++player) tree.erase(player);
  CHECK(tree.bytes() < 1000);
  tree.clear();
  CHECK(tree.bytes() < 200);
}

TEST_CASE("a small board in a large registry takes little memory") {
  Players players(HashSecret::fixed(1));
  CountedTree tree(players, Ties::earliest);
  for (PlayerHandle player = 0; player < 10'000'000; player += 10'000) {
    tree.put({player * 2654435761U, 0, player});
  }
  tree.check();
  CHECK(tree.bytes() < 1000 * 100);
}

TEST_CASE("a counted tree is right after a long history of a hundred thousand players") {
  const std::uint64_t seed = 99;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  Players players(HashSecret::fixed(seed));
  CountedTree tree(players, Ties::earliest);
  constexpr std::uint32_t kPlayers = 100'000;
  std::vector<std::pair<ScoreKey, Time>> held(kPlayers, {0, -1});
  Time now = 0;
  std::size_t size = 0;
  for (int step = 0; step < 400'000; ++step) {
    const auto player = static_cast<PlayerHandle>(random() % kPlayers);
    if (random() % 10 == 0) {
      REQUIRE(tree.erase(player) == (held[player].second >= 0));
      size -= held[player].second >= 0 ? 1 : 0;
      held[player].second = -1;
    } else {
      // A third of the puts have one of 100 scores, the others rarely the same one.
      const ScoreKey score = random() % 3 == 0 ? random() % 100 : random() % (1U << 30);
      REQUIRE((tree.put({score, ++now, player}) == Put::added) == (held[player].second < 0));
      size += held[player].second < 0 ? 1 : 0;
      held[player] = {score, now};
    }
  }
  tree.check();
  REQUIRE(tree.size() == size);
  std::vector<Row> rows;
  for (std::uint32_t player = 0; player < kPlayers; ++player) {
    if (held[player].second >= 0) rows.push_back({held[player].first, held[player].second, player});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.score, a.at) < std::pair(b.score, b.at);
  });
  std::vector<Row> read(size);
  REQUIRE(tree.read(0, read) == size);
  int wrong = 0;
  std::size_t better = 0;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0 && rows[i].score != rows[i - 1].score) {
      better = i;
      ++distinct;
    }
    const PlayerHandle player = rows[i].player;
    wrong += read[i].player != player || read[i].at != rows[i].at ? 1 : 0;
    wrong += tree.position(player) != i || tree.better_than(player) != better ? 1 : 0;
    wrong += tree.distinct_better(rows[i].score) != distinct ? 1 : 0;
    wrong += tree.distinct_better_than(player) != distinct ? 1 : 0;
  }
  CHECK(wrong == 0);
}

}  // namespace laurel
