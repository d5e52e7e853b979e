#include "engine/gather/selection.h"

#include <cassert>
#include <vector>

#include "engine/gather/position_search.h"
#include "engine/gather/row_merge.h"

namespace laurel {

namespace {

EngineRow row_at(const EngineView& part, std::size_t position, EngineReads& reads, Arena& arena,
                 std::vector<EngineRow>& rows) {
  rows.clear();
  part.read(position, 1, arena, rows);
  assert(rows.size() == 1 && "a part has fewer rows than it says");
  ++reads.entries;
  return rows.front();
}

}  // namespace

std::size_t rows_before(const EngineView& part, const EngineRow& row, Ties ties,
                        EngineReads& reads) {
  std::size_t low = part.count_better(row.score);
  std::size_t high = part.count_not_worse(row.score);
  if (low == high) return low;
  Arena arena;
  std::vector<EngineRow> rows;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (stands_before(row_at(part, middle, reads, arena, rows), row, ties)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t approach(std::span<const EngineView* const> parts, std::size_t position, Ties ties,
                     EngineReads& reads, std::vector<std::size_t>& starts) {
  starts.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) starts[i] = parts[i]->size();
  const auto before = [ties](const EngineRow& a, const EngineRow& b) {
    return stands_before(a, b, ties);
  };
  PositionSearch<EngineRow, decltype(before)> search(starts, position, before);
  Arena arena;
  std::vector<EngineRow> rows;
  while (search.next()) {
    for (const auto& [part, at] : search.questions()) {
      search.accept(part, row_at(*parts[part], at, reads, arena, rows));
    }
    const EngineRow& pivot = *search.pivot();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      starts[i] = rows_before(*parts[i], pivot, ties, reads);
    }
    search.narrow(starts);
  }
  starts = search.starts();
  return search.gap();
}

}  // namespace laurel
