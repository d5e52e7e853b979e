// oracle.h - a naive leaderboard: a list that is sorted for every query. Tests compare every engine
// with it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "board/spec/spec.h"

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
    std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
      if (a.score != b.score) return (a.score > b.score) == (spec_.order == Order::desc);
      switch (spec_.ties) {
        case Ties::earliest:
          if (a.at != b.at) return a.at < b.at;
          break;
        case Ties::latest:
          if (a.at != b.at) return a.at > b.at;
          break;
        case Ties::player: break;
        case Ties::player_desc: return a.player > b.player;
      }
      return a.player < b.player;
    });
    return lines;
  }

  // The rank of line i of sorted lines.
  static std::uint64_t rank(const std::vector<Line>& lines, std::size_t i, Ranking ranking) {
    std::uint64_t better = 0;
    std::uint64_t not_worse = 0;
    std::uint64_t distinct = 0;
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const bool equal = lines[j].score == lines[i].score;
      if (j < i && !equal) ++better;
      if (j <= i || equal) ++not_worse;
      if (j < i && !equal && lines[j].score != lines[j + 1].score) ++distinct;
    }
    switch (ranking) {
      case Ranking::competition: return better + 1;
      case Ranking::modified: return not_worse;
      case Ranking::dense: return distinct + 1;
      case Ranking::ordinal: break;
    }
    return i + 1;
  }

 private:
  Spec spec_;
  std::vector<Line> lines_;
};

}  // namespace laurel
