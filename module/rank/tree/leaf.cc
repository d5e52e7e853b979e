#include "rank/tree/leaf.h"

#include <array>

namespace laurel {

void Leaf::reframe(const LeafFrame& frame) {
  const auto rewrite = [&](auto& rows) {
    std::array<Place, kLeafRowsMax> places;
    for (std::uint32_t slot = 0; slot < count; ++slot) places[slot] = place(slot);
    rows.frame = frame;
    for (std::uint32_t slot = 0; slot < count; ++slot) rows.set(slot, places[slot]);
  };
  if (form == LeafForm::narrow) rewrite(narrow);
  if (form == LeafForm::middle) rewrite(middle);
}

void Leaf::assign(const LeafFraming& framing, std::span<const Place> places) {
  form = framing.form;
  assert(places.size() <= limits().rows);
  const auto fill = [&](auto& rows) {
    for (std::uint32_t slot = 0; slot < places.size(); ++slot) rows.set(slot, places[slot]);
  };
  switch (form) {
    case LeafForm::narrow:
      new (&narrow) NarrowRows;
      narrow.frame = framing.frame;
      fill(narrow);
      break;
    case LeafForm::middle:
      new (&middle) MiddleRows;
      middle.frame = framing.frame;
      fill(middle);
      break;
    case LeafForm::wide:
      new (&wide) WideRows;
      fill(wide);
      break;
  }
  count = static_cast<std::uint8_t>(places.size());
}

}  // namespace laurel
