// span_tree.h - the ordered players whose sum is constant over one span of buckets.
//
// A counted tree that can be gathered. Its rows have no data: data is stored once a player and not
// once a span, and the reader adds it. The tree holds no references to players: the caller of put()
// must hold the player until the row is erased, or until the tree is only used to free its rows.
#pragma once

#include <cstddef>

#include "engine/rolling/bucket_span.h"
#include "engine/tree_view.h"

namespace laurel {

class SpanTree final : public TreeView<EngineView> {
 public:
  // `players` outlives the tree.
  SpanTree(BucketSpan span, const Players& players, Ties ties)
      : TreeView(players, ties), span_(span), players_(players) {}

  BucketSpan span() const { return span_; }
  const CountedTree& rows() const { return tree_; }
  void put(const Row& row) { tree_.put(row); }
  bool erase(PlayerHandle player) { return tree_.erase(player); }
  // Frees up to `rows` rows from the end; their players may no longer exist. Returns how many it
  // freed.
  std::size_t free_some(std::size_t rows);

  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override;
  void show(const Row& row, Arena& arena, EngineRow& out) const override;
  bool has_data() const override { return false; }

 private:
  BucketSpan span_;
  const Players& players_;
};

}  // namespace laurel
