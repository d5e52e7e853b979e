#include "board/standings/top_snapshot.h"

namespace laurel {

WindowEntry window_entry(const Entry& entry, bool with_data) {
  WindowEntry shown{.player = std::string(entry.player),
                    .name = std::nullopt,
                    .data = std::nullopt,
                    .score = entry.score,
                    .rank = entry.rank,
                    .at = entry.at};
  if (with_data && entry.data) shown.data = std::string(*entry.data);
  return shown;
}

}  // namespace laurel
