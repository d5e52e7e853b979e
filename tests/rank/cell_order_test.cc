#include "rank/tree/cell_order.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <doctest/doctest.h>

namespace laurel {

namespace {

constexpr std::uint8_t kBehind = 7;  // fills unused bytes; also a valid cell

// An unused byte, the cells by slot, unused bytes up to a multiple of sixteen, and one more.
template <std::uint32_t kSlots>
using Cells = std::array<std::uint8_t, (kSlots + 15) / 16 * 16 + 2>;

// Each cell once, in an order that every rotation changes.
template <std::uint32_t kSlots>
Cells<kSlots> some_order() {
  Cells<kSlots> cells;
  cells.fill(kBehind);
  std::iota(cells.begin() + 1, cells.begin() + 1 + kSlots, std::uint8_t{0});
  std::reverse(cells.begin() + 4, cells.begin() + 1 + kSlots - 5);
  return cells;
}

template <std::uint32_t kSlots>
void rotate_all_ways() {
  for (std::uint32_t from = 0; from < kSlots; ++from) {
    for (std::uint32_t to = from; to < kSlots; ++to) {
      CAPTURE(from);
      CAPTURE(to);
      Cells<kSlots> up = some_order<kSlots>();
      Cells<kSlots> expected = up;
      const auto first = expected.begin() + 1;
      std::rotate(first + from, first + to, first + to + 1);
      rotate_up<kSlots>(up.data() + 1, from, to);
      REQUIRE(up == expected);

      rotate_down<kSlots>(up.data() + 1, from, to);
      REQUIRE(up == some_order<kSlots>());
    }
  }
}

template <std::uint32_t kSlots>
void find_all_cells() {
  const Cells<kSlots> cells = some_order<kSlots>();
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    CHECK(slot_of_cell<kSlots>(cells.data() + 1, cells[slot + 1]) == slot);
  }
}

}  // namespace

TEST_CASE("cells rotate between any two slots, and no other byte changes") {
  rotate_all_ways<32>();
  rotate_all_ways<40>();
  rotate_all_ways<44>();
}

TEST_CASE("slot_of_cell finds the slot of each cell") {
  find_all_cells<32>();
  find_all_cells<40>();
  find_all_cells<44>();
}

}  // namespace laurel
