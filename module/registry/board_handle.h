// board_handle.h - names a board of a registry without owning it: a slot and its generation. A
// handle of a dropped board finds nothing, even after its slot is used again.
#pragma once

#include <cstdint>

namespace laurel {

struct BoardHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: never a board

  friend bool operator==(const BoardHandle&, const BoardHandle&) = default;
};

}  // namespace laurel
