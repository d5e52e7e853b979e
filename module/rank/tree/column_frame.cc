#include "rank/tree/column_frame.h"

#include <algorithm>

namespace laurel {

ColumnFrame ColumnExtent::frame(Growth growth) const {
  ColumnFrame frame;
  frame.shift = differing_ == 0 ? 0 : static_cast<std::uint8_t>(std::countr_zero(differing_));
  const std::uint64_t span = most_ - least_;
  while (frame.bytes < 8 && (span >> frame.shift) > frame.most() / 5 * 4) ++frame.bytes;
  if (frame.bytes == 8) return {.base = 0, .bytes = 8, .shift = 0};
  while (frame.shift > 0 && (span >> (frame.shift - 1)) <= frame.most() / 2) --frame.shift;

  const std::uint64_t spare = frame.most() - (span >> frame.shift);
  const std::uint64_t below = growth == Growth::above   ? 0
                              : growth == Growth::below ? spare
                                                        : spare / 2;
  frame.base = least_ - (std::min(below, least_ >> frame.shift) << frame.shift);
  return frame;
}

}  // namespace laurel
