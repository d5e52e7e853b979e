// tree_view.h - the part of an engine that one counted tree answers: positions, ranks and counts.
//
// `Base` is EngineView, or an interface that extends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/engine.h"
#include "rank/tree/counted_tree.h"

namespace laurel {

template <typename Base>
class TreeView : public Base {
 public:
  std::size_t size() const override { return tree_.size(); }
  std::optional<std::size_t> position(const Player& player) const override {
    if (!holds(player)) return std::nullopt;
    return tree_.position(player.handle);
  }
  std::optional<Rank> rank(const Player& player, Ranking ranking) const override {
    if (!holds(player)) return std::nullopt;
    return rank_of_row(ranking, tree_, player.handle);
  }
  Rank rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return laurel::rank_of_newcomer(ranking, tree_.ties(), tree_, score);
  }
  std::size_t count_better(ScoreKey score) const override { return tree_.count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return tree_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return tree_.distinct_better(score);
  }
  std::size_t count_between(ScoreKey best, ScoreKey worst) const override {
    return tree_.count_between(best, worst);
  }
  const CountedTree* in_memory() const override { return &tree_; }

 protected:
  // `players` outlives the view.
  TreeView(const Players& players, Ties ties, std::size_t packed_max = kPackedRowsMax)
      : tree_(players, ties, packed_max) {}

  CountedTree tree_;

 private:
  bool holds(const Player& player) const {
    return player.handle != kNoPlayer && tree_.has(player.handle);
  }
};

}  // namespace laurel
