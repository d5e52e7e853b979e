#include "rank/row_search.h"

namespace laurel {

std::uint32_t equals_up_to(const RowsView& rows, std::uint32_t better, const Place& place,
                           const RowOrder& order) {
  return equals_up_to(rows, better, rows.count, place, order);
}

}  // namespace laurel
