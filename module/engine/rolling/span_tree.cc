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

EngineRow SpanTree::shown(const Row& row) const {
  return {.player = players_.id(row.player), .score = row.score, .at = row.at, .data = {}};
}

std::optional<EngineRow> SpanTree::find(const Player& player, Arena&) const {
  if (player.handle == kNoPlayer) return std::nullopt;
  const std::optional<Row> row = tree_.find(player.handle);
  if (!row) return std::nullopt;
  return shown(*row);
}

void SpanTree::read(std::size_t first, std::size_t n, Arena&, std::vector<EngineRow>& out) const {
  RowCursor rows = tree_.from(first, n);
  for (; n > 0 && !rows.at_end(); rows.next(), --n)
    out.push_back(shown(tree_.order().row(rows.place())));
}

void SpanTree::show(const Row& row, EngineRow& out) const { out = shown(row); }

}  // namespace laurel
