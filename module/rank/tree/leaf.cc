#include "rank/tree/leaf.h"

#include <array>

namespace laurel {

void Leaf::reframe(const LeafFrame& frame) {
  visit([&]<typename Rows>(Rows& rows) {
    if constexpr (Rows::kForm != LeafForm::wide) {
      std::array<Place, kLeafRowsMax> places;
      for (std::uint32_t slot = 0; slot < count; ++slot) places[slot] = place(slot);
      rows.frame = frame;
      for (std::uint32_t slot = 0; slot < count; ++slot) rows.set(slot, places[slot]);
    }
  });
}

void Leaf::assign(const LeafFraming& framing, std::span<const Place> places) {
  form = framing.form;
  assert(places.size() <= limits().rows);
  visit([&]<typename Rows>(Rows& rows) {
    new (&rows) Rows;
    if constexpr (Rows::kForm != LeafForm::wide) rows.frame = framing.frame;
    for (std::uint32_t slot = 0; slot < places.size(); ++slot) rows.set(slot, places[slot]);
  });
  count = static_cast<std::uint8_t>(places.size());
}

}  // namespace laurel
