// paged_twins.h - a paged and a ranked board that get the same changes and must always agree.
#pragma once

#include "engine/ranked/ranked_engine.h"
#include "naive_order.h"
#include "paged_fixture.h"

namespace laurel {

class Twins {
 public:
  Twins(const PagedSizes& sizes, Ties ties, bool durable = false)
      : board(sizes, ties, durable), ranked(board.players, ties) {}

  void put(std::string_view id, ScoreKey score, Time at, std::optional<std::string_view> data) {
    board.put(id, score, at, data);
    ranked.put(player(id), {.player = id, .score = score, .at = at, .data = data});
  }
  void erase(std::string_view id) {
    REQUIRE(board.engine->erase({id}) == ranked.erase(player(id)));
  }

  void compare_page(std::size_t first, std::size_t n) const {
    CAPTURE(first);
    CAPTURE(n);
    REQUIRE(rows_of(*board.engine, first, n) == rows_of(ranked, first, n));
  }

  // Compares all answers, for each row and around each edge.
  void compare_all() const {
    const std::vector<KeptRow> rows = rows_of(ranked);
    REQUIRE(board.engine->size() == rows.size());
    REQUIRE(rows_of(*board.engine) == rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(i);
      compare_player(rows[i], i);
      compare_counts(rows[i].score);
      compare_counts(rows[i].score - 1);
      compare_counts(rows[i].score + 1);
    }
    compare_counts(0);
    compare_counts(UINT64_MAX);
    const PagedLayout layout = board.engine->layout();
    REQUIRE(layout.lowest.has_value() == !rows.empty());
    if (layout.lowest) REQUIRE(*layout.lowest == rows.back().score);
  }

  void compare_player(const KeptRow& row, std::size_t position) const {
    Arena arena;
    REQUIRE(kept(*board.engine->find({row.player}, arena)) == row);
    REQUIRE(board.engine->position({row.player}) == position);
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(board.engine->rank({row.player}, ranking) ==
              ranked.rank(player(row.player), ranking));
    }
  }

  void compare_counts(ScoreKey score) const {
    REQUIRE(board.engine->count_better(score) == ranked.count_better(score));
    REQUIRE(board.engine->count_not_worse(score) == ranked.count_not_worse(score));
    REQUIRE(board.engine->distinct_better(score) == ranked.distinct_better(score));
    for (const Ranking ranking : kEveryRanking) {
      REQUIRE(board.engine->rank_of_newcomer(score, ranking) ==
              ranked.rank_of_newcomer(score, ranking));
    }
  }

  Player player(std::string_view id) const { return {id, board.players.find(id)}; }

  PagedBoard board;
  RankedEngine ranked;
};

// Ids that are easily confused: common prefixes, all bytes, the longest.
inline std::string tricky_id(std::uint64_t number) {
  switch (number % 4) {
    case 0: return fmt::format("p{}", number);
    case 1: return fmt::format("{}{}", std::string(number % 40 + 1, 'a'), number);
    case 2:
      return fmt::format("{}{}", std::string(kPlayerBytesMax - 8, '\xff'), 10'000'000 + number);
    default: return fmt::format("{}{}", static_cast<char>(number % 255 + 1), number);
  }
}

}  // namespace laurel
