// Loads a rolling board from its stored rows.

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "engine/rolling/rolling_engine.h"

namespace laurel {

namespace {

struct Kept {
  std::string player;
  Time at = 0;
  std::vector<Amount> amounts;
  std::optional<std::string> data;
};

}  // namespace

// Checks that sums of these amounts may be computed: bytes written by another program may hold any
// values.
bool RollingEngine::is_sound(std::span<const Amount> amounts) const {
  const Bucket first = amounts.front().bucket;
  const Bucket last = amounts.back().bucket;
  return first >= bucket_of(std::numeric_limits<Time>::min()) &&
         last <= bucket_of(std::numeric_limits<Time>::max()) && last - first < window_.buckets &&
         sums_.in_range(amounts);
}

void RollingEngine::load(const LoadProgress& progress) {
  if (!rows_.keeps()) return;
  assert(started_ && table_->size() == 0 && "rows are loaded once the clock is known");
  std::vector<Kept> rows;
  std::vector<std::string> void_rows;  // of players of whom nothing is held from now on
  std::size_t seen = 0;
  rows_.each([&](std::string_view player, std::optional<PackedActivity> activity) {
    if (++seen % RollingEngine::kRowsPerProgress == 0) progress(RollingEngine::kRowsPerProgress);
    if (!activity) {
      void_rows.emplace_back(player);
    } else if (is_sound(activity->amounts)) {
      Kept& row = rows.emplace_back(
          Kept{std::string(player), activity->at, std::move(activity->amounts), std::nullopt});
      if (activity->data) row.data = *activity->data;
    }
  });
  // Restore in the order in which activity would have come, which is the order of the table's list.
  std::vector<std::pair<Bucket, std::size_t>> order;  // the newest bucket of a row, and its place
  order.reserve(rows.size());
  for (const Kept& row : rows) order.emplace_back(row.amounts.back().bucket, order.size());
  std::sort(order.begin(), order.end());
  // The clock may be behind the last activity, as in a running engine.
  const Bucket newest = order.empty() ? running_ : order.back().first;
  const bool ahead = newest > running_;
  const bool too_far = ahead && newest - running_ > window_.buckets;
  if (ahead && !too_far) turn_to(newest);
  for (const auto& [bucket, place] : order) {
    Kept& row = rows[place];
    if (too_far || sums_.counting(row.amounts, running_).empty()) {
      void_rows.push_back(std::move(row.player));
    } else {
      restore({row.player, context_.players.find(row.player)}, row.at, row.amounts, row.data);
    }
  }
  for (const std::string& player : void_rows) rows_.erase(player);
  progress(seen % RollingEngine::kRowsPerProgress);
}

}  // namespace laurel
