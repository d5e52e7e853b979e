#include "engine/rolling/rolling_view.h"

namespace laurel {

RollingView::RollingView(const WindowSums& sums, const ActivityTable& table,
                         const RollingTrees& trees, const EngineContext& context, Ties ties,
                         Bucket bucket)
    : sums_(sums), table_(table), context_(context), ties_(ties), bucket_(bucket) {
  for (int level = 0; level < trees.levels(); ++level) {
    const SpanTree* tree = trees.tree(span_around(bucket, level));
    if (tree == nullptr) continue;
    trees_[count_] = tree;
    parts_[count_] = tree;
    ++count_;
  }
}

std::optional<Row> RollingView::row_of(const Player& player) const {
  const ActivityRecord* record = table_.find(player.handle);
  if (record == nullptr) return std::nullopt;
  const std::optional<ScoreKey> sum = sums_.sum(record->amounts, bucket_);
  if (!sum || !sums_.positive(*sum)) return std::nullopt;
  return Row{*sum, record->at, record->player};
}

EngineRow RollingView::shown(const Row& row, std::string_view id) const {
  EngineRow shown{id, row.score, row.at, {}};
  if (table_.has_data()) shown.data = table_.find(row.player)->data_view();
  return shown;
}

std::optional<EngineRow> RollingView::find(const Player& player, Arena&) const {
  const std::optional<Row> row = row_of(player);
  if (!row) return std::nullopt;
  return shown(*row, player.id);
}

std::size_t RollingView::position_of(const Row& row) const {
  std::size_t up_to = 0;
  for (std::size_t i = 0; i < count_; ++i) up_to += trees_[i]->rows().count_up_to(row);
  return up_to - 1;  // the row itself
}

std::optional<std::size_t> RollingView::position(const Player& player) const {
  const std::optional<Row> row = row_of(player);
  if (!row) return std::nullopt;
  return position_of(*row);
}

std::optional<Rank> RollingView::rank(const Player& player, Ranking ranking) const {
  const std::optional<Row> row = row_of(player);
  if (!row) return std::nullopt;
  if (ranking == Ranking::ordinal) return position_of(*row) + 1;
  return gather().rank(shown(*row, player.id), ranking);
}

void RollingView::read(std::size_t first, std::size_t n, Arena& arena,
                       std::vector<EngineRow>& out) const {
  std::size_t next = out.size();
  gather().read(first, n, arena, out);
  if (!table_.has_data()) return;
  for (; next < out.size(); ++next) {
    out[next].data = table_.find(context_.players.find(out[next].player))->data_view();
  }
}

}  // namespace laurel
