// engine_fixture.h - the environment of an engine under test, and comparisons of two engines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine/engine.h"
#include "naive_order.h"
#include "store/memory_store.h"

namespace laurel {

struct Ground {
  Players players{HashSecret::fixed(1)};
  std::unique_ptr<Store> store = make_memory_store();
  SpaceNumber last_space = 0;
  EngineReads reads;

  EngineContext context() { return {players, *store, last_space, reads}; }
  Player player(std::string_view id) const { return {id, players.find(id)}; }
};

// The players of an order, best first.
inline std::vector<std::string> ids(const EngineView& engine, std::size_t first = 0,
                                    std::size_t n = SIZE_MAX) {
  Arena arena;
  std::vector<EngineRow> rows;
  engine.read(first, n, arena, rows);
  std::vector<std::string> list;
  for (const EngineRow& row : rows) list.emplace_back(row.player);
  return list;
}

inline void require_same(const EngineRow& row, const EngineRow& expected) {
  REQUIRE(row.player == expected.player);
  REQUIRE(row.score == expected.score);
  REQUIRE(row.at == expected.at);
  REQUIRE(row.data == expected.data);
}

inline void require_same_page(const EngineView& engine, const EngineView& oracle, std::size_t first,
                              std::size_t n) {
  CAPTURE(first);
  CAPTURE(n);
  Arena arena;
  std::vector<EngineRow> page;
  std::vector<EngineRow> expected;
  engine.read(first, n, arena, page);
  oracle.read(first, n, arena, expected);
  REQUIRE(page.size() == expected.size());
  for (std::size_t i = 0; i < page.size(); ++i) require_same(page[i], expected[i]);
}

inline void require_same_counts(const EngineView& engine, const EngineView& oracle,
                                ScoreKey score) {
  CAPTURE(score);
  REQUIRE(engine.count_better(score) == oracle.count_better(score));
  REQUIRE(engine.count_not_worse(score) == oracle.count_not_worse(score));
  REQUIRE(engine.distinct_better(score) == oracle.distinct_better(score));
  for (const Ranking ranking : kEveryRanking) {
    REQUIRE(engine.rank_of_newcomer(score, ranking) == oracle.rank_of_newcomer(score, ranking));
  }
}

// Compares all answers, for each row and around each edge.
inline void require_same_answers(const Ground& ground, const EngineView& engine,
                                 const EngineView& oracle) {
  REQUIRE(engine.size() == oracle.size());
  require_same_page(engine, oracle, 0, SIZE_MAX);
  Arena arena;
  std::vector<EngineRow> rows;
  oracle.read(0, SIZE_MAX, arena, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const Player player = ground.player(rows[i].player);
    require_same(engine.find(player, arena).value(), rows[i]);
    REQUIRE(engine.position(player) == i);
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(engine.rank(player, ranking) == oracle.rank(player, ranking));
    }
    for (const ScoreKey score : {rows[i].score - 1, rows[i].score, rows[i].score + 1}) {
      require_same_counts(engine, oracle, score);
    }
    require_same_page(engine, oracle, i, 1 + i % 4);
  }
  for (const ScoreKey score : {ScoreKey{0}, ~ScoreKey{0}}) {
    require_same_counts(engine, oracle, score);
  }
}

}  // namespace laurel
