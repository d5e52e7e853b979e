// naive_places.h - checks the reads that begin at a place in the order (standings_places.cc) by
// their definition, for all positions and for random shares and scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "board/standings/standings.h"
#include "naive_order.h"

namespace laurel {

// A board's entries, best first.
struct NaiveLine {
  std::string player;
  double score = 0;
};

class NaivePlaces {
 public:
  NaivePlaces(std::vector<NaiveLine> lines, Order order, Ties ties, Ranking ranking)
      : lines_(std::move(lines)), order_(order), ties_(ties), ranking_(ranking) {
    for (std::size_t i = 0; i < lines_.size(); ++i) percentiles_.push_back(percentile(i));
  }

  void compare(const Standings& board, std::mt19937_64& random) const {
    compare_scores(board);
    for (const double p : shares(random)) {
      CAPTURE(p);
      REQUIRE(*board.score_at_percentile(p) == score_at_percentile(p));
      Entries first;
      REQUIRE(board.top_percent(p, SIZE_MAX, first));
      REQUIRE(players(first) == players(0, first_percent(p)));
    }
    for (int i = 0; i < 4; ++i) {
      const double score = near_a_score(random);
      const std::size_t n = i == 0 ? SIZE_MAX : random() % 6;
      CAPTURE(score);
      CAPTURE(n);
      Entries around;
      const auto rank = board.around_score(score, n, around);
      REQUIRE(*rank == rank_of_newcomer(score));
      REQUIRE(*board.rank_of(score) == *rank);
      REQUIRE(players(around) == around_score(score, n));
    }
  }

 private:
  using Players = std::vector<std::string>;

  void compare_scores(const Standings& board) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      REQUIRE(board.score_at(i) == lines_[i].score);
      REQUIRE(*board.percentile(lines_[i].player) == percentiles_[i]);
    }
    REQUIRE_FALSE(board.score_at(lines_.size()));
    REQUIRE_FALSE(board.score_at(SIZE_MAX));
  }

  double percentile(std::size_t i) const {
    std::size_t worse = 0;
    for (std::size_t j = 0; j < lines_.size(); ++j) {
      worse += ranking_ == Ranking::ordinal ? j > i : is_better(lines_[i].score, lines_[j].score);
    }
    return 100.0 * static_cast<double>(worse) / static_cast<double>(lines_.size());
  }

  std::optional<double> score_at_percentile(double p) const {
    for (std::size_t i = lines_.size(); i > 0; --i) {
      if (percentiles_[i - 1] >= p) return lines_[i - 1].score;
    }
    return std::nullopt;
  }

  std::size_t first_percent(double p) const {
    if (p <= 0) return 0;
    const double count = std::ceil(static_cast<double>(lines_.size()) * std::min(p, 100.0) / 100);
    return std::min(lines_.size(), std::max<std::size_t>(1, static_cast<std::size_t>(count)));
  }

  std::size_t place(double score) const {
    std::size_t before = 0;
    for (const NaiveLine& line : lines_) {
      before += is_better(line.score, score) || (line.score == score && ties_ != Ties::latest);
    }
    return before;
  }

  Rank rank_of_newcomer(double score) const {
    std::vector<NaiveLine> with_newcomer = lines_;
    const std::size_t at = place(score);
    with_newcomer.insert(with_newcomer.begin() + static_cast<std::ptrdiff_t>(at), {"", score});
    return naive_rank(with_newcomer, at, ranking_);
  }

  // Moves the range position by position until it is on the board.
  Players around_score(double score, std::size_t n) const {
    n = std::min(n, lines_.size());
    auto first = static_cast<std::ptrdiff_t>(place(score)) - static_cast<std::ptrdiff_t>(n);
    auto end = first + 2 * static_cast<std::ptrdiff_t>(n);
    const auto size = static_cast<std::ptrdiff_t>(lines_.size());
    for (; first < 0; ++first) ++end;
    for (; end > size; --end) --first;
    first = std::max<std::ptrdiff_t>(first, 0);
    return players(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  }

  bool is_better(double a, double b) const { return order_ == Order::desc ? a > b : a < b; }

  Players players(std::size_t first, std::size_t n) const {
    Players list;
    for (std::size_t i = first; i < first + n; ++i) list.push_back(lines_[i].player);
    return list;
  }
  static Players players(const Entries& entries) {
    Players list;
    for (const Entry& entry : entries) list.emplace_back(entry.player);
    return list;
  }

  // Percentages at, below and above those of entries, among others.
  std::vector<double> shares(std::mt19937_64& random) const {
    std::vector<double> list = {-INFINITY, -1, 0, 1e-300, 50, 100, 100.5, INFINITY};
    for (int i = 0; i < 4 && !lines_.empty(); ++i) {
      const double p = percentiles_[random() % lines_.size()];
      list.insert(list.end(), {p, std::nextafter(p, -1.0), std::nextafter(p, 101.0)});
    }
    list.push_back(static_cast<double>(random() % 1000) / 10);
    return list;
  }

  double near_a_score(std::mt19937_64& random) const {
    if (lines_.empty()) return 1;
    return lines_[random() % lines_.size()].score + static_cast<double>(random() % 3) - 1;
  }

  std::vector<NaiveLine> lines_;
  Order order_;
  Ties ties_;
  Ranking ranking_;
  std::vector<double> percentiles_;
};

}  // namespace laurel
