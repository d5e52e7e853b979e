#include "live/client/held_boards.h"

#include <utility>

#include "live/limits.h"

namespace laurel {

bool HeldBoards::take(const BoardList& list) {
  const bool anew = list.from == 0;
  if (!anew && (list.epoch != epoch_ || list.from != version_)) return false;
  const auto items = read_items(list.items);
  if (!items) return false;
  Boards next = anew ? Boards() : boards_;
  for (const BoardListItem& item : *items) {
    if (!item.size) {
      if (const auto gone = next.find(item.board); gone != next.end()) next.erase(gone);
      continue;
    }
    const auto held = next.find(item.board);
    if (held == next.end() && !item.description) return false;  // a size of an unknown board
    ListedBoard& board = held != next.end() ? held->second : next[std::string(item.board)];
    board.size = *item.size;
    if (!item.description) continue;
    board.board = item.board;
    board.description = *item.description;
  }
  if (next.size() > 2 * kLiveBoardsMax) return false;
  boards_ = std::move(next);
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

void HeldBoards::begin_anew() {
  epoch_ = version_ = 0;
  boards_.clear();
}

}  // namespace laurel
