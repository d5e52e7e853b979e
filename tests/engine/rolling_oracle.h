// rolling_oracle.h - a naive rolling board: it stores every amount and adds up all of them at every
// read. It is the reference for the engine.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/rolling/rolling_engine.h"
#include "naive_order.h"

namespace laurel {

// Amounts are integers; the addition of other numbers is tested separately.
class RollingOracle {
 public:
  struct Line {
    std::string player;
    std::int64_t score;  // the sum
    Time at;
    std::optional<std::string> data;
  };

  explicit RollingOracle(const EngineSpec& spec) : spec_(spec) {}

  void add(const std::string& player, Bucket running, Bucket bucket, std::int64_t amount, Time at,
           const std::optional<std::string>& data) {
    if (!sum(player, running)) {
      if (amount == 0) return;
      players_[player] = {};
      players_[player].at = at;
    }
    Activity& held = players_[player];
    if (amount != 0) {
      held.amounts[bucket] += amount;
      held.at = std::max(held.at, at);
    }
    if (data) held.data = data;
  }

  bool erase(const std::string& player, Bucket running) {
    const bool counted = sum(player, running).has_value();
    players_.erase(player);
    return counted;
  }
  void erase_all() { players_.clear(); }

  // Removes a player, and can restore the player unchanged.
  struct Activity {
    std::map<Bucket, std::int64_t> amounts;
    Time at = 0;
    std::optional<std::string> data;
  };
  Activity hide(const std::string& player) {
    Activity hidden = players_[player];
    players_.erase(player);
    return hidden;
  }
  void show(const std::string& player, const Activity& hidden) { players_[player] = hidden; }

  // nullopt if no activity counts.
  std::optional<std::int64_t> sum(const std::string& player, Bucket bucket) const {
    const auto found = players_.find(player);
    if (found == players_.end()) return std::nullopt;
    std::optional<std::int64_t> sum;
    for (const auto& [day, amount] : found->second.amounts) {
      if (day > bucket - spec_.window.buckets && day <= bucket) sum = sum.value_or(0) + amount;
    }
    return sum;
  }

  // The board of a bucket, best first.
  std::vector<Line> sorted(Bucket bucket) const {
    std::vector<Line> lines;
    for (const auto& [player, activity] : players_) {
      const std::int64_t listed = sum(player, bucket).value_or(0);
      if (listed > 0) lines.push_back({player, listed, activity.at, activity.data});
    }
    naive_sort(lines, spec_);
    return lines;
  }

 private:
  EngineSpec spec_;
  std::map<std::string, Activity> players_;
};

}  // namespace laurel
