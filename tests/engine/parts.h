// parts.h - several orders with disjoint players, and one naive order of all of them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/gather/gather.h"
#include "engine/ranked/ranked_engine.h"
#include "naive_order.h"
#include "rank/naive_board.h"

namespace laurel {

inline constexpr Ties kAllTies[] = {Ties::earliest, Ties::latest, Ties::player, Ties::player_desc};
inline bool same(const EngineRow& row, const NaiveRow& expected) {
  return row.player == expected.id && row.score == expected.score && row.at == expected.at;
}

// Players p0, p1, ...; each stays in the part of its first row.
class Parts {
 public:
  Parts(std::size_t parts, Ties ties) : naive(ties), ties_(ties) {
    for (std::size_t i = 0; i < parts; ++i) {
      players_.push_back(std::make_unique<Players>(HashSecret::fixed(i)));
      engines_.push_back(std::make_unique<RankedEngine>(*players_.back(), ties));
      views.push_back(engines_.back().get());
    }
  }

  void put(std::size_t part, PlayerHandle number, ScoreKey score, Time at) {
    naive.put(put_unsorted(part, number, score, at));
  }
  // Adds each player once: row(i) is the part and the score of player i.
  template <typename Deal>
  void deal(PlayerHandle players, Deal row) {
    for (PlayerHandle i = 0; i < players; ++i) {
      const auto [part, score] = row(i);
      naive.rows.push_back(put_unsorted(part, i, score, 0));
    }
    std::sort(naive.rows.begin(), naive.rows.end(),
              [this](const NaiveRow& a, const NaiveRow& b) { return naive.before(a, b); });
  }

  Gather gather() { return Gather(views, ties_, reads); }

  // Reads the rows again, with the counters reset.
  std::vector<EngineRow> read(std::size_t first, std::size_t n) {
    reads = {};
    std::vector<EngineRow> rows;
    gather().read(first, n, arena_, rows);
    return rows;
  }

  void compare_page(std::size_t first, std::size_t n) {
    CAPTURE(first);
    CAPTURE(n);
    compare(read(first, n), first, n);
  }

  void compare(const std::vector<EngineRow>& rows, std::size_t first, std::size_t n) const {
    const std::size_t size = naive.rows.size();
    REQUIRE(rows.size() == (first >= size ? 0 : std::min(n, size - first)));
    for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(same(rows[i], naive.rows[first + i]));
  }

  NaiveBoard naive;
  std::vector<const EngineView*> views;
  EngineReads reads;

 private:
  NaiveRow put_unsorted(std::size_t part, PlayerHandle number, ScoreKey score, Time at) {
    const std::string id = fmt::format("p{}", number);
    engines_[part]->put({id, players_[part]->find(id)}, {.score = score, .at = at});
    return {score, at, id, number};
  }

  Ties ties_;
  std::vector<std::unique_ptr<Players>> players_;
  std::vector<std::unique_ptr<RankedEngine>> engines_;
  Arena arena_;
};

}  // namespace laurel
