#include "board/board_window.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/limits.h"
#include "board/board.h"

namespace laurel {

namespace {

// What is read: the board, or its part; null if the board has none of that name.
const Standings* shown_part(const Board& board, const std::optional<SegmentName>& part) {
  if (!part) return &board;
  const Result<const Standings*> found = board.part(*part);
  return found ? *found : nullptr;
}

std::shared_ptr<Window> new_window(const Board& board, const Standings* part,
                                   const Entries& entries, const WindowFields& fields) {
  auto window = std::make_shared<Window>();
  window->epoch = board.epoch() + board.season().number;  // seasons have nothing in common
  window->version = board.version();
  window->columns = board.columns();
  window->half_ranks = board.spec().ranking == Ranking::fractional;
  if (part == nullptr) return window;
  window->size = part->size();
  window->lists_groups = part->lists_groups();
  window->entries.reserve(entries.size());
  std::vector<std::optional<double>> room;
  std::span<const std::optional<double>> changes;
  if (fields.rank_changes && part == &board) changes = part->rank_changes(entries, room);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    WindowEntry& shown = window->entries.emplace_back(window_entry(entries[i], fields.data));
    if (!changes.empty()) shown.rank_change = changes[i];
  }
  return window;
}

}  // namespace

std::shared_ptr<Window> top_window(const Board& board, const std::optional<SegmentName>& part,
                                   std::size_t n, const WindowFields& fields) {
  const Standings* const shown = shown_part(board, part);
  Entries entries;
  if (shown != nullptr) shown->read(0, std::min(n, kWatchTopMax), entries);
  return new_window(board, shown, entries, fields);
}

std::shared_ptr<Window> window_around(const Board& board, const std::optional<SegmentName>& part,
                                      std::string_view player, std::size_t n,
                                      const WindowFields& fields) {
  const Standings* const shown = shown_part(board, part);
  Entries entries;
  if (shown != nullptr) shown->around(player, n, entries);
  return new_window(board, shown, entries, fields);
}

}  // namespace laurel
