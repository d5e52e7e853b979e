// span_tree.h - the ordered players whose sum is constant over one span of buckets.
//
// A counted tree that can be gathered. Its rows have no data: data is stored once a player and not
// once a span, and the reader adds it. The tree holds no references to players: the caller of put()
// must hold the player until the row is erased, or until the tree is only used to free its rows.
#pragma once

#include <cstddef>

#include "engine/engine.h"
#include "engine/rolling/bucket_span.h"
#include "rank/tree/counted_tree.h"

namespace laurel {

class SpanTree final : public EngineView {
 public:
  // `players` outlives the tree.
  SpanTree(BucketSpan span, const Players& players, Ties ties)
      : span_(span), players_(players), tree_(players, ties) {}

  BucketSpan span() const { return span_; }
  const CountedTree& rows() const { return tree_; }
  void put(const Row& row) { tree_.put(row); }
  bool erase(PlayerHandle player) { return tree_.erase(player); }
  // Frees up to `rows` rows from the end; their players may no longer exist. Returns how many it
  // freed.
  std::size_t free_some(std::size_t rows);

  std::size_t size() const override { return tree_.size(); }
  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  std::optional<std::size_t> position(const Player& player) const override;
  std::optional<std::uint64_t> rank(const Player& player, Ranking ranking) const override;
  std::uint64_t rank_of_newcomer(ScoreKey score, Ranking ranking) const override {
    return laurel::rank_of_newcomer(ranking, tree_, score);
  }
  std::size_t count_better(ScoreKey score) const override { return tree_.count_better(score); }
  std::size_t count_not_worse(ScoreKey score) const override {
    return tree_.count_not_worse(score);
  }
  std::size_t distinct_better(ScoreKey score) const override {
    return tree_.distinct_better(score);
  }
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  const CountedTree* in_memory() const override { return &tree_; }
  void show(const Row& row, EngineRow& out) const override;
  bool has_data() const override { return false; }

 private:
  bool holds(const Player& player) const;
  EngineRow shown(const Row& row) const;

  BucketSpan span_;
  const Players& players_;
  CountedTree tree_;
};

}  // namespace laurel
