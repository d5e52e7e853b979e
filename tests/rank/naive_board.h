// naive_board.h - the oracle: a sorted vector with the slow and obvious algorithms.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "naive_order.h"
#include "rank/tree/ranking.h"

namespace laurel {

struct NaiveRow {
  ScoreKey score = 0;
  Time at = 0;
  std::string id;
  PlayerHandle player = kNoPlayer;
};

class NaiveBoard {
 public:
  explicit NaiveBoard(Ties ties) : ties_(ties) {}

  std::vector<NaiveRow> rows;  // in order

  bool before(const NaiveRow& a, const NaiveRow& b) const {
    if (a.score != b.score) return a.score < b.score;
    if (ties_ == Ties::earliest && a.at != b.at) return a.at < b.at;
    if (ties_ == Ties::latest && a.at != b.at) return a.at > b.at;
    return ties_ == Ties::player_desc ? bytes_before(b.id, a.id) : bytes_before(a.id, b.id);
  }

  bool erase(PlayerHandle player) {
    return std::erase_if(rows, [&](const NaiveRow& row) { return row.player == player; }) > 0;
  }
  bool put(const NaiveRow& row) {
    const bool is_new = !erase(row.player);
    const auto where = std::find_if(rows.begin(), rows.end(),
                                    [&](const NaiveRow& other) { return before(row, other); });
    rows.insert(where, row);
    return is_new;
  }

  std::size_t count_up_to(const NaiveRow& place) const {
    return count([&](const NaiveRow& row) { return !before(place, row); });
  }
  std::size_t count_better(ScoreKey score) const {
    return count([&](const NaiveRow& row) { return row.score < score; });
  }
  std::size_t count_not_worse(ScoreKey score) const {
    return count([&](const NaiveRow& row) { return row.score <= score; });
  }
  std::size_t distinct_better(ScoreKey score) const {
    std::vector<ScoreKey> better;
    for (const NaiveRow& row : rows) {
      if (row.score < score) better.push_back(row.score);
    }
    better.erase(std::unique(better.begin(), better.end()), better.end());
    return better.size();
  }

  Rank rank(std::size_t position, Ranking ranking) const {
    return naive_rank(rows, position, ranking);
  }

 private:
  static bool bytes_before(const std::string& a, const std::string& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      return static_cast<unsigned char>(x) < static_cast<unsigned char>(y);
    });
  }
  template <typename Predicate>
  std::size_t count(Predicate predicate) const {
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), predicate));
  }

  Ties ties_;
};

}  // namespace laurel
