// The entry cursors of standings, and what they are told. They are in the order of their last use.
#include "base/limits.h"
#include "board/standings/entry_cursor.h"
#include "board/standings/standings.h"

namespace laurel {

Standings::RowChange::RowChange(const Standings& standings, std::string_view player)
    : standings_(standings), player_(arena_.keep(player)) {
  before_ = standings.held_row(standings.look_up(player_), arena_);
  if (before_) before_->player = player_;  // it may be a view of the engine
}

Standings::RowChange::~RowChange() {
  const std::optional<EngineRow> after = standings_.held_row(standings_.look_up(player_), arena_);
  for (EntryCursor* cursor = standings_.cursors_; cursor != nullptr; cursor = cursor->other_) {
    cursor->row_changed(player_, before_, after);
  }
}

// If there are too many cursors, the one that was not used for the longest time ends: scripts leave
// loops.
void Standings::attach(EntryCursor& cursor) const {
  cursor.other_ = cursors_;
  cursors_ = &cursor;
  EntryCursor* last = cursors_;
  for (std::size_t cursors = 1; last->other_ != nullptr; last = last->other_) {
    if (++cursors <= kCursorsMax) continue;
    EntryCursor& left = *last->other_;
    detach(left);
    left.expire();
    return;
  }
}

void Standings::detach(EntryCursor& cursor) const {
  EntryCursor** link = &cursors_;
  while (*link != &cursor) link = &(*link)->other_;
  *link = cursor.other_;
}

void Standings::touch(EntryCursor& cursor) const {
  if (cursors_ == &cursor) return;
  detach(cursor);
  cursor.other_ = cursors_;
  cursors_ = &cursor;
}

void Standings::empty_cursors() {
  for (EntryCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->other_) {
    cursor->emptied();
  }
}

void Standings::rewind_cursors() {
  for (EntryCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->other_) {
    cursor->rewind();
  }
}

void Standings::detach_cursors() {
  for (EntryCursor* cursor = cursors_; cursor != nullptr; cursor = cursor->other_) {
    cursor->end();
  }
  cursors_ = nullptr;
}

}  // namespace laurel
