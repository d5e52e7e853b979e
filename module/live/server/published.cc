#include "live/server/published.h"

#include <algorithm>
#include <string>
#include <utility>

#include "board/board_window.h"

namespace laurel {

std::shared_ptr<Window> Published::top(const Board& local) const {
  return top_window(local, segment, options.top,
                    {.data = options.data, .rank_changes = options.changes});
}

std::shared_ptr<Window> Published::around(const Board& local, const Around& around) const {
  return window_around(local, segment, around.player, around.n,
                       {.data = options.data, .rank_changes = options.changes});
}

void Published::trim(Window& window) const {
  if (!options.data) {
    for (WindowEntry& entry : window.entries) entry.data.reset();
  }
  // Another server may have changed the spec, which this one hears of after the entries.
  window.half_ranks = (spec && spec->ranking == Ranking::fractional) ||
                      !std::all_of(window.entries.begin(), window.entries.end(),
                                   [](const WindowEntry& entry) { return entry.rank.is_whole(); });
}

namespace {

// When results end: with the season's duration, or at the board's `closes`, which may come first.
std::optional<Time> closes_at(const Board& board) {
  const std::optional<Time> by_season = board.closes_at();
  return by_season ? by_season : board.spec().closes;
}

}  // namespace

BoardDescription description_of(const Board& board) {
  BoardDescription description = description_of(board.spec());
  description.season = board.season().number;
  description.resets_at = board.resets_at();
  description.closes_at = closes_at(board);
  return description;
}

BoardDescription description_of(const Spec& spec) {
  BoardDescription description;
  description.order = spec.order;
  description.decimals = spec.decimals;
  description.columns = spec.columns;
  description.ranking = spec.ranking;
  description.meta = spec.meta;
  if (!spec.duration) description.closes_at = spec.closes;
  return description;
}

bool describes(const BoardDescription& description, const Board& board) {
  const Spec& spec = board.spec();
  return description.season == board.season().number && description.ranking == spec.ranking &&
         description.resets_at == board.resets_at() && description.closes_at == closes_at(board) &&
         description.meta == spec.meta;
}

namespace {

std::size_t bytes_of(const Window& window) {
  static const std::size_t inside = std::string().capacity();
  const auto heap_bytes = [](const std::string& text) {
    return text.capacity() > inside ? text.capacity() : 0;
  };
  std::size_t bytes = sizeof window + window.entries.capacity() * sizeof(WindowEntry);
  for (const WindowEntry& entry : window.entries) {
    bytes += heap_bytes(entry.player);
    if (entry.name) bytes += heap_bytes(*entry.name);
    if (entry.data) bytes += heap_bytes(*entry.data);
  }
  return bytes;
}

}  // namespace

void PostedWindow::set(WindowPtr window) {
  window_ = std::move(window);
  total_ -= std::exchange(bytes_, window_ ? bytes_of(*window_) : 0);
  total_ += bytes_;
}

bool same_entries(const WindowPtr& before, const Window& after) {
  return before && before->epoch == after.epoch && before->size == after.size &&
         before->entries == after.entries;
}

bool shows(const WindowPtr& window, std::string_view player) {
  return window &&
         std::any_of(window->entries.begin(), window->entries.end(),
                     [player](const WindowEntry& entry) { return entry.player == player; });
}

}  // namespace laurel
