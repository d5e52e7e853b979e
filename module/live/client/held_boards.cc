#include "live/client/held_boards.h"

#include <map>
#include <string_view>
#include <utility>

#include "live/limits.h"

namespace laurel {

bool HeldBoards::take(const BoardList& list) {
  const bool is_whole = list.from == 0;
  if (!is_whole && (list.epoch != epoch_ || list.from != version_)) return false;
  const auto items = read_items(list.items);
  if (!items) return false;
  // Checked first, so that a message that is refused changes nothing; a copy would cost more than
  // the message if there are many boards.
  std::map<std::string_view, bool> told;  // whether the board is there afterwards
  std::size_t added = 0;
  for (const BoardListItem& item : *items) {
    const bool is_held = !is_whole && boards_.contains(item.board);
    const auto [entry, is_first] = told.try_emplace(item.board, is_held);
    // A size of an unknown board.
    if (item.size && !item.description && !entry->second) return false;
    if (is_first && !is_held) ++added;
    entry->second = item.size.has_value();
  }
  if ((is_whole ? 0 : boards_.size()) + added > 2 * kLiveBoardsMax) return false;
  if (is_whole) boards_.clear();
  for (const BoardListItem& item : *items) {
    if (!item.size) {
      if (const auto gone = boards_.find(item.board); gone != boards_.end()) boards_.erase(gone);
      continue;
    }
    const auto held = boards_.find(item.board);
    ListedBoard& board = held != boards_.end() ? held->second : boards_[std::string(item.board)];
    board.size = *item.size;
    if (!item.description) continue;
    board.board = item.board;
    board.description = *item.description;
  }
  epoch_ = list.epoch;
  version_ = list.to;
  if (list.to != list.newest) return true;
  auto state = std::make_shared<ListedBoards>();
  state->reserve(boards_.size());
  for (const auto& [name, board] : boards_) state->push_back(board);
  if (!any_ || *state != *current_) current_ = std::move(state);
  any_ = true;
  return true;
}

void HeldBoards::start_over() {
  epoch_ = version_ = 0;
  boards_.clear();
}

}  // namespace laurel
