// derivation.h - what keeps the rows of a board that is made from other boards.
//
//   owner    the registry (registry/derived/). Such a board has one from the time on when it is
//            adopted, and no rows before.
//   current  the rows are those that the sources' rows make, whenever Registry::get returned the
//            board and no call came after it. A change of one row of a source is followed at once.
//            After a change of all its rows, a reset for example, the next present() makes the
//            board's rows again.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace laurel {

class Board;

class Derivation {
 public:
  virtual ~Derivation() = default;
  // Brings the sources up to the clock, and makes the rows again if they have to be. Throws
  // std::bad_alloc, and then nothing has changed.
  virtual void present(Time now) = 0;
  // The earliest time at which a source changes without a write.
  virtual Time next_change_at() const = 0;
  // The board whose seasons it has; null if it has none.
  virtual const Board* seasons_of() const = 0;
  // Memory besides the rows.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace laurel
