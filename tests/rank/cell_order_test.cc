#include "rank/cell_order.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <doctest/doctest.h>

namespace laurel {

namespace {

using Cells = std::array<std::uint8_t, kCellSlots>;

// Each cell once, in an order that no shift leaves as it is.
Cells some_order() {
  Cells cells;
  std::iota(cells.begin(), cells.end(), std::uint8_t{0});
  std::reverse(cells.begin() + 3, cells.end() - 5);
  return cells;
}

}  // namespace

TEST_CASE("cells rotate between any two slots, and those outside stay") {
  for (std::uint32_t from = 0; from < kCellSlots; ++from) {
    for (std::uint32_t to = from; to < kCellSlots; ++to) {
      CAPTURE(from);
      CAPTURE(to);
      Cells up = some_order();
      Cells expected = up;
      std::rotate(expected.begin() + from, expected.begin() + to, expected.begin() + to + 1);
      rotate_up(up.data(), from, to);
      REQUIRE(up == expected);

      rotate_down(up.data(), from, to);
      REQUIRE(up == some_order());
    }
  }
}

TEST_CASE("each cell is found in the slot that names it") {
  const Cells cells = some_order();
  for (std::uint32_t slot = 0; slot < kCellSlots; ++slot) {
    CHECK(slot_of_cell(cells.data(), cells[slot]) == slot);
  }
}

}  // namespace laurel
