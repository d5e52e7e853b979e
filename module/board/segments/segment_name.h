// segment_name.h - which segment of a board is meant.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace laurel {

struct SegmentName {
  std::string attribute;
  std::string value;

  friend auto operator<=>(const SegmentName&, const SegmentName&) = default;
};

// As watches and clients see it: "season_3:country=DE".
inline std::string name_of_segment(std::string_view board, const SegmentName& segment) {
  std::string name(board);
  name.append(":").append(segment.attribute).append("=").append(segment.value);
  return name;
}

}  // namespace laurel
