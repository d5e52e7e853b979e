#include "engine/padded/padded_walk.h"

namespace laurel {

PaddedWalk::PaddedWalk(const PaddedKeys& keys, const Space& space, EngineReads& reads)
    : keys_(keys), reads_(reads), cursor_(space.cursor()), all_(keys.all()) {}

// Returns true if the cursor is at a row's key, and counts it as read.
bool PaddedWalk::counted(bool stands) {
  if (!stands || !cursor_->key().starts_with(all_.from)) return false;
  ++reads_.entries;
  return true;
}

bool PaddedWalk::scan_first() {
  return counted(keys_.backwards() ? cursor_->seek_before(all_.to) : cursor_->seek(all_.from));
}

bool PaddedWalk::scan_on() {
  return counted(keys_.backwards() ? cursor_->previous() : cursor_->next());
}

bool PaddedWalk::scan_past_group() {
  return counted(keys_.backwards() ? cursor_->seek_before(group_)
                                   : cursor_->seek(PaddedKeys::behind(group_)));
}

// Goes to the group's other end, to iterate against the scan.
bool PaddedWalk::group_first() {
  return counted(keys_.backwards() ? cursor_->seek(group_)
                                   : cursor_->seek_before(PaddedKeys::behind(group_)));
}

bool PaddedWalk::group_on() {
  return counted(keys_.backwards() ? cursor_->next() : cursor_->previous()) && in_group();
}

bool PaddedWalk::in_group() const { return cursor_->key().starts_with(group_); }

void PaddedWalk::hold_group() { group_.assign(keys_.group(cursor_->key())); }

void PaddedWalk::show() {
  key_.assign(cursor_->key());
  value_.assign(cursor_->value());
}

// The rows before a group are the same for both directions, so the scan finds the group of the
// position and the number of its rows before it.
bool PaddedWalk::begin(std::size_t position, const KeyCounts* counts) {
  inside_ = false;
  if (counts != nullptr) return begin_by(*counts, position);
  goes_on_ = scan_first();
  if (goes_on_ && keys_.turned()) hold_group();
  std::size_t before = 0;
  for (; goes_on_ && position > 0; --position) {
    goes_on_ = scan_on();
    if (!goes_on_ || !keys_.turned()) continue;
    before = in_group() ? before + 1 : 0;
    if (before == 0) hold_group();
  }
  if (!goes_on_ || before == 0) return take();

  inside_ = group_first();
  while (inside_ && before-- > 0) inside_ = group_on();
  if (inside_) show();
  return inside_;
}

// A turned group begins at the same position for both directions, but its rows are counted from its
// other end.
bool PaddedWalk::begin_by(const KeyCounts& counts, std::size_t position) {
  const std::size_t size = counts.size();
  if (position >= size) return false;
  goes_on_ = counted(counts.seek(*cursor_, keys_.backwards() ? size - 1 - position : position));
  if (!goes_on_ || !keys_.turned()) return take();
  hold_group();
  const std::size_t before = counts.count({all_.from, group_});
  const std::size_t end = counts.count({all_.from, PaddedKeys::behind(group_)});
  if (end - before == 1) return take();
  const std::size_t key =
      keys_.backwards() ? before + (position - (size - end)) : end - 1 - (position - before);
  inside_ = counted(counts.seek(*cursor_, key));
  if (inside_) show();
  return inside_;
}

// In a turned group the walk goes against the scan.
bool PaddedWalk::begin_behind(std::string_view key) {
  const bool rising = keys_.backwards() == keys_.turned();
  const auto seek_behind = [&] {
    if (!rising) return counted(cursor_->seek_before(key));
    if (!cursor_->seek(key)) return false;
    return cursor_->key() == key ? counted(cursor_->next()) : counted(true);
  };
  goes_on_ = false;
  inside_ = false;
  if (!keys_.turned()) {
    goes_on_ = seek_behind();
    return take();
  }
  group_.assign(keys_.group(key));
  inside_ = seek_behind() && in_group();
  if (inside_) {
    show();
    return true;
  }
  goes_on_ = scan_past_group();
  return take();
}

bool PaddedWalk::next() {
  if (!keys_.turned()) {
    goes_on_ = scan_on();
  } else if (inside_) {
    inside_ = group_on();
    if (inside_) {
      show();
      return true;
    }
    goes_on_ = scan_past_group();
  }
  return take();
}

// Takes the row at which the scan continues. On a turned board the next row decides: if it is in
// the same group, the row just read was the group's last, and the walk starts at the group's other
// end.
bool PaddedWalk::take() {
  if (!goes_on_) return false;
  show();
  if (!keys_.turned()) return true;
  hold_group();
  goes_on_ = scan_on();
  if (!goes_on_ || !in_group()) return true;
  inside_ = group_first();
  show();
  return true;
}

}  // namespace laurel
