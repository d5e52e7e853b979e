// The entry cursors of standings, and what they and the listener are told. Cursors are in the order
// of their last use.
#include <algorithm>

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

Standings::HeardChange::HeardChange(const Standings& standings, const Player& player,
                                    const RowKey* next)
    : standings_(standings),
      player_(player.handle),
      size_(std::min(player.id.size(), kPlayerBytesMax)) {
  if (standings.listener_ == nullptr) return;
  std::copy_n(player.id.data(), size_, id_.data());
  standings.listener_->row_will_change(player, next);
}

Standings::HeardChange::~HeardChange() {
  if (standings_.listener_ == nullptr) return;
  const std::string_view id(id_.data(), size_);
  standings_.listener_->row_changed(player_ == kNoPlayer ? standings_.look_up(id)
                                                         : Player{id, player_});
}

// If there are too many cursors, the one that was not used for the longest time ends: scripts leave
// loops.
void Standings::attach(EntryCursor& cursor) const {
  cursor.other_ = cursors_;
  cursors_ = &cursor;
  note_told();
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
  note_told();
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
  note_told();
}

}  // namespace laurel
