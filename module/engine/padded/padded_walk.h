// padded_walk.h - iterates over the rows of a padded board, best first, by scanning keys.
//
//   way      the scan direction of padded_keys.h. When the scan enters a turned group at its far
//            end, the walk goes to the group's other end, iterates back, and then continues with
//            the next group. So nothing is sorted, and only one row is stored.
//   views    of a row are valid until the walk's next step.
//   cost     begin(position): with counts, at most a block of keys; else `position` keys, and in a
//            turned group the keys of the group before the position once more. begin_behind: one
//            seek or two. next: one key; in a turned group of several keys also a seek at both
//            ends. All are counted in EngineReads::entries.
//   threads  one, as for each cursor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/padded/key_counts.h"
#include "engine/padded/padded_keys.h"

namespace laurel {

class PaddedWalk {
 public:
  // All arguments outlive the walk; the store's next write invalidates it.
  PaddedWalk(const PaddedKeys& keys, const Space& space, EngineReads& reads);

  // Moves to the row at that position; returns true if there is one. `counts`: complete, or null.
  bool begin(std::size_t position, const KeyCounts* counts = nullptr);
  // Moves to the first row behind the place of this key; no row needs to have it.
  bool begin_behind(std::string_view key);
  // Moves to the next row; returns true if there is one. REQUIRES: the walk is at a row.
  bool next();

  // These require that the walk is at a row.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  bool begin_by(const KeyCounts& counts, std::size_t position);
  bool counted(bool stands);
  bool scan_first();
  bool scan_on();
  bool scan_past_group();
  bool group_first();
  bool group_on();
  bool in_group() const;
  void hold_group();
  void show();
  bool take();

  const PaddedKeys& keys_;
  EngineReads& reads_;
  std::unique_ptr<Cursor> cursor_;
  KeyRange all_;
  std::string group_;  // turned boards: the group of the current row
  // Turned boards: true if the cursor is in the group, at the current row. Otherwise it is at the
  // row where the scan continues.
  bool inside_ = false;
  bool goes_on_ = false;  // outside of a group: the scan has another row
  std::string key_;
  std::string value_;
};

}  // namespace laurel
