// padded_walk.h - the rows of a padded board, best first, by walking over their keys.
//
//   way       the scan, as padded_keys.h has it. A turned group that the scan enters at its far end
//             is walked from its other end back, and then left for the next one: nothing is sorted,
//             and no more than one row is kept.
//   views     of a row are valid until the walk's next step.
//   cost      begin(position): position keys, and within a turned group those of it before the
//             position once more. next: one key; a seek at both ends of a turned group of several.
//             All of them are counted in EngineReads::entries.
//   threads   as a cursor: one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/padded/padded_keys.h"

namespace laurel {

class PaddedWalk {
 public:
  // All outlive the walk, which ends with the store's next write.
  PaddedWalk(const PaddedKeys& keys, const Space& space, EngineReads& reads);

  // Goes to the row at that position; whether there is one.
  bool begin(std::size_t position);
  // Goes on to the next row; whether there is one. REQUIRES: it stands on a row.
  bool next();

  // REQUIRES: it stands on a row.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
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
  std::string group_;     // of a turned board: the group of the row
  bool inside_ = false;   // of a turned board: the cursor walks within the group, on the row;
                          // otherwise it stands where the scan goes on
  bool goes_on_ = false;  // of a turned board, outside: the scan has another row
  std::string key_;
  std::string value_;
};

}  // namespace laurel
