#include "board/results/history_slots.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace laurel {

namespace {

// The newest ones without a gap between their numbers: a smaller size may have left others.
void drop_gaps(std::vector<KeptResult>& results) {
  std::ranges::sort(results, {}, &KeptResult::number);
  std::size_t first = results.empty() ? 0 : results.size() - 1;
  while (first > 0 && results[first - 1].number + 1 == results[first].number) --first;
  results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

bool each_in_slots(const Space& space, const VisitSlots& visit) {
  const std::shared_ptr<const Reader> snapshot = space.store().snapshot();
  std::string player;
  std::vector<KeptResult> results;
  const auto show = [&] {
    drop_gaps(results);
    if (!results.empty()) visit(player, results);
    results.clear();
  };
  const std::unique_ptr<Cursor> at = space.cursor(*snapshot);
  for (bool on = at->seek({}); on; on = at->next()) {
    const std::string_view key = at->key();
    const std::optional<ResultRow> row = unpack_result(at->value());
    if (!row || key.size() < 3 || key[key.size() - 2] != '\0') return false;
    if (const std::string_view id = key.substr(0, key.size() - 2); id != player) {
      show();
      player = id;
    }
    results.push_back(kept_result(*row));
  }
  show();
  return true;
}

}  // namespace laurel
