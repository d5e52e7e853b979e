// oracle.h - a naive leaderboard: a list that is sorted for every query. Tests compare every engine
// with it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "board/spec/spec.h"
#include "naive_order.h"

namespace laurel {

class Oracle {
 public:
  struct Line {
    std::string player;
    double score;
    Time at;
    std::optional<std::string> data;
  };

  explicit Oracle(const Spec& spec) : spec_(spec) {}

  const Line* find(const std::string& player) const {
    for (const Line& line : lines_) {
      if (line.player == player) return &line;
    }
    return nullptr;
  }

  // Applies `keep` to a result; returns whether the entry changed.
  bool submit(const std::string& player, double score, Time at, std::optional<std::string> data,
              bool add) {
    const Line* held = find(player);
    if (held == nullptr) {
      lines_.push_back({player, score, at, std::move(data)});
      return true;
    }
    if (add || spec_.keep == Keep::sum) return hold(player, held->score + score, at, data);
    const bool not_worse = spec_.order == Order::desc ? score >= held->score : score <= held->score;
    const bool takes = spec_.keep == Keep::latest || (spec_.keep == Keep::best && not_worse);
    return takes && hold(player, score, at, data);
  }

  bool hold(const std::string& player, double score, Time at, std::optional<std::string> data) {
    for (Line& line : lines_) {
      if (line.player != player) continue;
      if (line.score == score) {
        const bool changed = data && data != line.data;
        if (data) line.data = data;
        return changed;
      }
      line = {player, score, at, std::move(data)};
      return true;
    }
    lines_.push_back({player, score, at, std::move(data)});
    return true;
  }

  bool erase(const std::string& player) {
    return std::erase_if(lines_, [&](const Line& line) { return line.player == player; }) > 0;
  }

  // Best first.
  std::vector<Line> sorted() const {
    std::vector<Line> lines = lines_;
    naive_sort(lines, spec_);
    return lines;
  }

 private:
  Spec spec_;
  std::vector<Line> lines_;
};

}  // namespace laurel
