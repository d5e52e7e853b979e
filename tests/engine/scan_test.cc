// Scans of all engines: a scan that continues from a stored place gives each row once, also across
// restarts.
#include <map>
#include <memory>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/engine_factory.h"
#include "engine_fixture.h"
#include "rolling_fixture.h"
#include "store/kept_store.h"

namespace laurel {

namespace {

std::vector<EngineSpec> specs() {
  std::vector<EngineSpec> all;
  const auto add = [&](EngineKind engine, EngineKind of = EngineKind::ranked) {
    for (const Order order : {Order::desc, Order::asc}) {
      EngineSpec spec{.engine = engine, .order = order};
      spec.of = of;
      spec.shards = 3;
      spec.cap = 15;
      spec.reserve = 9;
      spec.ties = order == Order::desc ? Ties::earliest : Ties::player_desc;
      spec.decimals = 0;
      all.push_back(spec);
    }
  };
  add(EngineKind::ranked);
  add(EngineKind::capped);
  add(EngineKind::padded);
  add(EngineKind::paged);
  add(EngineKind::sharded);
  add(EngineKind::sharded, EngineKind::padded);
  add(EngineKind::sharded, EngineKind::paged);
  return all;
}

std::string shown(const EngineRow& row) {
  return fmt::format("{} {} at {} '{}'", row.player, row.score, row.at, row.data.value_or("none"));
}

using Shown = std::map<std::string, std::string>;  // by player

// Adds the rows, none of which may have been seen before.
void take(const std::vector<EngineRow>& rows, Shown& seen) {
  for (const EngineRow& row : rows) REQUIRE(seen.emplace(row.player, shown(row)).second);
}

Shown listed(const EngineView& engine) {
  Arena arena;
  std::vector<EngineRow> rows;
  engine.read(0, SIZE_MAX, arena, rows);
  Shown all;
  take(rows, all);
  return all;
}

// An engine on a store that outlives it.
struct ScannedBoard {
  explicit ScannedBoard(const EngineSpec& spec_in) : spec(spec_in) {
    ground->store = std::make_unique<KeptStore>();
    engine = make_score_engine(spec, ground->context(), 1);
  }

  void reopen() {
    engine->write_back();
    engine.reset();
    auto next = std::make_unique<Ground>();
    next->store = std::move(ground->store);
    ground = std::move(next);
    engine = make_score_engine(spec, ground->context(), 1);
    engine->load([](std::size_t) {});
  }

  EngineSpec spec;
  std::unique_ptr<Ground> ground = std::make_unique<Ground>();
  std::unique_ptr<ScoreEngine> engine;
};

}  // namespace

TEST_CASE("a scan continued from stored places gives each row once, also across restarts") {
  for (const EngineSpec& spec : specs()) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(static_cast<int>(spec.engine));
      CAPTURE(static_cast<int>(spec.of));
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      ScannedBoard board(spec);
      const ScoreForm form(spec.order, spec.decimals);
      const std::uint64_t players = 1 + random() % 60;
      for (std::uint64_t i = 0; i < 3 * players; ++i) {
        const std::string id = fmt::format("p{}#", random() % players);
        const std::string data = fmt::format("d{}", random() % 5);
        EngineRow row{.player = id,
                      .score = *form.key(static_cast<double>(random() % 8)),
                      .at = static_cast<Time>(random() % 6) - 3};
        if (random() % 2 == 0) row.data = data;
        if (random() % 5 == 0) {
          board.engine->erase(board.ground->player(id));
        } else {
          board.engine->put(board.ground->player(id), row);
        }
      }
      const Shown all = listed(*board.engine);
      Shown seen;
      std::string place;
      for (bool more = true; more;) {
        const std::size_t n = 1 + random() % 9;
        Arena arena;
        std::vector<EngineRow> rows;
        board.engine->scan(place, n, arena, rows);
        REQUIRE(rows.size() <= n);
        more = rows.size() == n;
        take(rows, seen);
        if (random() % 4 == 0) board.reopen();
      }
      REQUIRE(seen == all);
      Arena arena;
      std::vector<EngineRow> rows;
      board.engine->scan(place, 5, arena, rows);
      REQUIRE(rows.empty());
    }
  }
}

TEST_CASE("a scan appends to existing rows, and does not move its place if n is 0") {
  for (const EngineSpec& spec : specs()) {
    CAPTURE(static_cast<int>(spec.engine));
    CAPTURE(static_cast<int>(spec.of));
    ScannedBoard board(spec);
    const ScoreForm form(spec.order, spec.decimals);
    for (const char* id : {"a", "b", "c"}) {
      board.engine->put(board.ground->player(id), {.score = *form.key(1), .at = 5});
    }
    Arena arena;
    std::vector<EngineRow> rows;
    std::string place;
    board.engine->scan(place, 2, arena, rows);
    board.engine->scan(place, 0, arena, rows);
    CHECK(rows.size() == 2);
    board.engine->scan(place, 9, arena, rows);
    Shown seen;
    take(rows, seen);
    CHECK(seen == listed(*board.engine));
  }
}

TEST_CASE("a padded board's scan continues after an erased row and misses none") {
  ScannedBoard board({.engine = EngineKind::padded, .decimals = 0});
  const ScoreForm form(Order::desc, 0);
  for (int i = 0; i < 10; ++i) {
    board.engine->put(board.ground->player(fmt::format("p{}", i)),
                      {.score = *form.key(i), .at = 0});
  }
  Arena arena;
  std::vector<EngineRow> rows;
  std::string place;
  board.engine->scan(place, 4, arena, rows);
  board.engine->erase(board.ground->player(rows.back().player));
  board.engine->erase(board.ground->player(rows.front().player));
  board.engine->scan(place, 10, arena, rows);
  Shown seen;
  take(rows, seen);
  CHECK(seen.size() == 10);
}

TEST_CASE("a rolling board's scan gives the listed players with their sums") {
  Rolling board(7);
  for (int i = 0; i < 30; ++i) {
    board.add(fmt::format("p{}", i % 13), board.engine.running() - i % 5, i % 4);
  }
  Shown seen;
  std::string place;
  for (bool more = true; more;) {
    Arena arena;
    std::vector<EngineRow> rows;
    board.engine.scan(place, 4, arena, rows);
    more = rows.size() == 4;
    take(rows, seen);
  }
  CHECK(seen.size() > 4);
  CHECK(seen == listed(board.engine));
}

}  // namespace laurel
