// rolling_view.h - the board of a rolling window in one bucket: the running one, or a future one if
// nothing more happens.
//
// A bucket is in one span of each level, and a listed player is in one of these spans: the order is
// a gather of at most kSpanLevelsMax trees.
//
//   valid  until the engine's next change; all that the view refers to outlives it.
//   cost   n players, k amounts a player, L = log2 of the window's buckets. A player's sum O(k);
//          counts, positions and ranks O(L log n) in addition, but dense ranks O(distinct scores
//          above) if several trees have players; pages by a merge of at most L trees.
#pragma once

#include <array>
#include <span>

#include "engine/gather/gather.h"
#include "engine/rolling/activity_table.h"
#include "engine/rolling/rolling_trees.h"

namespace laurel {

class RollingView final : public EngineView {
 public:
  RollingView(const WindowSums& sums, const ActivityTable& table, const RollingTrees& trees,
              const EngineContext& context, Ties ties, Bucket bucket);

  std::size_t size() const override { return gather().size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override;
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return gather().rank_of_newcomer(score, ranking);
  }
  std::size_t count_better(ScoreKey score) const override { return gather().count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return gather().count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return gather().distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;

 private:
  Gather gather() const { return {std::span(parts_).first(count_), ties_, context_.reads}; }
  // The player's row, if any; it is computed from the amounts and not read from a tree.
  std::optional<Row> row_of(const Player& player) const;
  std::size_t position_of(const Row& row) const;
  EngineRow shown(const Row& row, std::string_view id) const;

  const WindowSums& sums_;
  const ActivityTable& table_;
  const EngineContext& context_;
  Ties ties_;
  Bucket bucket_;
  std::size_t count_ = 0;  // trees around the bucket that have players
  std::array<const SpanTree*, kSpanLevelsMax> trees_;
  std::array<const EngineView*, kSpanLevelsMax> parts_;  // the same trees, as the gather takes them
};

}  // namespace laurel
