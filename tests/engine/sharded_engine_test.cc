#include "engine/sharded/sharded_engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/engine_factory.h"
#include "engine/ranked/ranked_engine.h"
#include "engine/sharded/fetch_size.h"
#include "naive_order.h"
#include "parts.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

// A registry's context for engines, with a sharded engine.
struct Sharded {
  explicit Sharded(std::size_t shards, Ties ties = Ties::earliest)
      : engine({.engine = EngineKind::sharded, .ties = ties, .shards = shards},
               {players, *store, last_space, reads}, 1, make_score_engine) {}

  // The player with the registry's handle, if any, as boards pass it.
  Player player(std::string_view id) const { return {id, players.find(id)}; }
  void put(std::string_view id, ScoreKey score, Time at) {
    engine.put(player(id), {.score = score, .at = at});
  }

  Players players{HashSecret::fixed(1)};
  std::unique_ptr<Store> store = make_memory_store();
  SpaceNumber last_space = 0;
  EngineReads reads;
  ShardedEngine engine;
};

bool same(const std::optional<EngineRow>& a, const std::optional<EngineRow>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->player == b->player && a->score == b->score && a->at == b->at && a->data == b->data;
}

// A sharded and a ranked engine, which get the same calls and must give the same answers.
class Twins {
 public:
  Twins(std::size_t shards, Ties ties) : sharded_(shards, ties), ranked_(players_, ties) {}

  void put(const std::string& id, const EngineRow& row) {
    sharded_.engine.put(sharded_.player(id), row);
    ranked_.put(player(id), row);
  }
  void erase(const std::string& id) {
    REQUIRE(sharded_.engine.erase(sharded_.player(id)) == ranked_.erase(player(id)));
  }
  // Erases the player, and restores it with unpack.
  void hide_and_show(const std::string& id) {
    const std::optional<std::string> packed = sharded_.engine.pack(sharded_.player(id));
    REQUIRE(packed == ranked_.pack(player(id)));
    if (!packed) return;
    REQUIRE(sharded_.engine.erase(sharded_.player(id)));
    sharded_.engine.unpack(sharded_.player(id), *packed);
  }

  void compare_player(const std::string& id) {
    CAPTURE(id);
    const Player here = sharded_.player(id);
    REQUIRE(same(sharded_.engine.find(here, arena_), ranked_.find(player(id), arena_)));
    REQUIRE(same(sharded_.engine.held(here, arena_), ranked_.held(player(id), arena_)));
    REQUIRE(sharded_.engine.position(here) == ranked_.position(player(id)));
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(sharded_.engine.rank(here, ranking) == ranked_.rank(player(id), ranking));
    }
  }

  void compare_score(ScoreKey score) {
    CAPTURE(score);
    REQUIRE(sharded_.engine.count_better(score) == ranked_.count_better(score));
    REQUIRE(sharded_.engine.count_not_worse(score) == ranked_.count_not_worse(score));
    REQUIRE(sharded_.engine.distinct_better(score) == ranked_.distinct_better(score));
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(sharded_.engine.rank_of_newcomer(score, ranking) ==
              ranked_.rank_of_newcomer(score, ranking));
    }
  }

  void compare_page(std::size_t first, std::size_t n) {
    CAPTURE(first);
    CAPTURE(n);
    rows_.clear();
    expected_.clear();
    sharded_.engine.read(first, n, arena_, rows_);
    ranked_.read(first, n, arena_, expected_);
    REQUIRE(rows_.size() == expected_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) REQUIRE(same(rows_[i], expected_[i]));
    compare_ranked(first, n);
  }

  // If read_ranked returns the rank of the first row, it must be right.
  void compare_ranked(std::size_t first, std::size_t n) {
    rows_.clear();
    const auto better = ranked_.read_ranked(first, n, arena_, rows_);
    REQUIRE(rows_.size() == expected_.size());
    if (better && !rows_.empty()) REQUIRE(*better == ranked_.count_better(rows_.front().score));
  }

  // If one round claims to be exact, it must be exact.
  void compare_once(std::size_t n, double confidence) {
    CAPTURE(n);
    CAPTURE(confidence);
    rows_.clear();
    expected_.clear();
    const bool exact = sharded_.engine.read_once(n, confidence, arena_, rows_);
    ranked_.read(0, n, arena_, expected_);
    REQUIRE(rows_.size() <= expected_.size());
    if (confidence >= 1) REQUIRE(exact);
    if (!exact) return;
    REQUIRE(rows_.size() == expected_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) REQUIRE(same(rows_[i], expected_[i]));
  }

  std::size_t size() const {
    REQUIRE(sharded_.engine.size() == ranked_.size());
    return ranked_.size();
  }
  void check() const { sharded_.engine.check(); }
  // Adds players that only the registry knows, so that its handles differ from the shards'.
  void introduce(const std::string& id) { sharded_.players.hold(id); }

 private:
  Player player(std::string_view id) const { return {id, players_.find(id)}; }

  Sharded sharded_;
  Players players_{HashSecret::fixed(2)};
  RankedEngine ranked_;
  Arena arena_;
  std::vector<EngineRow> rows_;
  std::vector<EngineRow> expected_;
};

// Scores of both orders, from few distinct scores to many.
ScoreKey any_score(std::mt19937_64& random, std::uint64_t seed) {
  const ScoreForm form(seed % 2 == 0 ? Order::desc : Order::asc, std::nullopt);
  const std::uint64_t scores = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 40 : 1'000'000;
  return *form.key(static_cast<double>(random() % scores) - 20);
}

// A random history, compared after every `stride` steps.
void play(Twins& twins, std::uint64_t seed, int steps, int stride) {
  std::mt19937_64 random(seed);
  const std::uint64_t ids = 50 + seed * 60;
  const std::uint64_t moments = seed % 2 == 0 ? 3 : 1'000'000;
  for (std::uint64_t i = 0; i < ids; i += 3) twins.introduce(fmt::format("p{}", i));
  for (int step = 0; step < steps; ++step) {
    const std::string id = fmt::format("p{}", random() % ids);
    if (random() % 6 == 0) {
      twins.erase(id);
    } else {
      EngineRow row{.score = any_score(random, seed), .at = static_cast<Time>(random() % moments)};
      if (random() % 4 == 0) row.data = id;
      twins.put(id, row);
    }
    if (step % stride != 0) continue;
    twins.hide_and_show(fmt::format("p{}", random() % ids));
    twins.compare_player(fmt::format("p{}", random() % ids));
    twins.compare_score(any_score(random, seed));
    twins.compare_page(random() % (twins.size() + 3), random() % 50);
    twins.compare_page(0, random() % 50);
    twins.compare_once(random() % 60, static_cast<double>(random() % 12) / 10);
  }
  twins.check();
  twins.compare_page(0, twins.size() + 1);
  for (std::uint64_t i = 0; i < ids; i += 7) twins.compare_player(fmt::format("p{}", i));
}

std::vector<std::string> ids_in_shard(const ShardedEngine& engine, std::size_t shard,
                                      std::size_t count) {
  std::vector<std::string> ids;
  for (std::uint64_t i = 0; ids.size() < count; ++i) {
    std::string id = fmt::format("chosen{}", i);
    if (engine.shard_of(id) == shard) ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace

TEST_CASE("S0-12, S1-3, S1-7: a sharded engine matches one ranked engine with all rows") {
  for (const std::size_t shards : {1U, 2U, 3U, 16U, 1024U}) {
    CAPTURE(shards);
    for (const Ties ties : kAllTies) {
      CAPTURE(static_cast<int>(ties));
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Twins twins(shards, ties);
        play(twins, seed, shards == 1024 ? 400 : 1600, 16);
      }
    }
  }
}

TEST_CASE("S0-12: eight shards match a ranked engine over a hundred thousand steps") {
  const std::uint64_t seed = 31;
  CAPTURE(seed);
  Twins twins(8, Ties::earliest);
  play(twins, seed, 100'000, 100);
}

TEST_CASE("S1-2: players are spread evenly, and do not change their shard") {
  Sharded sharded(3);
  constexpr std::size_t kPlayers = 30'000;
  for (std::size_t i = 0; i < kPlayers; ++i) sharded.put(fmt::format("images/{}.jpg", i), i, 0);
  std::array<std::size_t, 3> sizes{};
  double chi_square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sizes[i] = sharded.engine.shard(i).engine().size();
    const double difference = static_cast<double>(sizes[i]) - kPlayers / 3.0;
    chi_square += difference * difference / (kPlayers / 3.0);
  }
  CHECK(chi_square < 13.8);
  std::mt19937_64 random(1);
  for (int update = 0; update < 100; ++update) {
    for (int i = 0; i < 100; ++i) sharded.put(fmt::format("images/{}.jpg", i), random(), update);
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(sharded.engine.shard(i).engine().size() == sizes[i]);
  sharded.engine.check();
}

TEST_CASE("S1-9c: a top that is all in one shard is exact, and read_once reports its uncertainty") {
  Sharded sharded(10);
  const std::vector<std::string> best = ids_in_shard(sharded.engine, 0, 1000);
  for (std::size_t i = 0; i < best.size(); ++i) sharded.put(best[i], i, 0);
  for (std::size_t i = 0; i < 9000; ++i) sharded.put(fmt::format("p{}", i), 10'000 + i, 0);
  Arena arena;
  std::vector<EngineRow> rows;
  sharded.engine.read(0, 1000, arena, rows);
  REQUIRE(rows.size() == best.size());
  for (std::size_t i = 0; i < best.size(); ++i) REQUIRE(rows[i].player == best[i]);
  CHECK(sharded.reads.rounds >= 2);

  sharded.reads = {};
  rows.clear();
  CHECK_FALSE(sharded.engine.read_once(1000, 0.999999, arena, rows));
  CHECK(sharded.reads.rounds == 1);
  CHECK(sharded.reads.entries == 10 * fetch_size(1000, 10, 0.999999));
  CHECK(rows.size() == 1000);
  CHECK(rows[152].player == best[152]);
  CHECK(rows[153].player != best[153]);
}

TEST_CASE("S1-9: one round is certain as often as computed") {
  constexpr int kBoards = 400;
  const std::size_t each = fetch_size(10, 4, 0.9);
  int certain = 0;
  for (int board = 0; board < kBoards; ++board) {
    Sharded sharded(4);
    for (int i = 0; i < 60; ++i) {
      sharded.put(fmt::format("b{}p{}", board, i), static_cast<ScoreKey>(i), 0);
    }
    Arena arena;
    std::vector<EngineRow> rows;
    certain += sharded.engine.read_once(10, 0.9, arena, rows) ? 1 : 0;
    CHECK(rows.size() == 10);
    CHECK(sharded.reads.entries <= 4 * each);
  }
  // The result is uncertain if a shard's last row read is among the best nine: its next row might
  // be wanted too.
  const double frequency = static_cast<double>(certain) / kBoards;
  CHECK(std::abs(frequency - (1 - miss_probability(9, 4, each - 1))) < 0.08);
}

TEST_CASE("S1-9e, S1-9f: reads beyond the last row and shards without players work") {
  Sharded sharded(64);
  Arena arena;
  std::vector<EngineRow> rows;
  CHECK(sharded.engine.read_once(10, 0.5, arena, rows));
  sharded.engine.read(0, 10, arena, rows);
  CHECK(rows.empty());
  CHECK(sharded.engine.size() == 0);
  CHECK(!sharded.engine.rank(sharded.player("nobody"), Ranking::dense));
  CHECK(!sharded.engine.position(sharded.player("nobody")));
  for (ScoreKey i = 0; i < 5; ++i) sharded.put(fmt::format("p{}", i), i, 0);
  sharded.engine.read(0, 1000, arena, rows);
  REQUIRE(rows.size() == 5);
  for (ScoreKey i = 0; i < 5; ++i) CHECK(rows[i].score == i);
  rows.clear();
  CHECK(sharded.engine.read_once(1000, 1, arena, rows));
  CHECK(rows.size() == 5);
}

TEST_CASE("a sharded engine is dismantled in bounded steps, and reports its memory until then") {
  for (const std::size_t step : {1U, 7U, 1000U}) {
    Sharded sharded(5);
    const std::size_t empty = sharded.engine.bytes();
    constexpr std::size_t kRows = 20'000;
    for (ScoreKey i = 0; i < kRows; ++i) sharded.put(fmt::format("p{}", i), i, 0);
    CHECK(sharded.engine.bytes() > empty + kRows * 40);
    CHECK(sharded.engine.bytes() < empty + kRows * 100);
    std::size_t steps = 1;
    while (sharded.engine.dismantle(step)) ++steps;
    CHECK(steps >= kRows / step);
    CHECK(steps <= kRows / step * 2 + 10);
    CHECK_FALSE(sharded.engine.dismantle(step));
  }
}

TEST_CASE("the factory makes a sharded engine with the shards of the spec") {
  Players players(HashSecret::fixed(1));
  const std::unique_ptr<Store> store = make_memory_store();
  SpaceNumber last_space = 0;
  EngineReads reads;
  const std::unique_ptr<ScoreEngine> engine = make_score_engine(
      {.engine = EngineKind::sharded, .shards = 7}, {players, *store, last_space, reads});
  const auto* sharded = dynamic_cast<const ShardedEngine*>(engine.get());
  REQUIRE(sharded != nullptr);
  CHECK(sharded->shards() == 7);
  CHECK(engine->fits(0));
  engine->put({"p", kNoPlayer}, {.score = 5});
  CHECK(players.size() == 0);  // shards have their own players
}

}  // namespace laurel
