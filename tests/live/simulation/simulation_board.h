// simulation_board.h - a board that changes at random, as the game thread would post it.
//
//   threads  none. The same seed and calls give the same board.
//   cost     play: O(players) a change; windows O(their entries).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "live/simulation/simulation_history.h"
#include "live/snapshots.h"

namespace laurel::test {

class SimulatedBoard {
 public:
  struct Shape {
    std::size_t top = 20;         // entries published
    std::size_t players = 40;     // maximum number of players on the board
    std::size_t data_bytes = 8;   // maximum per entry: long data does not fit into a datagram
    std::size_t changes_max = 5;  // in one step
  };

  SimulatedBoard(std::string name, Shape shape, std::uint64_t seed)
      : name_(std::move(name)), shape_(shape), random_(seed), epoch_(random_() | 1) {}

  const std::string& name() const { return name_; }
  const Shape& shape() const { return shape_; }

  // A random number of score changes, possibly none.
  void play() {
    for (std::size_t changes = below(shape_.changes_max + 1); changes > 0; --changes) change();
    if (below(50) == 0) mark();
    ++version_;
  }
  // Changes the name and data of a player: what is shown changes, the version does not.
  void rename() {
    if (rows_.empty()) return;
    WindowEntry& row = rows_[below(std::min(rows_.size(), shape_.top))];
    row.name = fmt::format("n{}", below(1000));
    row.data = below(3) == 0 ? std::nullopt : std::optional(some_data());
  }
  // Starts again under another epoch.
  void reset() {
    rows_.clear();
    version_ = below(2) == 0 ? 0 : version_;
    epoch_ = random_() | 1;
    marked_.clear();
  }

  // The current top.
  WindowPtr window() const {
    auto window = std::make_shared<Window>();
    window->epoch = epoch_;
    window->version = version_;
    window->size = rows_.size();
    window->entries.assign(rows_.begin(), rows_.begin() + std::min(shape_.top, rows_.size()));
    return window;
  }

  // The player with n entries above and n below, more if one side ends. Empty if the player is not
  // ranked.
  WindowPtr window_around(const std::string& player, std::size_t n) const {
    auto window = std::make_shared<Window>();
    window->epoch = epoch_;
    window->version = version_;
    window->size = rows_.size();
    const auto at = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const WindowEntry& row) { return row.player == player; });
    if (at == rows_.end()) return window;
    const auto index = static_cast<std::size_t>(at - rows_.begin());
    const std::size_t count = std::min(2 * n + 1, rows_.size());
    const std::size_t from = std::min(index - std::min(index, n), rows_.size() - count);
    window->entries.assign(rows_.begin() + from, rows_.begin() + from + count);
    return window;
  }

  // The history of its posted tops.
  History& history() { return history_; }
  const History& history() const { return history_; }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  double score() { return static_cast<double>(below(30)) * 0.5 - 5; }  // few values: many ties
  std::string some_data() { return std::string(below(shape_.data_bytes + 1), 'd'); }

  void change() {
    const std::string player = player_id(below(shape_.players));
    const auto at = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const WindowEntry& row) { return row.player == player; });
    WindowEntry row = at == rows_.end() ? entry(player, 0, 1) : *at;
    if (at != rows_.end()) rows_.erase(at);
    if (below(6) == 0) return number();
    row.score = score();
    row.at = static_cast<Time>(++moments_);
    if (shape_.data_bytes > 0 && below(2) == 0) row.data = some_data();
    const auto behind = std::find_if(rows_.begin(), rows_.end(), [&](const WindowEntry& other) {
      return other.score < row.score;
    });
    rows_.insert(behind, std::move(row));
    number();
  }

  void number() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const bool tied = i > 0 && rows_[i].score == rows_[i - 1].score;
      rows_[i].rank = tied ? rows_[i - 1].rank : i + 1;
      const auto was = marked_.find(rows_[i].player);
      rows_[i].rank_change.reset();
      if (was == marked_.end()) continue;
      rows_[i].rank_change = static_cast<double>(was->second) - static_cast<double>(rows_[i].rank);
    }
  }
  void mark() {
    marked_.clear();
    for (const WindowEntry& row : rows_) marked_.emplace(row.player, row.rank);
    number();
  }

  std::string name_;
  Shape shape_;
  std::mt19937_64 random_;
  std::uint64_t epoch_;
  std::uint64_t version_ = 0;
  std::uint64_t moments_ = 0;
  std::map<std::string, Rank> marked_;  // ranks at the last mark
  std::vector<WindowEntry> rows_;       // best first
  History history_;
};

}  // namespace laurel::test
