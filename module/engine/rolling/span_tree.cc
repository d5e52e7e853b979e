#include "engine/rolling/span_tree.h"

#include <algorithm>
#include <array>

namespace laurel {

// Removes rows from the end, so that the other rows do not move.
std::size_t SpanTree::free_some(std::size_t rows) {
  std::array<Row, 64> last;
  std::size_t freed = 0;
  while (freed < rows && tree_.size() > 0) {
    const std::size_t n = std::min({rows - freed, last.size(), tree_.size()});
    tree_.read(tree_.size() - n, std::span(last).first(n));
    for (std::size_t i = n; i-- > 0;) tree_.erase(last[i].player);
    freed += n;
  }
  return freed;
}

std::optional<EngineRow> SpanTree::find(const Player& player, Arena&) const {
  if (player.handle == kNoPlayer) return std::nullopt;
  const std::optional<Row> row = tree_.find(player.handle);
  if (!row) return std::nullopt;
  return EngineRow{player.id, row->score, row->at, {}};
}

void SpanTree::read(std::size_t first, std::size_t n, Arena& arena,
                    std::vector<EngineRow>& out) const {
  RowCursor rows = tree_.from(first, n);
  for (; n > 0 && !rows.at_end(); rows.next(), --n) {
    show(tree_.order().row(rows.place()), arena, out.emplace_back());
  }
}

void SpanTree::show(const Row& row, Arena& arena, EngineRow& out) const {
  out = {players_.id(row.player, arena), row.score, row.at, {}};
}

}  // namespace laurel
