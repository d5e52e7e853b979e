#include "rank/row_search.h"

namespace laurel {

std::uint32_t equals_up_to(const RowsView& rows, std::uint32_t better, const Place& place,
                           const RowOrder& order) {
  std::uint32_t low = better;
  std::uint32_t high = rows.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows.scores[middle] == place.score &&
        order.stands_by(rows.ties[middle], rows.players[middle], place)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace laurel
